//! Keys with which tokens for other services are signed (specification §34). All of the work is done by `ring`.

use super::random;
use super::signatures::{COORDINATE, PublicKey};
use crate::error::AuthError;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use rustls_pki_types::pem::{PemObject, SectionKind};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// What precedes a public key of Ed25519 in its `SubjectPublicKeyInfo` (RFC 8410 §4), and a point of P-256 (RFC 5480 §2).
const ED25519: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
const P256: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];
/// What precedes the seed of a private key of Ed25519 in PKCS#8 (RFC 8410 §7).
const ED25519_SEED: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
/// The first byte of an uncompressed point (SEC 1 §2.3.3).
const UNCOMPRESSED: u8 = 4;
/// The characters of base64 in a line of PEM (RFC 7468 §2).
const PEM_LINE: usize = 64;

/// A private key.
pub(crate) enum SigningKey {
    Ed25519(Ed25519KeyPair),
    Es256(EcdsaKeyPair),
}

impl SigningKey {
    /// Reads a private key in PKCS#8, as PEM. `None` if the text is anything else.
    pub(crate) fn from_pem(pem: &str) -> Option<Self> {
        match section(pem)? {
            (SectionKind::PrivateKey, der) => Self::from_der(&der),
            _ => None,
        }
    }

    fn from_der(der: &[u8]) -> Option<Self> {
        // OpenSSL writes keys of Ed25519 without the public key.
        let ed25519 = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).map(Self::Ed25519);
        let es256 = || EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &SystemRandom::new());
        ed25519.ok().or_else(|| es256().map(Self::Es256).ok())
    }

    /// The `alg` of its signatures (RFC 8037 §3.1, RFC 7518 §3.4).
    pub(crate) const fn algorithm(&self) -> &'static str {
        match self {
            Self::Ed25519(_) => "EdDSA",
            Self::Es256(_) => "ES256",
        }
    }

    /// What other services need to verify its signatures.
    pub(crate) fn published(&self) -> Option<PublishedKey> {
        match self {
            Self::Ed25519(key) => PublishedKey::ed25519(key.public_key().as_ref()),
            Self::Es256(key) => PublishedKey::p256(key.public_key().as_ref()),
        }
    }

    /// The signature of a message, as tokens have it.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, AuthError> {
        match self {
            Self::Ed25519(key) => Ok(key.sign(message).as_ref().to_vec()),
            Self::Es256(key) => {
                let signature = key.sign(&SystemRandom::new(), message);
                let signature = signature.map_err(|_unspecified| AuthError::internal("no randomness"))?;
                Ok(signature.as_ref().to_vec())
            }
        }
    }
}

/// A new private key of Ed25519 in PKCS#8, as PEM.
pub(crate) fn new_ed25519_pem() -> Result<String, AuthError> {
    let mut der = Zeroizing::new(ED25519_SEED.to_vec());
    der.extend_from_slice(&*Zeroizing::new(random::bytes::<COORDINATE>()?));
    let text = Zeroizing::new(STANDARD.encode(&*der));
    debug_assert!(text.len() <= PEM_LINE, "one line");
    Ok(format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", *text))
}

/// The only section of a PEM text.
fn section(pem: &str) -> Option<(SectionKind, Zeroizing<Vec<u8>>)> {
    let mut sections = <(SectionKind, Vec<u8>)>::pem_slice_iter(pem.as_bytes());
    let (kind, der) = sections.next()?.ok()?;
    let der = Zeroizing::new(der);
    sections.next().is_none().then_some((kind, der))
}

/// A public key that is published: its members in a JSON Web Key, and its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublishedKey {
    x: String,
    /// Of a point of P-256.
    y: Option<String>,
    /// The thumbprint (RFC 7638).
    id: String,
}

impl PublishedKey {
    /// Reads a public key (RFC 7468 §13), or the private key in PKCS#8 to which it belongs. `None` if the text is anything else.
    pub(crate) fn from_pem(pem: &str) -> Option<Self> {
        match section(pem)? {
            (SectionKind::PublicKey, der) => match (der.strip_prefix(&ED25519), der.strip_prefix(&P256)) {
                (Some(key), _) => Self::ed25519(key),
                (_, Some(point)) => Self::p256(point),
                (None, None) => None,
            },
            (SectionKind::PrivateKey, der) => SigningKey::from_der(&der)?.published(),
            _ => None,
        }
    }

    fn ed25519(key: &[u8]) -> Option<Self> {
        PublicKey::ed25519(key)?;
        Some(Self::of(URL_SAFE_NO_PAD.encode(key), None))
    }

    fn p256(point: &[u8]) -> Option<Self> {
        let (x, y) = point.strip_prefix(&[UNCOMPRESSED])?.split_at_checked(COORDINATE)?;
        PublicKey::p256(x, y)?
            .is_on_curve()
            .then(|| Self::of(URL_SAFE_NO_PAD.encode(x), Some(URL_SAFE_NO_PAD.encode(y))))
    }

    fn of(x: String, y: Option<String>) -> Self {
        // The required members in the order of their names (RFC 7638 §3.2).
        let members = match &y {
            None => format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#),
            Some(y) => format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#),
        };
        let id = URL_SAFE_NO_PAD.encode(Sha256::digest(members));
        Self { x, y, id }
    }

    /// Its `kid`.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The JSON Web Key (RFC 7517 §4, RFC 7518 §6.2, RFC 8037 §2).
    pub(crate) fn jwk(&self) -> Value {
        let Self { x, y, id } = self;
        match y {
            None => {
                json!({ "kty": "OKP", "crv": "Ed25519", "x": x, "use": "sig", "alg": "EdDSA", "kid": id })
            }
            Some(y) => {
                json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y, "use": "sig", "alg": "ES256", "kid": id })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of RFC 8037 appendix A, in PKCS#8.
    const OF_RFC_8037: &str = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
        -----END PRIVATE KEY-----\n";

    #[test]
    fn the_thumbprint_and_the_signature_are_those_of_rfc_8037() {
        let key = SigningKey::from_pem(OF_RFC_8037).unwrap();
        let published = key.published().unwrap();
        assert_eq!(published.id(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        assert_eq!(published.jwk()["x"], "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        let signature = key.sign(b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc").unwrap();
        let expected =
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
        assert_eq!(URL_SAFE_NO_PAD.encode(signature), expected);
        assert_eq!(key.algorithm(), "EdDSA");
    }

    #[test]
    fn a_new_key_is_read_again_and_every_one_is_another() {
        let [one, other] = [(); 2].map(|()| new_ed25519_pem().unwrap());
        let published = |pem: &str| SigningKey::from_pem(pem).unwrap().published().unwrap();
        assert_eq!(PublishedKey::from_pem(&one).unwrap(), published(&one));
        assert_ne!(published(&one).id(), published(&other).id());
    }

    #[test]
    fn a_public_key_is_that_of_its_private_key() {
        let published = SigningKey::from_pem(OF_RFC_8037).unwrap().published().unwrap();
        let public = |der: &[u8]| {
            let pem =
                format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", STANDARD.encode(der));
            PublishedKey::from_pem(&pem)
        };
        let raw = URL_SAFE_NO_PAD.decode(&published.x).unwrap();
        assert_eq!(public(&[&ED25519[..], &raw].concat()).unwrap(), published);
        // A point of small order, one byte too few and too many, no point of P-256, another algorithm.
        assert_eq!(public(&[&ED25519[..], &[0; 32]].concat()), None);
        assert_eq!(public(&[&ED25519[..], &raw[1..]].concat()), None);
        assert_eq!(public(&[&ED25519[..], &raw, &[0]].concat()), None);
        assert_eq!(public(&[&P256[..], &[4], &raw, &raw].concat()), None);
        assert_eq!(public(&raw), None);
    }

    #[test]
    fn a_key_of_p_256_signs_what_its_public_key_verifies() {
        let der =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
        let key = SigningKey::from_der(der.as_ref()).unwrap();
        let published = key.published().unwrap();
        assert_eq!((key.algorithm(), &published.jwk()["crv"]), ("ES256", &json!("P-256")));
        let signature = key.sign(b"message").unwrap();
        let SigningKey::Es256(pair) = &key else { panic!("another kind") };
        let verifier = ring::signature::UnparsedPublicKey::new(
            &ring::signature::ECDSA_P256_SHA256_FIXED,
            pair.public_key(),
        );
        verifier.verify(b"message", &signature).unwrap();
        assert!(verifier.verify(b"other", &signature).is_err());
    }

    #[test]
    fn nothing_else_is_a_key() {
        let two = format!("{OF_RFC_8037}{OF_RFC_8037}");
        let sec1 = OF_RFC_8037.replace("PRIVATE KEY", "EC PRIVATE KEY");
        let certificate = OF_RFC_8037.replace("PRIVATE KEY", "CERTIFICATE");
        let cut = OF_RFC_8037.replace("rAMcrn9g", "");
        for wrong in ["", "secret", &two, &sec1, &certificate, &cut] {
            assert!(SigningKey::from_pem(wrong).is_none(), "{wrong}");
            assert!(PublishedKey::from_pem(wrong).is_none(), "{wrong}");
        }
    }
}
