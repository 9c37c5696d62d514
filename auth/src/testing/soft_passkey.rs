//! An authenticator in memory: a host's tests add passkeys and sign in with them, without a browser.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed, and says why"
)]

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use minicbor::Encoder;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const BACKUP_ELIGIBLE: u8 = 1 << 3;
const BACKED_UP: u8 = 1 << 4;
const HAS_KEY: u8 = 1 << 6;

/// A passkey in memory, with the browser around it: it responds to the options of the routes as a page would with
/// `PublicKeyCredential.toJSON()` (PASSKEYS).
///
/// It is a synced passkey that has verified its user; its key is one of P-256. Its id and its key are always those that it began with,
/// whatever the options list in `excludeCredentials` and `allowCredentials`.
///
/// ```
/// use axum_auth_module::testing::SoftPasskey;
/// use serde_json::json;
///
/// let mut passkey = SoftPasskey::on("https://example.com");
/// // What `GET /auth/user/passkeys/options` responds, and what `POST /auth/user/passkeys` takes:
/// let options = json!({
///     "challenge": "AAAAAAAAAAAAAAAAAAAAAA",
///     "rp": { "id": "example.com", "name": "Example" },
///     "user": { "id": "AQ", "name": "ada@example.com", "displayName": "Ada" },
///     "pubKeyCredParams": [{ "type": "public-key", "alg": -7 }],
/// });
/// let credential = passkey.register(&options);
/// assert_eq!(credential["type"], "public-key");
///
/// // What `GET /auth/passkeys/login/options` responds, and what `POST /auth/passkeys/login` takes:
/// let options = json!({ "challenge": "AQEBAQEBAQEBAQEBAQEBAQ", "rpId": "example.com", "allowCredentials": [] });
/// let credential = passkey.sign_in(&options);
/// assert_eq!(credential["response"]["userHandle"], "AQ");
/// ```
pub struct SoftPasskey {
    origin: String,
    key: SoftKey,
    id: Vec<u8>,
    user_handle: Option<String>,
    /// `None`: a synced passkey, which does not count.
    counter: Option<u32>,
    verifies_user: bool,
}

/// The key of a passkey in memory.
enum SoftKey {
    Es256(EcdsaKeyPair),
    EdDsa(Ed25519KeyPair),
    Rs256(Box<RsaKeyPair>),
}

impl SoftPasskey {
    /// A passkey in a browser that shows a page of this origin, such as `https://example.com`.
    ///
    /// # Panics
    /// If the operating system has no random numbers.
    #[must_use]
    pub fn on(origin: impl Into<String>) -> Self {
        Self {
            origin: origin.into(),
            key: SoftKey::es256(),
            id: random(32),
            user_handle: None,
            counter: None,
            verifies_user: true,
        }
    }

    /// The authenticator does not verify its user: it has no PIN, or was not asked for one.
    #[must_use]
    pub fn without_user_verification(mut self) -> Self {
        self.verifies_user = false;
        self
    }

    /// The passkey cannot be synced, and counts its uses from this number on.
    #[must_use]
    pub fn counting_from(mut self, counter: u32) -> Self {
        self.counter = Some(counter);
        self
    }

    /// The key is one of Ed25519.
    ///
    /// # Panics
    /// If the operating system has no random numbers.
    #[must_use]
    pub fn with_ed25519(mut self) -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("random numbers");
        self.key =
            SoftKey::EdDsa(Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a key of ring's own"));
        self
    }

    /// The key is this RSA key, in PKCS #8.
    ///
    /// # Panics
    /// If it is no such key.
    #[must_use]
    pub fn with_rsa(mut self, pkcs8: &[u8]) -> Self {
        self.key = SoftKey::Rs256(Box::new(RsaKeyPair::from_pkcs8(pkcs8).expect("an RSA key in PKCS #8")));
        self
    }

    /// The id of the credential, in base64url.
    #[must_use]
    pub fn credential_id(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.id)
    }

    /// Makes the passkey for these options (`PublicKeyCredentialCreationOptionsJSON`), and returns the credential
    /// (`RegistrationResponseJSON`).
    ///
    /// # Panics
    /// If the options lack a member that a browser needs.
    pub fn register(&mut self, options: &Value) -> Value {
        self.register_altered(options, |_, _| {})
    }

    /// As [`register`](Self::register), with changes to `clientDataJSON` and `authenticatorData`, for tests of refusals.
    ///
    /// # Panics
    /// If the options lack a member that a browser needs.
    pub fn register_altered(
        &mut self,
        options: &Value,
        alter: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>),
    ) -> Value {
        self.user_handle = Some(text(&options["user"]["id"]).to_owned());
        let mut data = self.authenticator_data(text(&options["rp"]["id"]), HAS_KEY);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).expect("a short id").to_be_bytes());
        data.extend(&self.id);
        data.extend(self.key.cose());
        let mut client_data = self.client_data("webauthn.create", options);
        alter(&mut client_data, &mut data);
        let mut object = Encoder::new(Vec::new());
        let encoded = object.map(3).and_then(|object| object.str("fmt")?.str("none")?.str("attStmt")?.map(0));
        encoded.and_then(|object| object.str("authData")?.bytes(&data)).expect("memory");
        json!({
            "id": self.credential_id(),
            "rawId": self.credential_id(),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": { "credProps": { "rk": true } },
            "response": {
                "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
                "attestationObject": URL_SAFE_NO_PAD.encode(object.into_writer()),
                "transports": ["hybrid", "internal"],
            },
        })
    }

    /// Proves the passkey for these options (`PublicKeyCredentialRequestOptionsJSON`), and returns the credential
    /// (`AuthenticationResponseJSON`).
    ///
    /// # Panics
    /// If the options lack a member that a browser needs.
    pub fn sign_in(&mut self, options: &Value) -> Value {
        self.sign_in_altered(options, |_, _| {})
    }

    /// As [`sign_in`](Self::sign_in), with changes to `clientDataJSON` and `authenticatorData` before they are signed, for tests of
    /// refusals.
    ///
    /// # Panics
    /// If the options lack a member that a browser needs.
    pub fn sign_in_altered(
        &mut self,
        options: &Value,
        alter: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>),
    ) -> Value {
        self.counter = self.counter.map(|counter| counter.wrapping_add(1));
        let mut data = self.authenticator_data(text(&options["rpId"]), 0);
        let mut client_data = self.client_data("webauthn.get", options);
        alter(&mut client_data, &mut data);
        let signed = [&data[..], &Sha256::digest(&client_data)].concat();
        json!({
            "id": self.credential_id(),
            "rawId": self.credential_id(),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
                "authenticatorData": URL_SAFE_NO_PAD.encode(data),
                "signature": URL_SAFE_NO_PAD.encode(self.key.sign(&signed)),
                "userHandle": self.user_handle,
            },
        })
    }

    fn client_data(&self, ceremony: &str, options: &Value) -> Vec<u8> {
        let document = json!({
            "type": ceremony,
            "challenge": text(&options["challenge"]),
            "origin": self.origin,
            "crossOrigin": false,
        });
        document.to_string().into_bytes()
    }

    fn authenticator_data(&self, rp_id: &str, also: u8) -> Vec<u8> {
        let mut flags = USER_PRESENT | also;
        if self.verifies_user {
            flags |= USER_VERIFIED;
        }
        if self.counter.is_none() {
            flags |= BACKUP_ELIGIBLE | BACKED_UP;
        }
        let mut data = Sha256::digest(rp_id.as_bytes()).to_vec();
        data.push(flags);
        data.extend(self.counter.unwrap_or_default().to_be_bytes());
        data
    }
}

impl SoftKey {
    fn es256() -> Self {
        let (algorithm, random) = (&ECDSA_P256_SHA256_ASN1_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("random numbers");
        Self::Es256(
            EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).expect("a key of ring's own"),
        )
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Es256(key) => key.sign(&random, message).expect("random numbers").as_ref().to_vec(),
            Self::EdDsa(key) => key.sign(message).as_ref().to_vec(),
            Self::Rs256(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).expect("a long enough key");
                signature
            }
        }
    }

    /// The public key as authenticators write it (RFC 9053).
    fn cose(&self) -> Vec<u8> {
        let mut key = Encoder::new(Vec::new());
        let written = match self {
            Self::Es256(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                let head = key.map(5).and_then(|key| key.i8(1)?.i8(2)?.i8(3)?.i8(-7)?.i8(-1)?.i8(1));
                head.and_then(|key| key.i8(-2)?.bytes(x)?.i8(-3)?.bytes(y)).map(drop)
            }
            Self::EdDsa(pair) => {
                let head = key.map(4).and_then(|key| key.i8(1)?.i8(1)?.i8(3)?.i8(-8)?.i8(-1)?.i8(6));
                head.and_then(|key| key.i8(-2)?.bytes(pair.public_key().as_ref())).map(drop)
            }
            Self::Rs256(pair) => {
                let public = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(pair.public());
                let head = key.map(4).and_then(|key| key.i8(1)?.i8(3)?.i8(3)?.i16(-257));
                head.and_then(|key| key.i8(-1)?.bytes(&public.n)?.i8(-2)?.bytes(&public.e)).map(drop)
            }
        };
        written.expect("memory");
        key.into_writer()
    }
}

/// A member of the options that is a text.
fn text(member: &Value) -> &str {
    member.as_str().expect("the options have every member that a browser needs")
}

fn random(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    SystemRandom::new().fill(&mut bytes).expect("random numbers");
    bytes
}
