//! The `CryptoProvider` of jsonwebtoken.
//!
//! jsonwebtoken 11 has one `CryptoProvider` per process. It chooses a provider only if exactly one of its two backends
//! is compiled in; otherwise it panics at the first token. Cargo unifies features over the host's whole build, so a
//! library that enables one backend breaks hosts that enable the other. This library therefore enables none and
//! implements the HMAC that it needs. If another crate in the build enables a backend, that backend is installed,
//! because the host may need its other algorithms, such as RSA.

use hmac::{Hmac, KeyInit, Mac};
use jsonwebtoken::Algorithm;
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::signature::{self, Signer, Verifier};
use sha2::Sha256;
use std::sync::Once;
use zeroize::Zeroizing;

/// Installs a provider, unless the host has already installed one. The host's provider must support HS256.
pub(super) fn ensure_installed() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let complete = compiled_in().into_iter().find(|provider| !std::ptr::eq(*provider, &HMAC_ONLY));
        // An error means that the host has already installed a provider.
        let _already_installed = complete.unwrap_or(&HMAC_ONLY).install_default();
    });
}

/// The two backends; [`HMAC_ONLY`] replaces a backend that is not compiled in.
///
/// `cfg` cannot see the features of another crate, but name resolution can: a backend that is compiled in comes from
/// the inner glob import and shadows the stand-in of the outer import.
fn compiled_in() -> [&'static CryptoProvider; 2] {
    #[allow(unused_imports, reason = "used for a backend that is not compiled in")]
    use stand_in::{aws_lc, rust_crypto};
    {
        #[allow(unused_imports, reason = "unused when no backend is compiled in")]
        #[allow(clippy::wildcard_imports, reason = "only a glob import may lack the name")]
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
        // Takes constant time, and accepts only a signature of full length.
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
