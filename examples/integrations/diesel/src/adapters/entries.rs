//! The store for data with a short lifetime: attempt counters, used codes.

use crate::database::{Database, failure, milliseconds};
use crate::schema::entries;
use axum_auth_module::clock::Clock;
use axum_auth_module::store::{EphemeralStore, SharedStore, Slot, Window};
use axum_auth_module::{BoxError, async_trait};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Text};
use diesel::upsert::excluded;
use diesel_async::RunQueryDsl;
use std::sync::Arc;
use std::time::Duration;

/// Sets a value where there is none or where the previous one has ended. diesel's query builder has no `WHERE` for `DO UPDATE`.
const CLAIM: &str = "\
INSERT INTO entries AS stored (key, value, ends_at) VALUES ($1, $2, $3)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, count = 0, ends_at = excluded.ends_at
WHERE stored.ends_at <= $4";

/// Counts one attempt. A window that has ended starts again; a full one changes nothing, and the statement then returns no row.
const COUNT: &str = "\
INSERT INTO entries AS stored (key, count, ends_at) SELECT $1, 1, $2 WHERE $4 > 0
ON CONFLICT (key) DO UPDATE SET
    value = NULL,
    count = CASE WHEN stored.ends_at <= $3 THEN 1 ELSE stored.count + 1 END,
    ends_at = CASE WHEN stored.ends_at <= $3 THEN excluded.ends_at ELSE stored.ends_at END
WHERE stored.ends_at <= $3 OR stored.count < $4
RETURNING ends_at";

/// Deletes some of the entries that have ended, as for sessions.
const DELETE_EXPIRED: &str = "\
DELETE FROM entries WHERE key = ANY (ARRAY(
    SELECT key FROM entries WHERE ends_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
))";

/// What [`COUNT`] returns: the end of the window.
#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    ends_at: i64,
}

/// The entries in the table `entries`. An entry ends by the clock of the instance that reads it, so the clocks of several instances must
/// agree.
#[derive(Clone)]
pub(crate) struct Entries {
    database: Database,
    clock: Arc<dyn Clock>,
}

impl Entries {
    pub(crate) fn new(database: &Database, clock: impl Clock) -> Self {
        Self { database: database.clone(), clock: Arc::new(clock) }
    }

    fn now(&self) -> i64 {
        milliseconds(self.clock.now())
    }

    /// The end of a lifetime that starts now. One that no clock reaches does not end.
    fn end_of(&self, ttl: Duration) -> i64 {
        self.clock.now().checked_add(ttl).map_or(i64::MAX, milliseconds)
    }
}

/// Every instance has the same table, and each operation is one statement.
impl SharedStore for Entries {}

#[async_trait]
impl EphemeralStore for Entries {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        let value = entries::table.find(key).filter(entries::ends_at.gt(self.now())).select(entries::value);
        let row: Option<Option<Vec<u8>>> =
            value.first(&mut self.database.connection().await?).await.optional().map_err(failure)?;
        Ok(row.flatten())
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        let row = (entries::key.eq(key), entries::value.eq(value), entries::ends_at.eq(self.end_of(ttl)));
        let insert = diesel::insert_into(entries::table).values(row);
        let replace = insert.on_conflict(entries::key).do_update().set((
            entries::value.eq(excluded(entries::value)),
            entries::count.eq(0),
            entries::ends_at.eq(excluded(entries::ends_at)),
        ));
        replace.execute(&mut self.database.connection().await?).await.map_err(failure)?;
        Ok(())
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        let (now, ends_at) = (self.now(), self.end_of(ttl));
        let connection = &mut self.database.connection().await?;
        let written = match expected {
            None => {
                let claim = diesel::sql_query(CLAIM).bind::<Text, _>(key).bind::<Binary, _>(value);
                claim.bind::<BigInt, _>(ends_at).bind::<BigInt, _>(now).execute(connection).await
            }
            Some(expected) => {
                let live = entries::table.find(key).filter(entries::ends_at.gt(now));
                let update = diesel::update(live.filter(entries::value.eq(expected)))
                    .set((entries::value.eq(value), entries::ends_at.eq(ends_at)));
                update.execute(connection).await
            }
        };
        Ok(written.map_err(failure)? == 1)
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        let delete = diesel::delete(entries::table.find(key));
        delete.execute(&mut self.database.connection().await?).await.map_err(failure)?;
        Ok(())
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        let (now, ends_at) = (self.now(), self.end_of(window));
        let connection = &mut self.database.connection().await?;
        let count = diesel::sql_query(COUNT).bind::<Text, _>(key).bind::<BigInt, _>(ends_at);
        let count = count.bind::<BigInt, _>(now).bind::<BigInt, _>(i64::from(limit));
        let counted: Option<Counted> = count.get_result(connection).await.optional().map_err(failure)?;
        if let Some(Counted { ends_at }) = counted {
            return Ok(Slot::Taken { window: Window::new(u64::try_from(ends_at)?) });
        }
        let full = entries::table.find(key).select(entries::ends_at);
        let full: Option<i64> = full.first(connection).await.optional().map_err(failure)?;
        // The row can have been deleted meanwhile. A client that must wait is told to wait for some time.
        let rest = full.unwrap_or(ends_at).saturating_sub(now).max(1);
        Ok(Slot::Full { retry_after: Duration::from_millis(rest.try_into()?) })
    }

    /// The end of a window is its number: the next window of the key ends later.
    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        // A larger number is not a window of this store.
        let Ok(ends_at) = i64::try_from(window.get()) else { return Ok(()) };
        let counted = entries::table.find(key).filter(entries::count.gt(0));
        let current = counted.filter(entries::ends_at.eq(ends_at)).filter(entries::ends_at.gt(self.now()));
        let update = diesel::update(current).set(entries::count.eq(entries::count - 1));
        update.execute(&mut self.database.connection().await?).await.map_err(failure)?;
        Ok(())
    }

    async fn delete_expired(&self, at_most: u32) -> Result<u64, BoxError> {
        let delete = diesel::sql_query(DELETE_EXPIRED).bind::<BigInt, _>(self.now());
        let delete = delete.bind::<BigInt, _>(i64::from(at_most));
        let deleted = delete.execute(&mut self.database.connection().await?).await.map_err(failure)?;
        Ok(u64::try_from(deleted)?)
    }
}
