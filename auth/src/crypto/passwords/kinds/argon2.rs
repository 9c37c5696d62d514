//! Argon2 (RFC 9106), in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<digest>`.
//!
//! New hashes are Argon2id. Stored ones can also be `argon2i` and `argon2d`, and of version 16.

use super::derivation::{self, Derivation, Function};
use super::phc::Phc;
use super::{Bounds, MALFORMED, NewHash, Stored, TOO_MUCH_MEMORY};
use crate::crypto::passwords::job::{Computation, Memory};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// How many KiB of one pass are the work of a round of bcrypt, by measurements on x86-64.
const KIB_OF_A_ROUND: u64 = 128;

/// The length of new digests (RFC 9106 §4).
const DIGEST: usize = 32;

/// The parameters of Argon2 (RFC 9106 §3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameters {
    /// `m`
    pub(crate) memory_kib: u32,
    /// `t`
    pub(crate) iterations: u32,
    /// `p`
    pub(crate) parallelism: u32,
}

impl Parameters {
    /// The estimated work, in rounds of bcrypt.
    pub(crate) fn rounds(self) -> u64 {
        u64::from(self.memory_kib).saturating_mul(self.iterations.into()) / KIB_OF_A_ROUND
    }
}

/// Reads a stored hash.
pub(super) fn read(hash: &str, bounds: Bounds) -> Result<Stored, &'static str> {
    let phc = Phc::read(hash).ok_or(MALFORMED)?;
    let algorithm = Algorithm::new(phc.id).map_err(|_| MALFORMED)?;
    // Without a version it is the first one, which had no number.
    let version = Version::try_from(phc.version.unwrap_or(0x10)).map_err(|_| MALFORMED)?;
    let Some([Some(memory_kib), Some(iterations), Some(parallelism)]) = phc.parameters(["m", "t", "p"])
    else {
        return Err(MALFORMED);
    };
    let parameters = Parameters { memory_kib, iterations, parallelism };
    if memory_kib > bounds.memory_kib {
        return Err(TOO_MUCH_MEMORY);
    }
    let is_like_new =
        algorithm == Algorithm::Argon2id && version == Version::V0x13 && phc.digest.len() == DIGEST;
    let function = function(parameters, algorithm, version, phc.digest.len()).ok_or(MALFORMED)?;
    let made_by = is_like_new.then_some(NewHash::Argon2id(parameters));
    Ok(Stored { made_by, ..derivation::stored(function, phc)? })
}

/// The computation of a new hash. `None` if Argon2 does not allow the parameters.
pub(in super::super) fn new(parameters: Parameters, salt: [u8; 16]) -> Option<impl Computation> {
    let function = function(parameters, Algorithm::Argon2id, Version::V0x13, DIGEST)?;
    Some(Derivation { function, salt: salt.to_vec(), length: DIGEST })
}

/// The text that is stored.
pub(in super::super) fn write(parameters: Parameters, salt: [u8; 16], digest: &[u8]) -> String {
    let Parameters { memory_kib, iterations, parallelism } = parameters;
    let [salt, digest] = [&salt, digest].map(|octets| STANDARD_NO_PAD.encode(octets));
    format!("$argon2id$v=19$m={memory_kib},t={iterations},p={parallelism}${salt}${digest}")
}

fn function(
    parameters: Parameters,
    algorithm: Algorithm,
    version: Version,
    length: usize,
) -> Option<Argon2<'static>> {
    let Parameters { memory_kib, iterations, parallelism } = parameters;
    let params = Params::new(memory_kib, iterations, parallelism, Some(length)).ok()?;
    Some(Argon2::new(algorithm, version, params))
}

impl Function for Argon2<'static> {
    fn rounds(&self, _: usize) -> u64 {
        let params = self.params();
        let (memory_kib, iterations, parallelism) = (params.m_cost(), params.t_cost(), params.p_cost());
        Parameters { memory_kib, iterations, parallelism }.rounds()
    }

    fn derive(
        &self,
        password: &[u8],
        salt: &[u8],
        memory: &mut Memory,
        digest: &mut [u8],
    ) -> Result<(), String> {
        let hashed = memory.with_blocks(self.params().block_count(), |blocks| {
            self.hash_password_into_with_memory(password, salt, digest, blocks)
        })?;
        hashed.map_err(|error| error.to_string())
    }
}
