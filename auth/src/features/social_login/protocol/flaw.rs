//! Why nobody has signed in.

/// Why a provider has signed nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The provider has certainly not accepted the token request: it was not sent, or the response has the status 5xx or 429. The code
    /// can be tried again.
    NotAccepted,
    /// The provider does not respond now. The code may be spent.
    Unavailable,
    /// The provider refuses, or what it says does not verify.
    Refused(Flaw),
}

/// A failure inside of the protocol; which of the first two an outage is depends on the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// The provider does not respond, or its documents cannot be read. The log has it already.
    Outage,
    Refused(Flaw),
}

impl From<Flaw> for Problem {
    fn from(flaw: Flaw) -> Self {
        Self::Refused(flaw)
    }
}

/// Generates [`Flaw`] and its names from one list.
macro_rules! flaws {
    ($($(#[$doc:meta])* $variant:ident $name:literal;)*) => {
        /// Why a sign-in with a provider does not verify. The log has its name; no response tells.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Flaw {
            $($(#[$doc])* $variant,)*
        }

        impl Flaw {
            /// The name, which is stable.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

flaws! {
    /// The provider has no such flow: no redirect URI, or no audiences of ID tokens.
    NotOffered "not-offered";
    /// `iss` of the callback is missing, or of another issuer.
    IssuerParameter "issuer-parameter";
    /// The token endpoint has refused the code.
    Code "code";
    /// The token endpoint has refused the client.
    Client "client";
    /// The response of the token endpoint is not what RFC 6749 §5.1 says.
    TokenResponse "token-response";
    /// The access token is of another type than `Bearer`.
    TokenType "token-type";
    /// The token endpoint has returned no ID token.
    IdTokenMissing "id-token-missing";
    /// The ID token is not a signed token with a header and claims in JSON.
    Malformed "malformed";
    /// The token says that it is of another type.
    TypeOfToken "type";
    /// The header has critical extensions.
    Critical "critical";
    /// The signature is of an algorithm that the provider does not announce, or that is not accepted.
    Algorithm "algorithm";
    /// The token is of another issuer.
    Issuer "issuer";
    /// The token is for somebody else, or also for somebody else.
    Audience "audience";
    /// The token was issued to somebody else.
    AuthorizedParty "authorized-party";
    /// The provider has no such key.
    UnknownKey "unknown-key";
    /// The signature is not one of the key.
    Signature "signature";
    /// The token has expired, or its time is no number.
    Expired "expired";
    /// The token was issued in the future or too long ago, or its time is no number.
    IssuedAt "issued-at";
    /// The token is not valid yet, or its time is no number.
    NotBefore "not-before";
    /// The token is of another flow.
    Nonce "nonce";
    /// The token is of another access token.
    AccessTokenHash "access-token-hash";
    /// The provider has not asked the user again.
    AuthenticationTime "authentication-time";
    /// The account's id is missing, too long, or has control characters.
    Subject "subject";
    /// The response of the UserInfo endpoint, or of the interface of GitHub, is a refusal or cannot be read.
    UserInfo "user-info";
    /// The response of the UserInfo endpoint is about another account.
    UserInfoSubject "user-info-subject";
    /// The host's profile names nobody.
    Profile "profile";
}
