//! Hashing and verification of passwords, with the same work for every account (specification §14).

use super::password_pool::PasswordPool;
use super::random;
use crate::error::AuthError;
use crate::values::{NewPassword, PASSWORD_BYTES, Password};
use bcrypt::HashParts;
use std::sync::Arc;

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
        Self { pool, cost }
    }

    /// The hash of a new password.
    ///
    /// # Errors
    /// [`AuthError::Overloaded`] when the queue is full, [`AuthError::Internal`] when the operating system returns no
    /// random bytes or no password thread could be started.
    pub async fn hash(&self, password: &NewPassword) -> Result<String, AuthError> {
        self.rehash(password.as_password()).await
    }

    /// A new hash of a password that has just been verified. bcrypt therefore hashes all of it.
    pub(crate) async fn rehash(&self, password: &Password) -> Result<String, AuthError> {
        let (password, cost) = (password.clone(), self.cost);
        let hashed = self.pool.run(move || bcrypt::hash(password.expose(), cost)).await?;
        hashed.map_err(AuthError::internal)
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
        let salt = random::bytes::<16>()?;
        let job = Check { password: password.clone(), hash: hash.map(str::to_owned), cost: self.cost, salt };
        self.pool.run(move || job.run()).await
    }
}

/// One comparison. It runs on a password thread.
struct Check {
    password: Password,
    hash: Option<String>,
    cost: u32,
    salt: [u8; 16],
}

impl Check {
    fn run(&self) -> Verdict {
        let password = self.password.expose();
        let comparable = password.len() <= PASSWORD_BYTES && !password.contains('\0');
        let Some((hash, stored_cost)) = self.usable_hash() else {
            self.work(self.cost);
            return Verdict::Mismatch;
        };
        let Ok(matches) = bcrypt::verify(password, hash) else {
            self.work(self.cost);
            return Verdict::Mismatch;
        };
        // 2^c + (2^c + 2^(c+1) + … + 2^(n-1)) is 2^n: this adds exactly the work that a cheaper hash lacks.
        for cost in stored_cost..self.cost {
            self.work(cost);
        }
        match matches && comparable {
            false => Verdict::Mismatch,
            true if stored_cost == self.cost && hash.starts_with("$2b$") => Verdict::Match,
            true => Verdict::MatchOutdated,
        }
    }

    /// The stored hash and its cost, if bcrypt can verify it in reasonable time.
    fn usable_hash(&self) -> Option<(&str, u32)> {
        let hash = self.hash.as_deref()?;
        let cost = hash.parse::<HashParts>().ok()?.get_cost();
        (4..=self.cost + EXTRA_COST).contains(&cost).then_some((hash, cost))
    }

    /// Does the work of one hash with this cost and discards the result.
    fn work(&self, cost: u32) {
        let _discarded =
            std::hint::black_box(bcrypt::hash_with_salt(self.password.expose(), cost, self.salt));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(password: &str, hash: Option<String>) -> Verdict {
        Check { password: Password::to_check(password.to_owned()), hash, cost: 5, salt: [1; 16] }.run()
    }

    fn hash(password: &str, cost: u32) -> Option<String> {
        Some(bcrypt::hash(password, cost).unwrap())
    }

    #[test]
    fn a_hash_of_another_cost_or_variant_is_outdated() {
        assert_eq!(verdict("secret", hash("secret", 5)), Verdict::Match);
        assert_eq!(verdict("secret", hash("secret", 4)), Verdict::MatchOutdated);
        assert_eq!(verdict("secret", hash("secret", 6)), Verdict::MatchOutdated);
        let php = hash("secret", 5).map(|hash| hash.replacen("$2b$", "$2y$", 1));
        assert_eq!(verdict("secret", php), Verdict::MatchOutdated);
        assert_eq!(verdict("other", hash("secret", 4)), Verdict::Mismatch);
    }

    #[test]
    fn a_password_that_bcrypt_would_truncate_does_not_match() {
        let long = "x".repeat(72);
        assert_eq!(verdict(&long, hash(&long, 5)), Verdict::Match);
        assert_eq!(verdict(&format!("{long}y"), hash(&long, 5)), Verdict::Mismatch);
        assert_eq!(verdict("a\0a", hash("a", 5)), Verdict::Mismatch, "to bcrypt, both are the same key");
    }

    #[test]
    fn no_password_matches_a_hash_that_cannot_be_verified() {
        let too_costly = hash("secret", 5).map(|hash| hash.replacen("$05$", "$31$", 1));
        for bad in [
            None,
            Some(String::new()),
            Some("secret".to_owned()),
            Some("$2b$05$short".to_owned()),
            too_costly,
        ] {
            assert_eq!(verdict("secret", bad), Verdict::Mismatch);
        }
    }
}
