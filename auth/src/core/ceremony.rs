//! Ceremonies of two requests. The first one issues a token and stores nothing; the second one sends the token back with a
//! proof, such as a one-time code. The token is used once, and a wrong proof can be replaced by another a few times.

use super::Core;
use crate::error::AuthError;
use crate::store::{Counted, StoreKey};
use std::time::Duration;

/// The rules of the tokens of one kind. The token has a random id, under which the store keeps what happened to it.
pub(crate) struct Ceremony {
    /// How long a token is valid. The store keeps its entries as long.
    pub(crate) lifetime: Duration,
    /// The entry of a token that was used.
    pub(crate) spent: StoreKey,
    /// The counter of the proofs that were tried with a token.
    pub(crate) tries: StoreKey,
    /// How many proofs can be tried with a token.
    pub(crate) most_tries: u32,
    /// The error for a token that was used or tried too often.
    pub(crate) refusal: AuthError,
}

impl Ceremony {
    /// Counts a try with the token of this id. This comes before the proof is checked, so that parallel tries are counted.
    ///
    /// # Errors
    /// The refusal when the token has been used or tried too often.
    pub(crate) async fn count_try(self, core: &Core, token_id: &str) -> Result<(), AuthError> {
        if core.store.exists(self.spent, &[token_id]).await? {
            return Err(self.refusal);
        }
        match core.store.count(self.tries, &[token_id], self.most_tries, self.lifetime).await? {
            Counted::Taken(_) => Ok(()),
            Counted::Full { .. } => Err(self.refusal),
        }
    }

    /// Whether the token was used, or was tried so often that no further try passes.
    pub(crate) async fn is_over(&self, core: &Core, token_id: &str) -> Result<bool, AuthError> {
        if core.store.exists(self.spent, &[token_id]).await? {
            return Ok(true);
        }
        core.store.is_full(self.tries, &[token_id], self.most_tries, self.lifetime).await
    }

    /// Takes a use of the token back, because the effect certainly did not happen.
    pub(crate) async fn take_back(self, core: &Core, token_id: &str) -> Result<(), AuthError> {
        core.store.delete(self.spent, &[token_id]).await
    }

    /// Uses the token up, once its proof was found to be right: of any number of right proofs at once, one at most passes.
    ///
    /// # Errors
    /// The refusal when the token has been used.
    pub(crate) async fn spend(self, core: &Core, token_id: &str) -> Result<(), AuthError> {
        match core.store.claim(self.spent, &[token_id], self.lifetime).await? {
            true => Ok(()),
            false => Err(self.refusal),
        }
    }
}
