//! The kinds of stored hashes that can be verified: one table. The prefix of a stored hash says its kind.

#[cfg(feature = "argon2")]
pub(super) mod argon2;
pub(super) mod bcrypt;
#[cfg(any(feature = "argon2", feature = "foreign-hashes"))]
mod derivation;
pub(super) mod host;
#[cfg(feature = "foreign-hashes")]
mod pbkdf2;
#[cfg(any(feature = "argon2", feature = "foreign-hashes"))]
mod phc;
#[cfg(feature = "foreign-hashes")]
mod scrypt;
#[cfg(test)]
mod tests;

use super::job::{Computation, Job};

/// A stored hash that can be verified.
pub(super) struct Stored {
    pub(super) method: Method,
    /// What is compared with the digest of a password.
    pub(super) digest: Vec<u8>,
    /// How a new hash with the same parameters would be made, if new hashes can have them.
    pub(super) made_by: Option<NewHash>,
}

/// What computes a digest.
pub(super) enum Method {
    Bcrypt { salt: [u8; 16], cost: u32 },
    Other(Box<dyn Computation>),
}

impl Method {
    /// The job for a password, with at least this many rounds of work.
    pub(super) fn job(self, password: &[u8], work: u64) -> Job {
        match self {
            Self::Bcrypt { salt, cost } => {
                Job::Lane(super::bcrypt::Job::new(password, salt, cost).with_work_of(work))
            }
            Self::Other(computation) => Job::alone(computation, password, work),
        }
    }

    /// The work, as far as it is known beforehand.
    pub(super) fn rounds(&self) -> u64 {
        match self {
            Self::Bcrypt { cost, .. } => 1 << cost,
            Self::Other(computation) => computation.rounds().unwrap_or(0),
        }
    }
}

/// How new hashes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewHash {
    Bcrypt {
        cost: u32,
    },
    #[cfg(feature = "argon2")]
    Argon2id(argon2::Parameters),
}

/// What a stored hash can need at most.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) bcrypt_cost: u32,
    #[cfg_attr(
        not(any(feature = "argon2", feature = "foreign-hashes")),
        expect(dead_code, reason = "bcrypt needs little memory")
    )]
    pub(super) memory_kib: u32,
}

/// Why a stored hash cannot be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Unreadable {
    /// Its kind, as it can be logged.
    pub(super) kind: &'static str,
    pub(super) reason: &'static str,
}

pub(super) const MALFORMED: &str = "it is malformed";
pub(super) const TOO_MUCH_WORK: &str = "it needs more work than the module does for one password";
#[cfg(any(feature = "argon2", feature = "foreign-hashes"))]
pub(super) const TOO_MUCH_MEMORY: &str = "it needs more memory than the option `password_memory` allows";
pub(super) const UNKNOWN_PEPPER: &str =
    "its pepper is neither `password_pepper` nor one of `previous_password_peppers`";
const UNKNOWN: &str = "its kind is unknown; a `password_verifier` of the host could verify it";

/// Reads the stored hashes of a kind.
type Read = fn(&str, Bounds) -> Result<Stored, &'static str>;

/// A row of the table: the prefix, as it is logged, and what reads such hashes, or the reason why nothing does.
type Kind = (&'static str, Result<Read, &'static str>);

/// The kinds of hashes. Of those that the library cannot verify in any build, only the prefix is known.
const KINDS: &[Kind] = &[
    ("$2a$", Ok(bcrypt::read)),
    ("$2b$", Ok(bcrypt::read)),
    ("$2x$", Ok(bcrypt::read)),
    ("$2y$", Ok(bcrypt::read)),
    ("$argon2id$", ARGON2),
    ("$argon2i$", ARGON2),
    ("$argon2d$", ARGON2),
    ("$scrypt$", SCRYPT),
    ("$pbkdf2-sha256$", PBKDF2),
    ("$pbkdf2-sha512$", PBKDF2),
    ("$1$", Err(UNKNOWN)),
    ("$5$", Err(UNKNOWN)),
    ("$6$", Err(UNKNOWN)),
    ("$7$", Err(UNKNOWN)),
    ("$y$", Err(UNKNOWN)),
    ("$P$", Err(UNKNOWN)),
    ("$S$", Err(UNKNOWN)),
    ("$apr1$", Err(UNKNOWN)),
    ("$bcrypt-sha256$", Err(UNKNOWN)),
    ("$pbkdf2$", Err(UNKNOWN)),
    ("pbkdf2_sha256$", Err(UNKNOWN)),
    ("pbkdf2:sha256:", Err(UNKNOWN)),
    ("scrypt:", Err(UNKNOWN)),
    ("{SSHA}", Err(UNKNOWN)),
];

#[cfg(feature = "argon2")]
const ARGON2: Result<Read, &str> = Ok(argon2::read);
#[cfg(not(feature = "argon2"))]
const ARGON2: Result<Read, &str> = Err("the cargo feature `argon2` of axum-auth-module can verify it");

#[cfg(feature = "foreign-hashes")]
const SCRYPT: Result<Read, &str> = Ok(scrypt::read);
#[cfg(feature = "foreign-hashes")]
const PBKDF2: Result<Read, &str> = Ok(pbkdf2::read);
#[cfg(not(feature = "foreign-hashes"))]
const SCRYPT: Result<Read, &str> = PBKDF2;
#[cfg(not(feature = "foreign-hashes"))]
const PBKDF2: Result<Read, &str> =
    Err("the cargo feature `foreign-hashes` of axum-auth-module can verify it");

/// Reads a stored hash. The result says nothing of its contents but the kind.
pub(super) fn read(hash: &str, bounds: Bounds) -> Result<Stored, Unreadable> {
    let Some((kind, read)) = KINDS.iter().find(|(prefix, _)| hash.starts_with(prefix)) else {
        return Err(Unreadable { kind: "no known prefix", reason: UNKNOWN });
    };
    read.and_then(|read| read(hash, bounds)).map_err(|reason| Unreadable { kind, reason })
}
