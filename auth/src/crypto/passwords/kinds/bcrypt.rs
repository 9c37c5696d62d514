//! Stored hashes of bcrypt, `$2b$12$…`. The variants `2a`, `2x` and `2y` are verified like `2b`.

use super::{Bounds, MALFORMED, Method, NewHash, Stored, TOO_MUCH_WORK};
use ::bcrypt::{BASE_64, HashParts};
use base64::Engine;

/// How much higher than `bcrypt_cost` the cost of a stored hash can be (specification §14.2). Each step doubles the
/// work; a hash with cost 31 would keep a thread busy for days.
const EXTRA_COST: u32 = 4;

pub(super) fn read(hash: &str, bounds: Bounds) -> Result<Stored, &'static str> {
    let parts: HashParts = hash.parse().map_err(|_| MALFORMED)?;
    let digest = hash.get(29..).and_then(|digest| BASE_64.decode(digest).ok());
    let digest = digest.filter(|digest| digest.len() == size_of::<super::super::bcrypt::Digest>());
    let cost = parts.get_cost();
    if cost > bounds.bcrypt_cost + EXTRA_COST {
        return Err(TOO_MUCH_WORK);
    }
    if cost < 4 {
        return Err(MALFORMED);
    }
    Ok(Stored {
        method: Method::Bcrypt { salt: parts.get_salt_raw(), cost },
        digest: digest.ok_or(MALFORMED)?,
        made_by: hash.starts_with("$2b$").then_some(NewHash::Bcrypt { cost }),
    })
}

/// The text that is stored.
pub(in super::super) fn write(cost: u32, salt: [u8; 16], digest: &[u8]) -> String {
    format!("$2b${cost:02}${}{}", BASE_64.encode(salt), BASE_64.encode(digest))
}
