//! A credential as a page sends it: the JSON of `PublicKeyCredential.toJSON()` (WebAuthn Level 3 §5.1).

use super::authenticator_data::AuthenticatorData;
use super::client_data::{self, Ceremony};
use super::{Expected, Flaw, attestation, cose};
use crate::crypto::signatures::PublicKey;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The most transports that are kept, and how long each is at most.
const MOST_TRANSPORTS: usize = 8;
const LONGEST_TRANSPORT: usize = 32;
/// The longest id of a credential.
const LONGEST_ID: usize = 1023;
/// An authenticator that does not tell its model.
const NO_MODEL: [u8; 16] = [0; 16];

/// A text in base64url without padding, decoded.
#[derive(PartialEq, Eq)]
struct Base64Url(Vec<u8>);

impl<'de> Deserialize<'de> for Base64Url {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let text = String::deserialize(reader)?;
        URL_SAFE_NO_PAD.decode(text).map(Self).map_err(serde::de::Error::custom)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Credential<R> {
    id: Base64Url,
    raw_id: Base64Url,
    #[serde(rename = "type")]
    kind: String,
    response: R,
    #[serde(default)]
    client_extension_results: Extensions,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttestationResponse {
    #[serde(rename = "clientDataJSON")]
    client_data: Base64Url,
    attestation_object: Base64Url,
    #[serde(default)]
    transports: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AssertionResponse {
    #[serde(rename = "clientDataJSON")]
    client_data: Base64Url,
    authenticator_data: Base64Url,
    signature: Base64Url,
    #[serde(default)]
    user_handle: Option<Base64Url>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extensions {
    #[serde(default)]
    cred_props: Option<CredentialProperties>,
}

#[derive(Deserialize)]
struct CredentialProperties {
    /// Whether the credential can be found without a list of ids. Absent: the browser does not know.
    #[serde(default)]
    rk: Option<bool>,
}

impl<R: DeserializeOwned> Credential<R> {
    fn read(credential: Value) -> Result<Self, Flaw> {
        // serde would read the members of a structure also from a list.
        let is_object = |member| credential.get(member).is_none_or(Value::is_object);
        if !credential.is_object() || !["response", "clientExtensionResults"].into_iter().all(is_object) {
            return Err(Flaw::Malformed);
        }
        let credential: Self = serde_json::from_value(credential).map_err(|_| Flaw::Malformed)?;
        if credential.kind != "public-key" {
            return Err(Flaw::CredentialType);
        }
        if credential.id != credential.raw_id || !(1..=LONGEST_ID).contains(&credential.id.0.len()) {
            return Err(Flaw::Id);
        }
        Ok(credential)
    }
}

/// A passkey that was just made.
#[derive(Debug)]
pub(crate) struct NewCredential {
    pub(crate) id: Vec<u8>,
    /// The COSE key.
    pub(crate) public_key: Vec<u8>,
    /// The model of the authenticator, if it tells.
    pub(crate) aaguid: Option<[u8; 16]>,
    pub(crate) transports: Vec<String>,
    pub(crate) counter: u32,
    pub(crate) backup_eligible: bool,
    pub(crate) backed_up: bool,
}

impl NewCredential {
    /// Verifies the response to a request for a new passkey (WebAuthn Level 3 §7.1). The statement of the authenticator about itself
    /// is not judged.
    pub(crate) fn verify(credential: Value, expected: &Expected<'_>) -> Result<Self, Flaw> {
        let Credential { id, response, client_extension_results, .. } =
            Credential::<AttestationResponse>::read(credential)?;
        client_data::check(&response.client_data.0, Ceremony::Registration, expected)?;
        let data = attestation::authenticator_data(&response.attestation_object.0)?;
        data.check(expected)?;
        let attested = data.attested.as_ref().ok_or(Flaw::AuthenticatorData)?;
        if attested.id != id.0 {
            return Err(Flaw::Id);
        }
        cose::public_key(attested.key).filter(PublicKey::is_on_curve).ok_or(Flaw::PublicKey)?;
        if client_extension_results.cred_props.is_some_and(|properties| properties.rk == Some(false)) {
            return Err(Flaw::NotDiscoverable);
        }
        Ok(Self {
            public_key: attested.key.to_vec(),
            aaguid: (attested.aaguid != NO_MODEL).then_some(attested.aaguid),
            transports: kept(response.transports),
            counter: data.counter,
            backup_eligible: data.is_backup_eligible(),
            backed_up: data.is_backed_up(),
            id: id.0,
        })
    }
}

/// The transports that are kept, in their order: browsers get them back as hints, also those that no list knows yet.
fn kept(transports: Vec<String>) -> Vec<String> {
    let is_word = |text: &String| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..=LONGEST_TRANSPORT).contains(&text.len()) && text.bytes().all(is_part)
    };
    transports.into_iter().filter(is_word).take(MOST_TRANSPORTS).collect()
}

/// The proof that somebody has a passkey. It is compared with what was asked for; whose it is, and whether the signature is right,
/// the stored passkey tells.
pub(crate) struct Assertion {
    pub(crate) credential_id: Vec<u8>,
    pub(crate) user_handle: Option<Vec<u8>>,
    pub(crate) counter: u32,
    pub(crate) backup_eligible: bool,
    pub(crate) backed_up: bool,
    pub(crate) user_verified: bool,
    signed: Vec<u8>,
    signature: Vec<u8>,
}

impl Assertion {
    /// Verifies the response to a request for a passkey, except for its signature (WebAuthn Level 3 §7.2).
    pub(crate) fn read(credential: Value, expected: &Expected<'_>) -> Result<Self, Flaw> {
        let Credential { id, response, .. } = Credential::<AssertionResponse>::read(credential)?;
        client_data::check(&response.client_data.0, Ceremony::Authentication, expected)?;
        let bytes = response.authenticator_data.0;
        let data = AuthenticatorData::read(&bytes)?;
        if data.attested.is_some() {
            return Err(Flaw::Flags);
        }
        data.check(expected)?;
        Ok(Self {
            credential_id: id.0,
            user_handle: response.user_handle.map(|handle| handle.0),
            counter: data.counter,
            backup_eligible: data.is_backup_eligible(),
            backed_up: data.is_backed_up(),
            user_verified: data.is_user_verified(),
            signed: [&bytes[..], &Sha256::digest(&response.client_data.0)].concat(),
            signature: response.signature.0,
        })
    }

    /// Fails unless the signature is one of this COSE key.
    pub(crate) fn verify(&self, public_key: &[u8]) -> Result<(), Flaw> {
        let key = cose::public_key(public_key).ok_or(Flaw::PublicKey)?;
        key.verifies(&self.signed, &self.signature).then_some(()).ok_or(Flaw::Signature)
    }
}
