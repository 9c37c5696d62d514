//! Hashing and verification of passwords, with the same work for every account (specification §14).

mod bcrypt;
mod job;
mod kinds;
mod pepper;
mod pool;
mod queue;
mod scheme;
#[cfg(test)]
mod tests;

pub use bcrypt::BcryptImplementation;
pub(crate) use kinds::NewHash;
#[cfg(feature = "argon2")]
pub(crate) use kinds::argon2::Parameters as Argon2Parameters;
pub(crate) use pepper::Peppers;
pub(crate) use pool::PasswordPool;
pub use scheme::PasswordHash;
pub(crate) use scheme::Scheme;

use crate::client::ClientAddress;
use crate::error::AuthError;
use crate::values::{NewPassword, PASSWORD_BYTES, Password};
use job::{Job, Once};
use scheme::Reading;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use subtle::ConstantTimeEq;
use tokio::sync::oneshot;

/// How many times the work of a new hash a verification takes at most because another account has a dearer hash: bcrypt's cost
/// and 2. Without this bound, one account with a very dear hash would make every login as dear.
const DEAREST: u64 = 4;

/// Hashes and verifies passwords on separate threads.
///
/// A host's actions get it from their context, so they do not choose an algorithm or its parameters.
#[derive(Clone)]
pub struct Passwords {
    pool: Arc<PasswordPool>,
    scheme: Arc<Scheme>,
    /// The most work that a verification needed since the module was built, in rounds of bcrypt; at most [`DEAREST`] times that
    /// of a new hash.
    most_work: Arc<AtomicU64>,
    client: ClientAddress,
}

/// The result of comparing a password to a stored hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The password is correct.
    Match,
    /// The password is correct, but new hashes are made in another way, and this one should be renewed.
    MatchOutdated,
    /// The password is wrong.
    Mismatch,
}

impl Passwords {
    pub(crate) fn new(pool: Arc<PasswordPool>, scheme: Scheme) -> Self {
        let most_work = Arc::new(AtomicU64::new(scheme.new_hash.rounds()));
        Self { pool, scheme: Arc::new(scheme), most_work, client: ClientAddress::UNKNOWN }
    }

    /// These passwords for the requests of one client, which has its own part of the queue.
    pub(crate) fn of(&self, client: ClientAddress) -> Self {
        Self { client, ..self.clone() }
    }

    /// The hash of a new password.
    ///
    /// # Errors
    /// [`AuthError::Overloaded`] when too many passwords wait, [`AuthError::Internal`] when the operating system returns no
    /// random bytes or no memory, or no password thread could be started.
    pub async fn hash(&self, password: &NewPassword) -> Result<String, AuthError> {
        self.rehash(password.as_password()).await
    }

    /// A new hash of a password that has just been verified, which therefore has at most 72 bytes.
    pub(crate) async fn rehash(&self, password: &Password) -> Result<String, AuthError> {
        let (job, written) = self.scheme.hash(password)?;
        let digest = self.pool.run(job, self.client).await?;
        Ok(written.with(&digest))
    }

    /// The hash that replaces this outdated one of the password, which has just been verified.
    pub(crate) async fn renew(&self, outdated: &str, password: &Password) -> Result<String, AuthError> {
        let (job, written) = self.scheme.renew(outdated, password)?;
        let digest = self.pool.run(job, self.client).await?;
        Ok(written.with(&digest))
    }

    /// The result of a function that computes, on one of the threads.
    ///
    /// # Errors
    /// [`AuthError::Overloaded`] when too many passwords wait, [`AuthError::Internal`] when the function panics.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        function: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AuthError> {
        let (sender, mut computed) = oneshot::channel();
        let once = Once::new(move || {
            // An error means that the request was given up in this moment.
            let _receiver_dropped = sender.send(function());
        });
        self.pool.run(Job::alone(Box::new(once), b"", 0), self.client).await?;
        computed.try_recv().map_err(|_| AuthError::internal("a computation has no result"))
    }

    /// Whether the password matches the hash. No password matches a hash that cannot be verified.
    ///
    /// # Errors
    /// Those of [`hash`](Self::hash).
    pub async fn matches(&self, password: &Password, hash: &str) -> Result<bool, AuthError> {
        Ok(self.verify(password, Some(hash)).await? != Verdict::Mismatch)
    }

    /// Compares the password to the hash, which is `None` for an account that does not exist.
    ///
    /// The comparison takes at least the work of a new hash: also if the account does not exist or has no password, if the
    /// hash cannot be verified or is cheaper, and if the password is longer than 72 bytes. Once a dearer hash was verified,
    /// every comparison takes as much work, up to four times that of a new hash.
    pub(crate) async fn verify(&self, password: &Password, hash: Option<&str>) -> Result<Verdict, AuthError> {
        let most_work = self.most_work.load(Ordering::Relaxed);
        let Some(Reading { stored, key, is_current }) =
            hash.and_then(|hash| self.scheme.read(hash, password))
        else {
            self.pool.run(self.scheme.work(password, most_work)?, self.client).await?;
            return Ok(Verdict::Mismatch);
        };
        let (rounds, dearest) =
            (stored.method.rounds(), self.scheme.new_hash.rounds().saturating_mul(DEAREST));
        if rounds > dearest {
            self.scheme.log_dear_hash();
        }
        self.most_work.fetch_max(rounds.min(dearest), Ordering::Relaxed);
        let digest = self.pool.run(stored.method.job(&key, most_work), self.client).await?;
        let matches = bool::from(digest.ct_eq(&stored.digest));
        let text = password.expose();
        let comparable = text.len() <= PASSWORD_BYTES && !text.contains('\0');
        Ok(match (matches && comparable, is_current) {
            (false, _) => Verdict::Mismatch,
            (true, true) => Verdict::Match,
            (true, false) => Verdict::MatchOutdated,
        })
    }
}
