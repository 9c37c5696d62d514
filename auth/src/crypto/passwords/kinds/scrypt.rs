//! scrypt (RFC 7914), in the PHC string format: `$scrypt$ln=16,r=8,p=1$<salt>$<digest>`, where `ln` is the binary logarithm
//! of RFC 7914's N. Only stored hashes are of this kind.

use super::derivation::{self, Function};
use super::phc::Phc;
use super::{Bounds, MALFORMED, Stored, TOO_MUCH_MEMORY};
use crate::crypto::passwords::job::Memory;
use scrypt::Params;

/// How many blocks of 128 octets are the work of a round of bcrypt, by measurements on x86-64.
const BLOCKS_OF_A_ROUND: u64 = 256;
/// The length of a block (RFC 7914 §4).
const BLOCK: u64 = 128;

/// Reads a stored hash.
pub(super) fn read(hash: &str, bounds: Bounds) -> Result<Stored, &'static str> {
    let phc = Phc::read(hash).filter(|phc| phc.version.is_none()).ok_or(MALFORMED)?;
    let Some([Some(log_n), Some(r), Some(p)]) = phc.parameters(["ln", "r", "p"]) else {
        return Err(MALFORMED);
    };
    let log_n = u8::try_from(log_n).ok().filter(|log_n| (1..u64::BITS).contains(&u32::from(*log_n)));
    let log_n = log_n.ok_or(MALFORMED)?;
    let n = 1_u64 << log_n;
    let octets = n.saturating_add(p.into()).saturating_mul(r.into()).saturating_mul(BLOCK);
    if octets > u64::from(bounds.memory_kib).saturating_mul(1024).saturating_add(MORE) {
        return Err(TOO_MUCH_MEMORY);
    }
    let params = Params::new(log_n, r, p).map_err(|_| MALFORMED)?;
    derivation::stored(params, phc)
}

/// What may be needed beside the large memory of N blocks: with `password_memory` 131072 KiB, N = 2^17 and r = 8 is possible.
const MORE: u64 = 64 * 1024;

impl Function for Params {
    fn rounds(&self, _: usize) -> u64 {
        self.n().saturating_mul(self.r().into()).saturating_mul(self.p().into()) / BLOCKS_OF_A_ROUND
    }

    /// The crate allocates and frees the memory itself, and does not wipe it.
    fn derive(&self, password: &[u8], salt: &[u8], _: &mut Memory, digest: &mut [u8]) -> Result<(), String> {
        scrypt::scrypt(password, salt, self, digest).map_err(|error| error.to_string())
    }
}
