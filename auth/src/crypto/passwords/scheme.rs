//! How new hashes are made, and which stored ones can be verified.

use super::bcrypt;
use super::job::Job;
#[cfg(feature = "argon2")]
use super::kinds::argon2;
use super::kinds::{self, Bounds, NewHash, Stored, UNKNOWN_PEPPER, Unreadable};
use super::pepper::{self, Pepper, Peppers};
use crate::crypto::random;
use crate::error::AuthError;
use crate::passwords::PasswordVerifier;
use crate::telemetry::log;
use crate::values::Password;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::Zeroizing;

/// The algorithm of new password hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PasswordHash {
    /// bcrypt with the cost of the option `bcrypt_cost`. If a host sets it, a login also replaces a stored hash of Argon2 by
    /// bcrypt; while a host sets nothing, such a hash stays one of Argon2.
    #[default]
    Bcrypt,
    /// Argon2id (RFC 9106) with the options `argon2_memory`, `argon2_iterations` and `argon2_parallelism`. Requires the cargo
    /// feature `argon2`.
    ///
    /// In a host's debug build it is slow, unless the host's `Cargo.toml` optimises it:
    ///
    /// ```toml
    /// [profile.dev.package.argon2]
    /// opt-level = 3
    /// [profile.dev.package.blake2]
    /// opt-level = 3
    /// [profile.dev.package.zeroize]
    /// opt-level = 3
    /// ```
    #[cfg(feature = "argon2")]
    Argon2id,
}

/// What the hashes of Argon2id, Argon2i and Argon2d begin with.
const ARGON2: &str = "$argon2";

/// Takes the place of the variant in builds without it, so that the compiler says what to add. Its type is another, so that
/// no host compiles with it.
#[cfg(not(feature = "argon2"))]
impl PasswordHash {
    #[doc(hidden)]
    #[deprecated(
        note = "add the cargo feature: `axum-auth-module = { …, features = [\"argon2\"] }` in Cargo.toml"
    )]
    #[allow(non_upper_case_globals, reason = "it has the name of the variant")]
    pub const Argon2id: &str = "needs the cargo feature `argon2`";
}

/// How new hashes are made, and which stored ones can be verified.
pub(crate) struct Scheme {
    pub(super) new_hash: NewHash,
    bounds: Bounds,
    peppers: Peppers,
    verifier: Option<Arc<dyn PasswordVerifier>>,
    /// What replaces a stored hash of Argon2, if it is not what replaces all others: the host has not chosen a kind of hash, and
    /// another program may verify the hashes of the table, too.
    instead_of_argon2: Option<NewHash>,
    /// The stored hashes that could not be verified, and why. Each of them was logged.
    logged: Mutex<HashSet<Unreadable>>,
    /// Whether the log says that there are hashes whose work other verifications do not take.
    has_logged_dear: AtomicBool,
    /// Whether the log says that hashes of Argon2 stay what they are.
    has_logged_argon2: AtomicBool,
}

/// A stored hash that can be verified, with what is made of the password for it.
pub(super) struct Reading {
    pub(super) stored: Stored,
    /// What is hashed.
    pub(super) key: Zeroizing<Vec<u8>>,
    /// Whether a new hash would be made in the same way.
    pub(super) is_current: bool,
}

/// A hash whose digest is being computed.
pub(super) struct Unfinished {
    pepper: Option<String>,
    new_hash: NewHash,
    salt: [u8; 16],
}

impl Scheme {
    /// Makes hashes of one kind. Stored ones can need this much more work than bcrypt with a cost, and this much memory.
    pub(crate) fn new(new_hash: NewHash, bcrypt_cost: u32, memory_kib: u32) -> Self {
        Self {
            new_hash,
            bounds: Bounds { bcrypt_cost, memory_kib },
            peppers: Peppers::default(),
            verifier: None,
            instead_of_argon2: None,
            logged: Mutex::default(),
            has_logged_dear: AtomicBool::new(false),
            has_logged_argon2: AtomicBool::new(false),
        }
    }

    /// This scheme with peppers.
    pub(crate) fn with_peppers(self, peppers: Peppers) -> Self {
        Self { peppers, ..self }
    }

    /// This scheme with a verifier of the host for hashes that the library cannot verify.
    pub(crate) fn with_verifier(self, verifier: Option<Arc<dyn PasswordVerifier>>) -> Self {
        Self { verifier, ..self }
    }

    /// This scheme, except that a stored hash of Argon2 is renewed as Argon2id with these parameters.
    #[cfg(feature = "argon2")]
    pub(crate) fn keeping_argon2(self, parameters: argon2::Parameters) -> Self {
        Self { instead_of_argon2: Some(NewHash::Argon2id(parameters)), ..self }
    }

    /// The job of a new hash, and what its digest belongs to.
    pub(super) fn hash(&self, password: &Password) -> Result<(Job, Unfinished), AuthError> {
        self.hash_as(self.new_hash, password)
    }

    /// The job of a hash that replaces this stored one, and what its digest belongs to.
    pub(super) fn renew(&self, outdated: &str, password: &Password) -> Result<(Job, Unfinished), AuthError> {
        let without_pepper = self.peppers.read(outdated).map_or(outdated, |(_, hash)| hash);
        self.hash_as(self.instead_of(without_pepper), password)
    }

    fn hash_as(&self, new_hash: NewHash, password: &Password) -> Result<(Job, Unfinished), AuthError> {
        let salt = random::bytes()?;
        let pepper = self.peppers.current();
        let job = new_hash.job(&key(pepper, password), salt, 0)?;
        let pepper = pepper.map(|pepper| pepper.id().to_owned());
        Ok((job, Unfinished { pepper, new_hash, salt }))
    }

    /// How a hash is made that replaces this one, which has no pepper. Logs once that Argon2 is not replaced by bcrypt.
    fn instead_of(&self, stored: &str) -> NewHash {
        match self.instead_of_argon2 {
            Some(argon2id) if stored.starts_with(ARGON2) => {
                if !self.has_logged_argon2.swap(true, Ordering::Relaxed) {
                    log::hash_kind_kept();
                }
                argon2id
            }
            _ => self.new_hash,
        }
    }

    /// The work of a new hash, and at least this many rounds, without a result.
    pub(super) fn work(&self, password: &Password, work: u64) -> Result<Job, AuthError> {
        self.new_hash.job(&key(self.peppers.current(), password), random::bytes()?, work)
    }

    /// Reads a stored hash. Why it cannot be verified is logged once.
    pub(super) fn read(&self, hash: &str, password: &Password) -> Option<Reading> {
        // An account without a password has an empty hash.
        if hash.is_empty() {
            return None;
        }
        if hash.starts_with(pepper::PREFIX) {
            return self.read_peppered(hash, password);
        }
        let stored = kinds::read(hash, self.bounds).or_else(|unreadable| {
            let verifier = self.verifier.as_ref();
            verifier.and_then(|verifier| kinds::host::read(hash, verifier)).ok_or(unreadable)
        });
        let stored = stored.map_err(|unreadable| self.log(unreadable)).ok()?;
        let is_current = stored.made_by == Some(self.instead_of(hash)) && self.peppers.current().is_none();
        Some(Reading { stored, key: key(None, password), is_current })
    }

    /// Reads a hash with a pepper, which only this library makes.
    fn read_peppered(&self, hash: &str, password: &Password) -> Option<Reading> {
        let unknown = Unreadable { kind: pepper::PREFIX, reason: UNKNOWN_PEPPER };
        let read = self.peppers.read(hash).ok_or(unknown);
        let read = read.and_then(|(pepper, hash)| Ok((pepper, hash, kinds::read(hash, self.bounds)?)));
        let (pepper, hash, stored) = read.map_err(|unreadable| self.log(unreadable)).ok()?;
        let current = self.peppers.current();
        let is_of_current = current.is_some_and(|current| current.id() == pepper.id());
        let is_current = stored.made_by == Some(self.instead_of(hash)) && is_of_current;
        Some(Reading { stored, key: key(Some(pepper), password), is_current })
    }

    /// Logs once that a hash is so dear that the time of its verification shows.
    pub(super) fn log_dear_hash(&self) {
        if !self.has_logged_dear.swap(true, Ordering::Relaxed) {
            log::hash_dear();
        }
    }

    fn log(&self, unreadable: Unreadable) {
        if self.logged.lock().unwrap_or_else(PoisonError::into_inner).insert(unreadable) {
            let Unreadable { kind, reason } = unreadable;
            log::hash_unreadable(kind, reason);
        }
    }
}

/// What is hashed of a password.
fn key(pepper: Option<&Pepper>, password: &Password) -> Zeroizing<Vec<u8>> {
    match pepper {
        Some(pepper) => pepper.key(password),
        None => Zeroizing::new(password.expose().as_bytes().to_vec()),
    }
}

impl NewHash {
    /// The estimated work, in rounds of bcrypt.
    pub(super) fn rounds(self) -> u64 {
        match self {
            Self::Bcrypt { cost } => 1 << cost,
            #[cfg(feature = "argon2")]
            Self::Argon2id(parameters) => parameters.rounds(),
        }
    }

    /// The job of such a hash, with at least this many rounds of work.
    fn job(self, key: &[u8], salt: [u8; 16], work: u64) -> Result<Job, AuthError> {
        match self {
            Self::Bcrypt { cost } => Ok(Job::Lane(bcrypt::Job::new(key, salt, cost).with_work_of(work))),
            #[cfg(feature = "argon2")]
            Self::Argon2id(parameters) => match argon2::new(parameters, salt) {
                Some(computation) => Ok(Job::alone(Box::new(computation), key, work)),
                None => Err(AuthError::internal("Argon2 does not allow the configured parameters")),
            },
        }
    }
}

impl Unfinished {
    /// The text that is stored.
    pub(super) fn with(&self, digest: &[u8]) -> String {
        let hash = match self.new_hash {
            NewHash::Bcrypt { cost } => kinds::bcrypt::write(cost, self.salt, digest),
            #[cfg(feature = "argon2")]
            NewHash::Argon2id(parameters) => argon2::write(parameters, self.salt, digest),
        };
        match &self.pepper {
            Some(id) => format!("{}{id}{hash}", pepper::PREFIX),
            None => hash,
        }
    }
}
