//! The verification of passkeys (WebAuthn Level 3 §7.1 and §7.2): what a browser returns is compared with what was asked for. No HTTP,
//! no users, and no storage.

mod attestation;
mod authenticator_data;
mod cbor;
mod client_data;
mod cose;
mod credential;
#[cfg(test)]
#[cfg(feature = "testing")]
mod tests;
#[cfg(test)]
mod vectors;

pub(super) use credential::{Assertion, NewCredential};

use crate::config::RelyingParty;

/// The names of the signature algorithms that new passkeys can have (COSE), the preferred one first: ES256, EdDSA, RS256.
pub(super) const ALGORITHMS: [i64; 3] = [cose::ES256, cose::EDDSA, cose::RS256];

/// What a credential is compared with.
pub(super) struct Expected<'a> {
    /// The challenge of the options, in base64url.
    pub(super) challenge: &'a str,
    pub(super) relying_party: &'a RelyingParty,
    /// Whether the authenticator must have verified the user, with a PIN or a fingerprint.
    pub(super) user_verification: bool,
}

/// Generates [`Flaw`] and its names from one list.
macro_rules! flaws {
    ($($(#[$doc:meta])* $variant:ident $name:literal;)*) => {
        /// Why a passkey does not verify. The log has its name; no response tells.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Flaw {
            $($(#[$doc])* $variant,)*
        }

        impl Flaw {
            /// The name, which is stable.
            pub(super) const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

flaws! {
    /// The JSON of the credential does not have the members of WebAuthn Level 3 §5.1, or one of another type.
    Malformed "malformed";
    /// `id` and `rawId` differ.
    Id "id";
    /// The type of the credential is not `public-key`.
    CredentialType "credential-type";
    /// `clientDataJSON` is not such a document.
    ClientData "client-data";
    /// `clientDataJSON` is of another ceremony.
    Ceremony "ceremony";
    /// Another challenge was signed.
    Challenge "challenge";
    /// The page is of an origin that is not configured.
    Origin "origin";
    /// The page was in a frame of another site.
    CrossOrigin "cross-origin";
    /// `authenticatorData` is not such a structure.
    AuthenticatorData "authenticator-data";
    /// The passkey is of another relying party.
    RelyingParty "relying-party";
    /// The authenticator does not say that a user was present.
    UserPresence "user-presence";
    /// The authenticator does not say that it has verified the user.
    UserVerification "user-verification";
    /// Flags that exclude each other.
    Flags "flags";
    /// `attestationObject` is not such a structure.
    AttestationObject "attestation-object";
    /// The key is malformed, weak, or of an algorithm that was not offered.
    PublicKey "public-key";
    /// The browser says that the passkey cannot be found without a list.
    NotDiscoverable "not-discoverable";
    /// The signature is not one of the key.
    Signature "signature";
    /// The user handle is missing, or another user's.
    UserHandle "user-handle";
    /// Whether the passkey can be backed up has changed.
    BackupEligibility "backup-eligibility";
    /// The counter is not greater than the last one: there may be a copy of the authenticator.
    Counter "counter";
    /// The passkey is of an account that is suspended, gone, or of another module, or of an earlier relying party id.
    Account "account";
    /// There is no such passkey, or not any more.
    Unknown "unknown";
}
