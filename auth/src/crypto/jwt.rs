//! Signed tokens, each kind with its own key and its own `typ` (specification §10.2, RFC 8725 §3.11).
//!
//! Tokens that this library has signed have one header, byte for byte. They are written and read here, with a MAC whose key is
//! prepared once; jsonwebtoken would prepare it for each token, and would read the header and the claims twice. It reads the
//! tokens with any other header, and the tests compare every token with the one that it writes.

use super::jwt_backend;
use super::keys::{MacKey, Secret};
use super::ring::KeyRing;
use crate::error::AuthError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use subtle::ConstantTimeEq;

/// Longer tokens are rejected unread, in bytes. The library's own tokens have a few hundred bytes.
const LONGEST: usize = 4096;

/// The length of most claims, in bytes.
const CLAIMS: usize = 384;

/// The length of a signature, in bytes.
const SIGNATURE: usize = 32;

/// Signs and verifies the tokens of one kind.
pub(crate) struct TokenKeys {
    typ: &'static str,
    /// What every token begins with: the encoded header and the dot.
    header: String,
    keys: KeyRing<TokenKey>,
}

struct TokenKey {
    mac: MacKey,
    decoding: DecodingKey,
}

impl TokenKeys {
    /// The keys for tokens with this `typ` in their header.
    pub(crate) fn new(typ: &'static str, secrets: &KeyRing<Secret>) -> Self {
        jwt_backend::ensure_installed();
        let keys = secrets.map(|secret| TokenKey {
            mac: secret.mac_key(),
            decoding: DecodingKey::from_secret(secret.expose()),
        });
        Self { typ, header: header(typ), keys }
    }

    /// Signs these claims with the current key.
    pub(crate) fn sign<C: Serialize>(&self, claims: &C) -> Result<String, AuthError> {
        self.sign_after(&self.header, claims)
    }

    /// Signs these claims below another header.
    #[cfg(feature = "testing")]
    pub(super) fn sign_with_header<C: Serialize>(
        &self,
        header: &str,
        claims: &C,
    ) -> Result<String, AuthError> {
        self.sign_after(&encoded(header), claims)
    }

    /// Signs these claims after an encoded header and its dot.
    fn sign_after<C: Serialize>(&self, header: &str, claims: &C) -> Result<String, AuthError> {
        let mut json = Vec::with_capacity(CLAIMS);
        serde_json::to_writer(&mut json, claims).map_err(AuthError::internal)?;
        let mut token = String::with_capacity(header.len() + (json.len() + SIGNATURE) * 4 / 3 + 4);
        token.push_str(header);
        URL_SAFE_NO_PAD.encode_string(json, &mut token);
        let signature = self.keys.current().mac.mac_of_text(&token);
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature, &mut token);
        Ok(token)
    }

    /// Returns the claims, if the token is of this kind and one of the keys has signed it.
    ///
    /// Three header parameters count: `typ` must be the type of this kind, `alg` must be HS256, and `crit` must be
    /// absent, because the library supports no extension. The header never selects the key. The caller must check the
    /// times in the claims against its own clock.
    pub(crate) fn open<C: DeserializeOwned>(&self, token: &str) -> Option<C> {
        self.read(token, |claims| serde_json::from_slice(claims).ok())
    }

    /// What this function reads in the claims, which are JSON, if the token is one that [`open`](Self::open) accepts.
    pub(crate) fn read<T>(&self, token: &str, read: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        if token.len() > LONGEST {
            return None;
        }
        let claims =
            if token.starts_with(&self.header) { self.open_own(token) } else { self.open_other(token) };
        read(&claims?)
    }

    /// The claims of a token with the header that tokens of this library have.
    fn open_own(&self, token: &str) -> Option<Vec<u8>> {
        let (message, signature) = token.rsplit_once('.')?;
        let claims = message.strip_prefix(&self.header)?;
        // One byte more, so that a longer signature is not taken for its beginning.
        let mut presented = [0; SIGNATURE + 1];
        let length = URL_SAFE_NO_PAD.decode_slice(signature, &mut presented).ok()?;
        let presented = presented.get(..length)?;
        let is_valid = |key: &TokenKey| bool::from(key.mac.mac_of_text(message).ct_eq(presented));
        if !self.keys.any(is_valid) {
            return None;
        }
        URL_SAFE_NO_PAD.decode(claims).ok()
    }

    /// The claims of a token with another header, which may mean the same.
    fn open_other(&self, token: &str) -> Option<Vec<u8>> {
        let header = jsonwebtoken::decode_header(token).ok()?;
        if header.typ.as_deref() != Some(self.typ) || header.alg != Algorithm::HS256 || header.crit.is_some()
        {
            return None;
        }
        let mut validation = Validation::new(Algorithm::HS256);
        validation.leeway = 0;
        validation.validate_exp = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        let is_valid =
            |key: &TokenKey| jsonwebtoken::decode::<IgnoredAny>(token, &key.decoding, &validation).is_ok();
        if !self.keys.any(is_valid) {
            return None;
        }
        URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()
    }
}

/// The encoded header of tokens with this `typ`, and the dot after it: what jsonwebtoken writes.
fn header(typ: &'static str) -> String {
    encoded(&format!(r#"{{"typ":"{typ}","alg":"HS256"}}"#))
}

fn encoded(header: &str) -> String {
    format!("{}.", URL_SAFE_NO_PAD.encode(header))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::keys::Purpose;
    use jsonwebtoken::{EncodingKey, Header};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const TYPES: [&str; 5] = ["at+jwt", "rt+jwt", "sc+jwt", "ct+jwt", "bc+jwt"];

    fn secrets(numbers: &[u8]) -> KeyRing<Secret> {
        let mut secrets = numbers.iter().map(|number| Secret::new(vec![*number; 40]));
        KeyRing::new(secrets.next().unwrap(), secrets.collect())
    }

    /// What jsonwebtoken makes of the same claims.
    fn by_jsonwebtoken(typ: &str, secret: u8, claims: &Value) -> String {
        let header = Header { typ: Some(typ.to_owned()), ..Header::new(Algorithm::HS256) };
        jsonwebtoken::encode(&header, claims, &EncodingKey::from_secret(&[secret; 40])).unwrap()
    }

    /// What the reader of tokens with any header makes of a token.
    fn by_the_other_reader(keys: &TokenKeys, token: &str) -> Option<Value> {
        serde_json::from_slice(&keys.open_other(token)?).ok()
    }

    proptest! {
        #[test]
        fn a_token_is_that_of_jsonwebtoken(
            typ in prop::sample::select(TYPES.as_slice()),
            secret in 1_u8..4,
            text in ".{0,80}",
            number in any::<u64>(),
        ) {
            let claims = json!({ "sub": text, "exp": number });
            let keys = TokenKeys::new(typ, &secrets(&[secret]));
            let token = keys.sign(&claims).unwrap();
            prop_assert_eq!(&token, &by_jsonwebtoken(typ, secret, &claims));
            prop_assert_eq!(keys.open::<Value>(&token), Some(claims.clone()));
            prop_assert_eq!(by_the_other_reader(&keys, &token), Some(claims));
        }

        /// Both readers agree on a token that was changed anywhere.
        #[test]
        fn a_changed_token_is_invalid(at in 0_usize..200, with in "[A-Za-z0-9_.=+/ -]{0,3}", remove in 0_usize..4) {
            let keys = TokenKeys::new("at+jwt", &secrets(&[1, 2]));
            let token = keys.sign(&json!({ "sub": "7", "exp": 1 })).unwrap();
            let at = at % (token.len() + 1);
            let mut changed = token.clone();
            changed.replace_range(at..(at + remove).min(token.len()), &with);
            let opened = keys.open::<Value>(&changed);
            prop_assert_eq!(&opened, &by_the_other_reader(&keys, &changed));
            prop_assert_eq!(opened.is_some(), changed == token);
        }
    }

    #[test]
    fn a_header_that_is_written_otherwise_is_read_by_jsonwebtoken() {
        let keys = TokenKeys::new("at+jwt", &secrets(&[1]));
        let sign = |header: &str| {
            let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
            let message = format!("{}.{}", encode(header), encode(r#"{"sub":"7"}"#));
            let signature = Secret::new(vec![1; 40]).mac_key().mac_of_text(&message);
            format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
        };
        for header in [
            r#"{"typ":"at+jwt","alg":"HS256"}"#,
            r#"{"alg":"HS256","typ":"at+jwt"}"#,
            r#"{ "alg" : "HS256", "typ" : "at+jwt", "kid" : "1" }"#,
        ] {
            assert_eq!(keys.open::<Value>(&sign(header)), Some(json!({ "sub": "7" })), "{header}");
        }
        for header in [
            r#"{"alg":"HS256"}"#,
            r#"{"typ":"rt+jwt","alg":"HS256"}"#,
            r#"{"typ":"at+jwt","alg":"none"}"#,
            r#"{"typ":"at+jwt","alg":"HS512"}"#,
            r#"{"typ":"at+jwt","alg":"HS256","crit":["x"]}"#,
        ] {
            assert_eq!(keys.open::<Value>(&sign(header)), None, "{header}");
        }
    }

    #[test]
    fn a_previous_secret_verifies() {
        let token = TokenKeys::new("at+jwt", &secrets(&[2])).sign(&json!({ "sub": "7" })).unwrap();
        let opens =
            |numbers: &[u8]| TokenKeys::new("at+jwt", &secrets(numbers)).open::<Value>(&token).is_some();
        assert!(opens(&[2]) && opens(&[1, 3, 2]) && !opens(&[1, 3]));
        let derived = |purpose| TokenKeys::new("at+jwt", &secrets(&[2]).derive_keys(purpose));
        assert!(derived(Purpose::Challenge).open::<Value>(&token).is_none());
    }
}
