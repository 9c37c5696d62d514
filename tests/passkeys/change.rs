//! What is changed in a credential.

use axum_auth_module::testing::SoftPasskey;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use std::rc::Rc;

/// The offset of the flags in `authenticatorData`.
pub(crate) const FLAGS: usize = 32;
/// The offset of the length of the id.
const LENGTH: usize = 37 + 16;
/// The offset of the key, after an id of 32 bytes.
pub(crate) const KEY: usize = LENGTH + 2 + 32;

/// A change in place.
type Alter<T> = Rc<dyn Fn(&mut T)>;
/// What makes an attestation object of authenticator data.
type Wrap = Rc<dyn Fn(&[u8]) -> Vec<u8>>;

/// The ways to change a credential. Those of bytes are made before the authenticator signs.
#[derive(Clone)]
pub(crate) enum Change {
    Nothing,
    ClientData(Alter<Vec<u8>>),
    AuthenticatorData(Alter<Vec<u8>>),
    Attestation(Wrap),
    /// Attestation of the format `packed`, signed with the key of the credential; here the signature can be changed.
    SelfAttestation(fn(&mut Vec<u8>)),
    /// A credential whose id has this many bytes.
    Id(usize),
    Credential(Alter<Value>),
    /// Changes the JSON as text.
    Text(fn(String) -> String),
}

impl Change {
    /// The JSON of a new credential, and its key.
    pub(crate) fn registered(&self, passkey: &mut SoftPasskey, options: &Value) -> (String, Vec<u8>) {
        let (mut client_data, mut data) = (Vec::new(), Vec::new());
        let mut credential = passkey.register_altered(options, |client, authenticator| {
            self.alter(client, authenticator);
            client_data.clone_from(client);
            data.clone_from(authenticator);
        });
        let object = match self {
            Self::Attestation(wrap) => Some(wrap(&data)),
            Self::SelfAttestation(alter) => {
                let mut signature = signature(passkey, &client_data, &data);
                alter(&mut signature);
                let length = u8::try_from(signature.len()).expect("a short signature");
                let statement = [&b"\xa2\x63alg\x26\x63sig\x58"[..], &[length], &signature].concat();
                Some(attestation_object("packed", &statement, &data))
            }
            _ => None,
        };
        if let Some(object) = object {
            credential["response"]["attestationObject"] = encoded(&object).into();
        }
        if let Self::Id(length) = self {
            credential["id"] = encoded(&vec![7; *length]).into();
            credential["rawId"] = credential["id"].clone();
        }
        (self.written(credential), data.get(KEY..).unwrap_or_default().to_vec())
    }

    /// The JSON of a proof.
    pub(crate) fn proven(&self, passkey: &mut SoftPasskey, options: &Value) -> String {
        let credential = passkey.sign_in_altered(options, |client, data| self.alter(client, data));
        self.written(credential)
    }

    fn alter(&self, client_data: &mut Vec<u8>, data: &mut Vec<u8>) {
        match self {
            Self::ClientData(alter) => alter(client_data),
            Self::AuthenticatorData(alter) => alter(data),
            Self::Id(length) => {
                let key = data.split_off(KEY);
                data.truncate(LENGTH);
                data.extend(u16::try_from(*length).expect("a length of two bytes").to_be_bytes());
                data.extend(vec![7; *length]);
                data.extend(key);
            }
            _ => {}
        }
    }

    fn written(&self, mut credential: Value) -> String {
        if let Self::Credential(alter) = self {
            alter(&mut credential);
        }
        match self {
            Self::Text(alter) => alter(credential.to_string()),
            _ => credential.to_string(),
        }
    }
}

/// The signature that the passkey makes for these bytes.
fn signature(passkey: &mut SoftPasskey, client_data: &[u8], data: &[u8]) -> Vec<u8> {
    let options = serde_json::json!({ "challenge": "AA", "rpId": "example.com" });
    let proof = passkey.sign_in_altered(&options, |client, authenticator| {
        *client = client_data.to_vec();
        *authenticator = data.to_vec();
    });
    decoded(&proof["response"]["signature"])
}

/// The bytes of an attestation object.
pub(crate) fn attestation_object(format: &str, statement: &[u8], data: &[u8]) -> Vec<u8> {
    let mut object = b"\xa3\x63fmt".to_vec();
    object.push(0x60 + u8::try_from(format.len()).expect("a short name"));
    object.extend(format.as_bytes());
    object.extend(b"\x67attStmt");
    object.extend(statement);
    object.extend(b"\x68authData\x59");
    object.extend(u16::try_from(data.len()).expect("a length of two bytes").to_be_bytes());
    object.extend(data);
    object
}

pub(crate) fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn decoded(text: &Value) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text.as_str().unwrap_or_default()).expect("base64url")
}
