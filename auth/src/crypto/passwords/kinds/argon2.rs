//! Argon2 (RFC 9106), in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<digest>`.
//!
//! New hashes are Argon2id. Stored ones can also be `argon2i` and `argon2d`, and of version 16.

use super::phc::Phc;
use super::{Bounds, MALFORMED, MOST_ROUNDS, Method, NewHash, Stored, TOO_MUCH_MEMORY, TOO_MUCH_WORK};
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
    if parameters.rounds() > MOST_ROUNDS {
        return Err(TOO_MUCH_WORK);
    }
    let is_like_new =
        algorithm == Algorithm::Argon2id && version == Version::V0x13 && phc.digest.len() == DIGEST;
    let computation = computation(parameters, algorithm, version, phc.salt, phc.digest.len());
    Ok(Stored {
        method: Method::Other(Box::new(computation.ok_or(MALFORMED)?)),
        digest: phc.digest,
        made_by: is_like_new.then_some(NewHash::Argon2id(parameters)),
    })
}

/// The computation of a new hash. `None` if Argon2 does not allow the parameters.
pub(in super::super) fn new(parameters: Parameters, salt: [u8; 16]) -> Option<impl Computation> {
    computation(parameters, Algorithm::Argon2id, Version::V0x13, salt.to_vec(), DIGEST)
}

/// The text that is stored.
pub(in super::super) fn write(parameters: Parameters, salt: [u8; 16], digest: &[u8]) -> String {
    let Parameters { memory_kib, iterations, parallelism } = parameters;
    let [salt, digest] = [&salt, digest].map(|octets| STANDARD_NO_PAD.encode(octets));
    format!("$argon2id$v=19$m={memory_kib},t={iterations},p={parallelism}${salt}${digest}")
}

struct Hashing {
    argon2: Argon2<'static>,
    rounds: u64,
    salt: Vec<u8>,
    length: usize,
}

fn computation(
    parameters: Parameters,
    algorithm: Algorithm,
    version: Version,
    salt: Vec<u8>,
    length: usize,
) -> Option<Hashing> {
    let Parameters { memory_kib, iterations, parallelism } = parameters;
    let params = Params::new(memory_kib, iterations, parallelism, Some(length)).ok()?;
    Some(Hashing {
        argon2: Argon2::new(algorithm, version, params),
        rounds: parameters.rounds(),
        salt,
        length,
    })
}

impl Computation for Hashing {
    fn rounds(&self) -> Option<u64> {
        Some(self.rounds)
    }

    fn digest(&self, password: &[u8], memory: &mut Memory) -> Result<Vec<u8>, String> {
        let mut digest = vec![0; self.length];
        let blocks = self.argon2.params().block_count();
        let hashed = memory.with_blocks(blocks, |blocks| {
            self.argon2.hash_password_into_with_memory(password, &self.salt, &mut digest, blocks)
        })?;
        hashed.map_err(|error| error.to_string())?;
        Ok(digest)
    }
}
