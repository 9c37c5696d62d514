//! What can be wrong with the options of passwords.

use super::{PasswordHash, Settings};
use crate::crypto::passwords::{NewHash, Peppers, Scheme};
use std::ops::RangeInclusive;

/// The bcrypt costs that a host may set (specification §5.3). With cost 16, one hash takes about three seconds.
pub(crate) const BCRYPT_COSTS: RangeInclusive<u32> = 10..=16;
/// The bcrypt costs that a host may set in tests.
const CHEAP_BCRYPT_COSTS: RangeInclusive<u32> = 4..=16;

/// The weakest parameters of Argon2id, as KiB and passes, which OWASP considers as equally strong (Password Storage Cheat
/// Sheet). Others must not be weaker than one of them.
pub(crate) const STRONG_ARGON2: [(u32, u32); 5] =
    [(47_104, 1), (19_456, 2), (12_288, 3), (9_216, 4), (7_168, 5)];

/// The most passes of Argon2id.
pub(crate) const ARGON2_PASSES: u32 = 16;
/// The most memory in KiB that all passes of Argon2id together go over.
pub(crate) const ARGON2_WORK: u32 = 8_388_608;

/// What is wrong, each with its option.
pub(super) fn problems(settings: &Settings, allows_cheap_hashes: bool) -> Vec<(&'static str, String)> {
    let mut problems = Vec::new();
    let mut check = |option, is_fine: bool, expected: String| {
        if !is_fine {
            problems.push((option, format!("expected {expected}")));
        }
    };
    let characters = (8..=64).contains(&settings.password_min_characters);
    check("password_min_characters", characters, "8 to 64".to_owned());
    let costs = if allows_cheap_hashes { CHEAP_BCRYPT_COSTS } else { BCRYPT_COSTS };
    let cost = format!("a cost from {} to {}", costs.start(), costs.end());
    check("bcrypt_cost", costs.contains(&settings.bcrypt_cost), cost);
    let (memory, iterations) = (settings.argon2_memory, settings.argon2_iterations);
    let lanes = (1..=16).contains(&settings.argon2_parallelism);
    check("argon2_parallelism", lanes, "1 to 16 lanes".to_owned());
    check(
        "argon2_iterations",
        (1..=ARGON2_PASSES).contains(&iterations),
        format!("1 to {ARGON2_PASSES} passes"),
    );
    let is_strong = STRONG_ARGON2.iter().any(|(least, passes)| memory >= *least && iterations >= *passes);
    let strong = STRONG_ARGON2
        .map(|(memory, passes)| format!("{memory} with argon2_iterations {passes}"))
        .join(", or ");
    check("argon2_memory", is_strong || allows_cheap_hashes, format!("at least {strong}"));
    let available = settings.password_memory.min(1_048_576);
    let memory = (1024..=available).contains(&memory);
    check("argon2_memory", memory, "1024 to 1048576 KiB, and at most password_memory".to_owned());
    let work = u64::from(settings.argon2_memory) * u64::from(iterations);
    let most = format!("at most {ARGON2_WORK} KiB in all passes together (argon2_memory)");
    check("argon2_iterations", work <= ARGON2_WORK.into(), most);
    let memory = (1024..=4_194_304).contains(&settings.password_memory);
    check("password_memory", memory, "1024 to 4194304 KiB".to_owned());
    check("password_queue", settings.password_queue > 0, "at least 1".to_owned());
    problems
}

impl Settings {
    /// How passwords are hashed and verified.
    pub(crate) fn password_scheme(&self) -> Scheme {
        let new_hash = match self.password_hash.unwrap_or_default() {
            PasswordHash::Bcrypt => NewHash::Bcrypt { cost: self.bcrypt_cost },
            #[cfg(feature = "argon2")]
            PasswordHash::Argon2id => NewHash::Argon2id(self.argon2()),
        };
        let peppers = Peppers::new(self.password_pepper.as_ref(), &self.previous_password_peppers);
        let scheme = Scheme::new(new_hash, self.bcrypt_cost, self.password_memory).with_peppers(peppers);
        #[cfg(feature = "argon2")]
        if self.password_hash.is_none() {
            return scheme.keeping_argon2(self.argon2());
        }
        scheme
    }

    /// How reset tokens are hashed and verified: always with bcrypt, and without a pepper (specification §15.1).
    pub(crate) fn token_scheme(&self) -> Scheme {
        Scheme::new(NewHash::Bcrypt { cost: self.bcrypt_cost }, self.bcrypt_cost, self.password_memory)
    }

    /// How much memory in KiB each password thread keeps between two hashes: that of a new hash.
    pub(crate) fn kept_password_memory(&self) -> u32 {
        match self.password_hash.unwrap_or_default() {
            PasswordHash::Bcrypt => 0,
            #[cfg(feature = "argon2")]
            PasswordHash::Argon2id => self.argon2_memory,
        }
    }

    #[cfg(feature = "argon2")]
    fn argon2(&self) -> crate::crypto::passwords::Argon2Parameters {
        crate::crypto::passwords::Argon2Parameters {
            memory_kib: self.argon2_memory,
            iterations: self.argon2_iterations,
            parallelism: self.argon2_parallelism,
        }
    }
}
