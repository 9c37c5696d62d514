//! Hashing and verification of passwords, with the same work for every account (specification §14).

mod bcrypt;
mod pool;
mod queue;

pub use bcrypt::BcryptImplementation;
pub(crate) use pool::PasswordPool;

use super::random;
use crate::client::ClientAddress;
use crate::error::AuthError;
use crate::values::{NewPassword, PASSWORD_BYTES, Password};
use ::bcrypt::{BASE_64, HashParts};
use base64::Engine;
use bcrypt::{Digest, Job};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// How much higher than `bcrypt_cost` the cost of a stored hash can be (specification §14.2). Each step doubles the
/// work; a hash with cost 31 would keep a thread busy for days.
const EXTRA_COST: u32 = 4;

/// Hashes and verifies passwords with bcrypt on separate threads.
///
/// A host's actions get it from their context, so they do not choose an algorithm or a cost.
#[derive(Clone)]
pub struct Passwords {
    pool: Arc<PasswordPool>,
    cost: u32,
    client: ClientAddress,
}

/// The result of comparing a password to a stored hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The password is correct.
    Match,
    /// The password is correct, but the hash has another cost or variant and should be renewed.
    MatchOutdated,
    /// The password is wrong.
    Mismatch,
}

impl Passwords {
    pub(crate) fn new(pool: Arc<PasswordPool>, cost: u32) -> Self {
        Self { pool, cost, client: ClientAddress::UNKNOWN }
    }

    /// The same for the requests of this client, which has its own part of the queue.
    pub(crate) fn of(&self, client: ClientAddress) -> Self {
        Self { client, ..self.clone() }
    }

    /// The hash of a new password.
    ///
    /// # Errors
    /// [`AuthError::Overloaded`] when too many passwords wait, [`AuthError::Internal`] when the operating system returns no
    /// random bytes or no password thread could be started.
    pub async fn hash(&self, password: &NewPassword) -> Result<String, AuthError> {
        self.rehash(password.as_password()).await
    }

    /// A new hash of a password that has just been verified. bcrypt therefore hashes all of it.
    pub(crate) async fn rehash(&self, password: &Password) -> Result<String, AuthError> {
        let salt = random::bytes::<16>()?;
        let job = Job::new(password.expose().as_bytes(), salt, self.cost);
        let digest = self.pool.run(job, self.client).await?;
        Ok(format!("$2b${:02}${}{}", self.cost, BASE_64.encode(salt), BASE_64.encode(digest)))
    }

    /// Whether the password matches the hash. No password matches a hash that cannot be verified.
    ///
    /// # Errors
    /// The same as of [`hash`](Self::hash).
    pub async fn matches(&self, password: &Password, hash: &str) -> Result<bool, AuthError> {
        Ok(self.verify(password, Some(hash)).await? != Verdict::Mismatch)
    }

    /// Compares the password to the hash, which is `None` for an account that does not exist.
    ///
    /// The comparison takes at least the work of one hash with the configured cost: also if the account does not exist
    /// or has no password, if the hash is malformed or has another cost, and if the password is longer than 72 bytes.
    pub(crate) async fn verify(&self, password: &Password, hash: Option<&str>) -> Result<Verdict, AuthError> {
        let password = password.expose();
        let stored = hash.and_then(|hash| StoredHash::read(hash, self.cost + EXTRA_COST));
        let (salt, cost) = match &stored {
            Some(stored) => (stored.salt, stored.cost),
            None => (random::bytes::<16>()?, self.cost),
        };
        let job = Job::new(password.as_bytes(), salt, cost).with_work_of(self.cost);
        let digest = self.pool.run(job, self.client).await?;
        let Some(stored) = stored else { return Ok(Verdict::Mismatch) };
        let matches = digest.ct_eq(&stored.digest);
        let comparable = password.len() <= PASSWORD_BYTES && !password.contains('\0');
        Ok(match bool::from(matches) && comparable {
            false => Verdict::Mismatch,
            true if stored.cost == self.cost && stored.is_current => Verdict::Match,
            true => Verdict::MatchOutdated,
        })
    }
}

/// A hash that can be verified.
struct StoredHash {
    cost: u32,
    salt: [u8; 16],
    digest: Digest,
    /// Whether new hashes have its variant.
    is_current: bool,
}

impl StoredHash {
    /// `None` if the text is not a hash of bcrypt, or if verifying it would take unreasonably long.
    fn read(hash: &str, highest_cost: u32) -> Option<Self> {
        let parts: HashParts = hash.parse().ok()?;
        let digest = BASE_64.decode(hash.get(29..)?).ok()?;
        let cost = parts.get_cost();
        (4..=highest_cost).contains(&cost).then_some(())?;
        let (salt, digest) = (parts.get_salt_raw(), digest.try_into().ok()?);
        Some(Self { cost, salt, digest, is_current: hash.starts_with("$2b$") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;
    use std::num::NonZeroUsize;

    fn passwords(implementation: BcryptImplementation) -> Passwords {
        Passwords::new(Arc::new(PasswordPool::start(NonZeroUsize::MIN, 64, implementation)), 5)
    }

    /// The verdict of both implementations.
    async fn verdict(password: &str, hash: Option<String>) -> Verdict {
        let password = Password::to_check(password.to_owned());
        let verdicts =
            [BcryptImplementation::Interleaved, BcryptImplementation::Crate].map(|implementation| {
                let (passwords, password, hash) = (passwords(implementation), &password, hash.as_deref());
                async move { passwords.verify(password, hash).await.unwrap() }
            });
        let [interleaved, by_crate] = join_all(verdicts).await.try_into().unwrap();
        assert_eq!(interleaved, by_crate);
        interleaved
    }

    fn hash(password: &str, cost: u32) -> Option<String> {
        Some(::bcrypt::hash(password, cost).unwrap())
    }

    #[tokio::test]
    async fn a_new_hash_is_one_of_the_crate() {
        for implementation in [BcryptImplementation::Interleaved, BcryptImplementation::Crate] {
            let passwords = passwords(implementation);
            for text in ["secret", "x", "ä€", &"x".repeat(72)] {
                let password = Password::to_check(text.to_owned());
                let hash = passwords.rehash(&password).await.unwrap();
                assert!(hash.starts_with("$2b$05$") && ::bcrypt::verify(text, &hash).unwrap());
                assert_ne!(passwords.rehash(&password).await.unwrap(), hash);
                assert!(passwords.matches(&password, &hash).await.unwrap());
            }
        }
    }

    #[tokio::test]
    async fn a_hash_of_another_cost_or_variant_is_outdated() {
        assert_eq!(verdict("secret", hash("secret", 5)).await, Verdict::Match);
        assert_eq!(verdict("secret", hash("secret", 4)).await, Verdict::MatchOutdated);
        assert_eq!(verdict("secret", hash("secret", 6)).await, Verdict::MatchOutdated);
        let php = hash("secret", 5).map(|hash| hash.replacen("$2b$", "$2y$", 1));
        assert_eq!(verdict("secret", php).await, Verdict::MatchOutdated);
        assert_eq!(verdict("other", hash("secret", 4)).await, Verdict::Mismatch);
    }

    #[tokio::test]
    async fn a_password_that_bcrypt_would_truncate_does_not_match() {
        let long = "x".repeat(72);
        assert_eq!(verdict(&long, hash(&long, 5)).await, Verdict::Match);
        assert_eq!(verdict(&format!("{long}y"), hash(&long, 5)).await, Verdict::Mismatch);
        assert_eq!(
            verdict("a\0a", hash("a", 5)).await,
            Verdict::Mismatch,
            "to bcrypt, both are the same key"
        );
    }

    #[tokio::test]
    async fn no_password_matches_a_hash_that_cannot_be_verified() {
        let too_costly = hash("secret", 5).map(|hash| hash.replacen("$05$", "$31$", 1));
        for bad in [
            None,
            Some(String::new()),
            Some("secret".to_owned()),
            Some("$2b$05$short".to_owned()),
            too_costly,
        ] {
            assert_eq!(verdict("secret", bad).await, Verdict::Mismatch);
        }
    }
}
