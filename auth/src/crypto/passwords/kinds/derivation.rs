//! Hashes that are derived from a password and a salt, with the parameters that are stored beside them.

use super::phc::Phc;
use super::{Method, Stored, TOO_MUCH_WORK};
use crate::crypto::passwords::job::{Computation, Memory};

/// The work in rounds of bcrypt that a stored hash of another kind can need (specification §14.2): that of bcrypt with cost
/// 16, some seconds.
const MOST_ROUNDS: u64 = 1 << 16;

/// A function with its parameters.
pub(super) trait Function: Send + 'static {
    /// The estimated work for a digest of this length, in rounds of bcrypt.
    fn rounds(&self, length: usize) -> u64;

    /// Fills the digest.
    ///
    /// # Errors
    /// What has failed. It never depends on the password.
    fn derive(
        &self,
        password: &[u8],
        salt: &[u8],
        memory: &mut Memory,
        digest: &mut [u8],
    ) -> Result<(), String>;
}

/// The function, the salt, and the length of the digest.
pub(super) struct Derivation<F> {
    pub(super) function: F,
    pub(super) salt: Vec<u8>,
    pub(super) length: usize,
}

impl<F: Function> Computation for Derivation<F> {
    fn rounds(&self) -> Option<u64> {
        Some(self.function.rounds(self.length))
    }

    fn digest(&self, password: &[u8], memory: &mut Memory) -> Result<Vec<u8>, String> {
        let mut digest = vec![0; self.length];
        self.function.derive(password, &self.salt, memory, &mut digest)?;
        Ok(digest)
    }
}

/// The stored hash, if it does not need too much work.
pub(super) fn stored(function: impl Function, phc: Phc<'_>) -> Result<Stored, &'static str> {
    let Phc { salt, digest, .. } = phc;
    let length = digest.len();
    if function.rounds(length) > MOST_ROUNDS {
        return Err(TOO_MUCH_WORK);
    }
    let method = Method::Other(Box::new(Derivation { function, salt, length }));
    Ok(Stored { method, digest, made_by: None })
}
