//! bcrypt for several passwords at once (specification §14.4).
//!
//! bcrypt reads a table again and again, each time at an index that depends on the value before. One computation waits most
//! of the time for these reads. Four computations that take turns on one thread fill each other's waits, and together take
//! little more time than one.
//!
//! The crate `bcrypt` is the reference in the tests. A host can choose it instead
//! ([`BcryptImplementation`]).

mod blowfish;
mod digits_of_pi;
mod lanes;
#[cfg(test)]
mod tests;

pub(crate) use lanes::Lanes;

use zeroize::Zeroizing;

/// What computes password hashes. Both compute the same hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BcryptImplementation {
    /// The library's own code, which computes up to four hashes at once on each thread. Many logins at a time are about
    /// three times as fast as with the crate.
    #[default]
    Interleaved,
    /// The crate `bcrypt`, which computes one hash after the other. In a host's debug build it is slow, unless the host's
    /// `Cargo.toml` optimises it:
    ///
    /// ```toml
    /// [profile.dev.package.bcrypt]
    /// opt-level = 3
    /// [profile.dev.package.blowfish]
    /// opt-level = 3
    /// ```
    Crate,
}

/// bcrypt ignores everything after this octet of a password.
const KEY: usize = 72;

/// The result of bcrypt without its last octet, which no hash contains.
pub(crate) type Digest = [u8; 23];

/// What bcrypt computes.
#[derive(Clone)]
pub(crate) struct Job {
    /// The password as far as bcrypt reads it, with the NUL after it.
    key: Zeroizing<Vec<u8>>,
    salt: [u8; 16],
    cost: u32,
    /// The work that is done, in rounds: those of `cost` or more.
    rounds: u64,
}

impl Job {
    /// The digest of a password. The cost is at most 31.
    pub(crate) fn new(password: &[u8], salt: [u8; 16], cost: u32) -> Self {
        // A vector that grew would leave a copy behind.
        let mut key = Zeroizing::new(Vec::with_capacity(KEY));
        key.extend(password.iter().chain(&[0]).take(KEY));
        Self { key, salt, cost, rounds: 1 << cost }
    }

    /// Work of this many rounds, at least one, whose digest is of no use.
    pub(crate) fn work(rounds: u64) -> Self {
        Self::new(&[], [0; 16], 0).with_work_of(rounds)
    }

    /// This computation, with at least this many rounds of work.
    pub(crate) fn with_work_of(mut self, rounds: u64) -> Self {
        self.rounds = self.rounds.max(rounds);
        self
    }

    /// The work: how often the key schedule is repeated.
    pub(crate) const fn rounds(&self) -> u64 {
        self.rounds
    }

    /// After how many rounds there is the digest.
    const fn digest_rounds(&self) -> u64 {
        1 << self.cost
    }

    /// The digest, computed by the crate.
    pub(crate) fn run_with_crate(&self) -> Digest {
        let mut digest = [0; 23];
        for (octet, of_crate) in digest.iter_mut().zip(::bcrypt::bcrypt(self.cost, self.salt, &self.key)) {
            *octet = of_crate;
        }
        // The rest is a sum of powers of two, each of which is the work of a cost.
        let rest = self.rounds - self.digest_rounds();
        for cost in (0..u64::BITS / 2).filter(|cost| rest >> cost & 1 == 1) {
            std::hint::black_box(::bcrypt::bcrypt(cost, self.salt, &self.key));
        }
        digest
    }
}
