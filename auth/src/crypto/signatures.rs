//! Signatures of keys that are not ours, which are only verified: those of passkeys and of ID tokens. All of the work is done by `ring`.

use ring::agreement::{self, ECDH_P256, EphemeralPrivateKey};
use ring::rand::SystemRandom;
#[cfg(feature = "passkeys")]
use ring::signature::ECDSA_P256_SHA256_ASN1;
#[cfg(feature = "social-login")]
use ring::signature::ECDSA_P256_SHA256_FIXED;
use ring::signature::{
    ED25519, EcdsaVerificationAlgorithm, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};

/// The length of a coordinate of P-256, and of an Ed25519 key.
pub(crate) const COORDINATE: usize = 32;
/// The lengths of an RSA modulus that are accepted, in bytes: 2048 to 4096 bits.
const MODULUS: std::ops::RangeInclusive<usize> = 256..=512;
/// The only public exponent that is accepted: 65537.
const EXPONENT: [u8; 3] = [1, 0, 1];

/// The prime 2²⁵⁵ − 19 in little-endian order, as Ed25519 writes coordinates (RFC 8032 §5.1).
const FIELD: [u8; COORDINATE] = {
    let mut prime = [0xff; COORDINATE];
    prime[0] = 0xed;
    prime[COORDINATE - 1] = 0x7f;
    prime
};

/// The y coordinates of the points of Ed25519 whose order is at most 8: with such a key one signature fits many messages. Each stands
/// for two points, which differ in the highest bit.
const SMALL_ORDER: [[u8; COORDINATE]; 5] = [
    [0; COORDINATE],
    {
        let mut one = [0; COORDINATE];
        one[0] = 1;
        one
    },
    {
        let mut minus_one = FIELD;
        minus_one[0] = 0xec;
        minus_one
    },
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
        0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a,
        0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];

/// A public key, which fits its algorithm.
pub(crate) enum PublicKey<'a> {
    /// ECDSA over P-256 with SHA-256: the uncompressed point (SEC 1 §2.3.3).
    Es256([u8; 1 + 2 * COORDINATE]),
    /// Ed25519 (RFC 8032).
    EdDsa([u8; COORDINATE]),
    /// RSASSA-PKCS1-v1_5 with SHA-256: the modulus in big-endian order (RFC 8017).
    Rs256(&'a [u8]),
}

impl<'a> PublicKey<'a> {
    /// A point of P-256, which may not be on the curve.
    pub(crate) fn p256(x: &[u8], y: &[u8]) -> Option<Self> {
        let (x, y): ([u8; COORDINATE], [u8; COORDINATE]) = (x.try_into().ok()?, y.try_into().ok()?);
        let mut point = [4; 1 + 2 * COORDINATE];
        point[1..=COORDINATE].copy_from_slice(&x);
        point[1 + COORDINATE..].copy_from_slice(&y);
        Some(Self::Es256(point))
    }

    /// Whether a point is on its curve. The verification of a signature finds that out, too; here it is found out before there is one.
    /// A key agreement with the point does.
    pub(crate) fn is_on_curve(&self) -> bool {
        let Self::Es256(point) = self else { return true };
        let Ok(own) = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()) else { return false };
        agreement::agree_ephemeral(own, &agreement::UnparsedPublicKey::new(&ECDH_P256, point), |_| ()).is_ok()
    }

    /// A key of Ed25519. `None` if it is not canonical, or a point of small order.
    pub(crate) fn ed25519(key: &[u8]) -> Option<Self> {
        let key: [u8; COORDINATE] = key.try_into().ok()?;
        let mut y = key;
        y[COORDINATE - 1] &= 0x7f;
        let is_canonical = y.iter().rev().lt(FIELD.iter().rev());
        (is_canonical && !SMALL_ORDER.contains(&y)).then_some(Self::EdDsa(key))
    }

    /// An RSA key. `None` if it has less than 2048 or more than 4096 bits, or another exponent than 65537.
    pub(crate) fn rsa(modulus: &'a [u8], exponent: &[u8]) -> Option<Self> {
        let is_long_enough =
            modulus.first().is_some_and(|first| *first >= if modulus.len() == 256 { 0x80 } else { 1 });
        (MODULUS.contains(&modulus.len()) && is_long_enough && exponent == EXPONENT)
            .then_some(Self::Rs256(modulus))
    }

    /// Whether the signature is one of the message with this key. One of ES256 is in ASN.1, as passkeys write it (WebAuthn Level 3
    /// §6.5.5).
    #[cfg(feature = "passkeys")]
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        self.verifies_as(&ECDSA_P256_SHA256_ASN1, message, signature)
    }

    /// Whether the signature is one of the message with this key. One of ES256 has 64 bytes, as tokens write it (RFC 7518 §3.4).
    #[cfg(feature = "social-login")]
    pub(crate) fn verifies_token(&self, message: &[u8], signature: &[u8]) -> bool {
        self.verifies_as(&ECDSA_P256_SHA256_FIXED, message, signature)
    }

    fn verifies_as(
        &self,
        es256: &'static EcdsaVerificationAlgorithm,
        message: &[u8],
        signature: &[u8],
    ) -> bool {
        let verified = match self {
            Self::Es256(point) => UnparsedPublicKey::new(es256, point).verify(message, signature),
            Self::EdDsa(key) => UnparsedPublicKey::new(&ED25519, key).verify(message, signature),
            Self::Rs256(modulus) => {
                let key = RsaPublicKeyComponents { n: *modulus, e: &EXPONENT[..] };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
        };
        verified.is_ok()
    }
}
