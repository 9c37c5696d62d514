//! Stored hashes that the host's verifier recognises.

use super::{Method, Stored};
use crate::crypto::passwords::job::{Computation, Memory};
use crate::passwords::PasswordVerifier;
use crate::telemetry::log;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The digest of a password that matches.
const MATCHES: u8 = 1;

/// Reads a stored hash, if the verifier recognises it.
pub(in super::super) fn read(hash: &str, verifier: &Arc<dyn PasswordVerifier>) -> Option<Stored> {
    let is_recognised =
        catch_unwind(AssertUnwindSafe(|| verifier.recognises(hash))).unwrap_or_else(|_panic| {
            log::verifier_panicked();
            false
        });
    is_recognised.then(|| {
        let verification = Verification { verifier: Arc::clone(verifier), hash: hash.to_owned() };
        Stored { method: Method::Other(Box::new(verification)), digest: vec![MATCHES], made_by: None }
    })
}

struct Verification {
    verifier: Arc<dyn PasswordVerifier>,
    hash: String,
}

impl Computation for Verification {
    fn rounds(&self) -> Option<u64> {
        None
    }

    fn digest(&self, password: &[u8], _: &mut Memory) -> Result<Vec<u8>, String> {
        let password = std::str::from_utf8(password).map_err(|error| error.to_string())?;
        Ok(vec![if self.verifier.verify(password, &self.hash) { MATCHES } else { 0 }])
    }
}
