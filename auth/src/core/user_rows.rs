//! What users have in the repository of a feature: passkeys and identities, with which they sign in, and API tokens.

use crate::client::ClientAddress;
use crate::config::Settings;
use crate::core::{By, Core, Hooks, LockDown, ProvenBy, ProvenRow};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::{User, UserRecord};
use async_trait::async_trait;
use serde_json::Value;
use std::time::SystemTime;

/// A row of a user, with which somebody signs in or acts for the user.
pub(crate) trait UserRow: Send + Sync + 'static {
    /// What the rows are called among the data about a user: `passkeys`.
    const CALLED: &'static str;
    /// The row as data for its user.
    fn data(&self, core: &Core) -> Value;
    fn id(&self) -> &str;
    fn created_at(&self) -> SystemTime;
    /// The event of a row that was removed.
    fn removed(self) -> EventKind;
    /// The id of the row with which a session begins, if it is one of these rows.
    fn proven(row: ProvenRow<'_>) -> Option<&str>;
    /// Whether a reset by mail removes the rows of its user.
    fn ends_with_reset(settings: &Settings) -> bool;
}

/// A repository of such rows. Every error is a 503 response, unless the table is missing.
#[async_trait]
pub(crate) trait UserRows: Clone + Send + Sync + 'static {
    type Row: UserRow;
    /// The rows of the user with this key, in any order.
    async fn find_by_user(&self, key: &str) -> Result<Vec<Self::Row>, AuthError>;
    /// Deletes the row with this id, and returns whether the user had it.
    async fn delete(&self, key: &str, id: &str) -> Result<bool, AuthError>;
    /// Deletes the rows of the user.
    async fn delete_all(&self, key: &str) -> Result<u64, AuthError>;
}

/// Implements [`UserRows`] for a feature's `Rows` of such rows, whose ids are those of which `$is_id` is true: the repository is asked for
/// no others.
macro_rules! user_rows {
    ($Rows:ty, $Row:ty, $is_id:path) => {
        #[async_trait::async_trait]
        impl $crate::core::UserRows for $Rows {
            type Row = $Row;

            async fn find_by_user(&self, key: &str) -> Result<Vec<$Row>, $crate::error::AuthError> {
                self.0.find_by_user(key).await.map_err($crate::repository::RepositoryError::into_unavailable)
            }

            async fn delete(&self, key: &str, id: &str) -> Result<bool, $crate::error::AuthError> {
                if !$is_id(id) {
                    return Ok(false);
                }
                self.0.delete(key, id).await.map_err($crate::repository::RepositoryError::into_unavailable)
            }

            async fn delete_all(&self, key: &str) -> Result<u64, $crate::error::AuthError> {
                self.0.delete_all(key).await.map_err($crate::repository::RepositoryError::into_unavailable)
            }
        }
    };
}
pub(crate) use user_rows;

/// The rows of one user.
pub(crate) struct RowsOfUser<'a, R> {
    pub(crate) core: &'a Core,
    rows: &'a R,
    /// The key of the user in the repository.
    pub(crate) key: String,
}

impl<'a, R: UserRows> RowsOfUser<'a, R> {
    pub(crate) fn of(core: &'a Core, rows: &'a R, user_id: &str) -> Self {
        Self { core, rows, key: core.repository_key(user_id) }
    }

    /// All of them, the oldest first.
    ///
    /// # Errors
    /// Those of the repository.
    pub(crate) async fn all(&self) -> Result<Vec<R::Row>, AuthError> {
        let mut all = self.rows.find_by_user(&self.key).await?;
        all.sort_by(|one, other| (one.created_at(), one.id()).cmp(&(other.created_at(), other.id())));
        Ok(all)
    }

    /// Deletes the row with this id, and returns whether the user had it.
    ///
    /// # Errors
    /// Those of the repository.
    pub(crate) async fn delete(&self, id: &str) -> Result<bool, AuthError> {
        self.rows.delete(&self.key, id).await
    }

    /// Removes those of which this is true. Returns their number.
    ///
    /// # Errors
    /// Those of the repository, after which it can be repeated.
    pub(crate) async fn remove(
        &self,
        user: &dyn UserRecord,
        by: impl Into<By>,
        is_removed: impl Fn(&R::Row) -> bool,
    ) -> Result<u64, AuthError> {
        let (by, mut removed) = (by.into(), 0);
        for row in self.all().await?.into_iter().filter(is_removed) {
            if self.delete(row.id()).await? {
                removed += 1;
                self.core.emit_about(row.removed(), user, by).await;
            }
        }
        Ok(removed)
    }
}

/// When the rows of a user end. The hooks of a feature that has such rows.
pub(crate) struct RowsEnd<R>(pub(crate) R);

impl<R: UserRows> RowsEnd<R> {
    fn of<'a>(&'a self, core: &'a Core, user: &User) -> RowsOfUser<'a, R> {
        RowsOfUser::of(core, &self.0, &user.id_text())
    }
}

#[async_trait]
impl<R: UserRows> Hooks for RowsEnd<R> {
    async fn still_has(&self, core: &Core, user_id: &str, row: ProvenRow<'_>) -> Result<bool, AuthError> {
        let Some(id) = R::Row::proven(row) else { return Ok(true) };
        let all = self.0.find_by_user(&core.repository_key(user_id)).await?;
        Ok(all.iter().any(|row| row.id() == id))
    }

    async fn stored_about(
        &self,
        core: &Core,
        user: &User,
    ) -> Result<Option<(&'static str, Value)>, AuthError> {
        let all = self.of(core, user).all().await?;
        Ok(Some((R::Row::CALLED, all.iter().map(|row| row.data(core)).collect())))
    }

    /// Somebody else may have made the account, and added a row.
    async fn owner_arrived(
        &self,
        core: &Core,
        user: &User,
        _: ProvenBy,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        self.of(core, user).remove(&**user, client, |_| true).await.map(drop)
    }

    async fn password_reset(
        &self,
        core: &Core,
        user: &User,
        client: ClientAddress,
    ) -> Result<bool, AuthError> {
        if !R::Row::ends_with_reset(&core.config) {
            return Ok(false);
        }
        Ok(self.of(core, user).remove(&**user, client, |_| true).await? > 0)
    }

    async fn locked_down(&self, core: &Core, user: &User, visit: &LockDown) -> Result<bool, AuthError> {
        let is_of_visit = |row: &R::Row| visit.covers(row.created_at());
        Ok(self.of(core, user).remove(&**user, visit.by(), is_of_visit).await? > 0)
    }

    async fn account_closing(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        self.0.delete_all(&self.of(core, user).key).await.map(drop)
    }
}
