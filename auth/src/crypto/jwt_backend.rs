//! The cryptography under jsonwebtoken.
//!
//! jsonwebtoken 11 has one `CryptoProvider` a process. It chooses one by itself only when exactly one of its two
//! backends is compiled in, and panics at the first token otherwise. Features unify over a host's whole build, so
//! a library that picks a backend breaks the hosts that picked the other. This library therefore picks none and
//! brings what it needs itself, HMAC; but where anybody in the build has turned a complete backend on, that one is
//! installed, for the host may want RSA of it.

use hmac::{Hmac, KeyInit, Mac};
use jsonwebtoken::Algorithm;
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::signature::{self, Signer, Verifier};
use sha2::Sha256;
use std::sync::Once;
use zeroize::Zeroizing;

/// Makes sure that the process has a provider. Where the host has installed one, it stays; it has to support HS256.
pub(super) fn ensure_installed() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let complete = compiled_in().into_iter().find(|provider| !std::ptr::eq(*provider, &HMAC_ONLY));
        // An error says that the host was first, which is as good.
        let _already_there = complete.unwrap_or(&HMAC_ONLY).install_default();
    });
}

/// The backends that this build contains; [`HMAC_ONLY`] stands in for those it does not.
///
/// No `cfg` can tell: the features are another crate's. Name resolution can: a name found by the inner glob import
/// shadows the one found by the outer, and the inner has only what is compiled in.
fn compiled_in() -> [&'static CryptoProvider; 2] {
    #[allow(unused_imports, reason = "used for the backends that the inner import does not have")]
    use stand_in::{aws_lc, rust_crypto};
    {
        #[allow(unused_imports, reason = "empty of backends when none is compiled in")]
        #[allow(clippy::wildcard_imports, reason = "only a glob may name what is perhaps not there")]
        use jsonwebtoken::crypto::*;
        [&aws_lc::DEFAULT_PROVIDER, &rust_crypto::DEFAULT_PROVIDER]
    }
}

mod stand_in {
    pub(super) mod aws_lc {
        #[allow(unused_imports, reason = "shadowed when the backend is compiled in")]
        pub(crate) use super::super::HMAC_ONLY as DEFAULT_PROVIDER;
    }
    pub(super) mod rust_crypto {
        #[allow(unused_imports, reason = "shadowed when the backend is compiled in")]
        pub(crate) use super::super::HMAC_ONLY as DEFAULT_PROVIDER;
    }
}

pub(crate) static HMAC_ONLY: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256(Zeroizing::new(key.as_bytes().to_vec())))),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    },
    verifier_factory: |algorithm, key| match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256(Zeroizing::new(key.try_get_as_bytes()?.to_vec())))),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    },
    key_utils: KeyUtils::new_unimplemented(),
};

/// HMAC with SHA-256 (RFC 7518 §3.2).
struct Hs256(Zeroizing<Vec<u8>>);

impl Hs256 {
    fn mac(&self, message: &[u8]) -> Result<Hmac<Sha256>, signature::Error> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).map_err(signature::Error::from_source)?;
        Ok(mac.chain_update(message))
    }
}

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        Ok(self.mac(message)?.finalize().into_bytes().to_vec())
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        // Constant time, and only the full length will do.
        self.mac(message)?.verify_slice(signature).map_err(signature::Error::from_source)
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}
