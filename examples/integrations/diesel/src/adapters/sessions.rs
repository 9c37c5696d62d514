//! The sessions.

use crate::database::{Database, failure, from_milliseconds, milliseconds};
use crate::schema::sessions;
use axum_auth_module::async_trait;
use axum_auth_module::repository::{
    LastUse, RepositoryError, SessionKind, SessionOwner, SessionRecord, SessionRepository, SessionState,
    SharedSessions,
};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_async::RunQueryDsl;
use std::time::SystemTime;

/// Deletes some of the sessions that have ended. Each row is locked before it is deleted, and its time is read again then: a session that
/// another instance prolongs at this moment stays. Rows that others have locked are left to them.
const DELETE_EXPIRED: &str = "\
DELETE FROM sessions WHERE id = ANY (ARRAY(
    SELECT id FROM sessions WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
))";

/// A row of the table `sessions`.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = sessions, check_for_backend(Pg))]
struct Row {
    id: String,
    user_id: String,
    kind: String,
    state: String,
    created_at: i64,
    last_used_at: i64,
    expires_at: i64,
    client: Option<String>,
    user_agent: Option<String>,
}

impl From<SessionRecord> for Row {
    fn from(session: SessionRecord) -> Self {
        Self {
            id: session.id,
            user_id: session.user_id,
            kind: session.kind.as_str().to_owned(),
            state: session.state.as_str().to_owned(),
            created_at: milliseconds(session.created_at),
            last_used_at: milliseconds(session.last_used_at),
            expires_at: milliseconds(session.expires_at),
            client: session.client,
            user_agent: session.user_agent,
        }
    }
}

impl Row {
    /// `None` if a later version of the library, which runs beside this one, has stored a kind that this one does not know.
    fn into_record(self) -> Option<SessionRecord> {
        let kind = SessionKind::parse(&self.kind)?;
        let [created_at, expires_at] = [self.created_at, self.expires_at].map(from_milliseconds);
        let mut record = SessionRecord::new(self.id, self.user_id, kind, self.state, created_at, expires_at);
        record.last_used_at = from_milliseconds(self.last_used_at);
        record.client = self.client;
        record.user_agent = self.user_agent;
        Some(record)
    }
}

/// The sessions in the table `sessions`.
#[derive(Clone)]
pub(crate) struct Sessions(Database);

impl Sessions {
    pub(crate) fn new(database: &Database) -> Self {
        Self(database.clone())
    }
}

/// Every instance has the same table, and each operation is one statement.
impl SharedSessions for Sessions {}

#[async_trait]
impl SessionRepository for Sessions {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        let insert = diesel::insert_into(sessions::table).values(Row::from(session));
        insert.execute(&mut self.0.connection().await?).await.map_err(failure)?;
        Ok(())
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        let session = sessions::table.find(id).select(Row::as_select());
        let row = session.first(&mut self.0.connection().await?).await.optional().map_err(failure)?;
        Ok(row.and_then(Row::into_record))
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        let of_user = sessions::table.filter(sessions::user_id.eq(user_id));
        let of_user = of_user.filter(sessions::kind.eq_any(names(kinds))).select(Row::as_select());
        let rows = of_user.load(&mut self.0.connection().await?).await.map_err(failure)?;
        Ok(rows.into_iter().filter_map(Row::into_record).collect())
    }

    /// The condition is in the `UPDATE`: of several calls that expect one state, one finds the row.
    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let expected = sessions::table.find(id).filter(sessions::state.eq(expected.as_str()));
        let update = diesel::update(expected)
            .set((sessions::state.eq(state.as_str()), sessions::expires_at.eq(milliseconds(expires_at))));
        Ok(update.execute(&mut self.0.connection().await?).await.map_err(failure)? == 1)
    }

    /// Writes no other column, so that a `swap` at the same time keeps its effect.
    async fn touch(&self, id: &str, seen: &LastUse) -> Result<(), RepositoryError> {
        let update = diesel::update(sessions::table.find(id)).set((
            sessions::last_used_at.eq(milliseconds(seen.last_used_at)),
            sessions::client.eq(seen.client.as_deref()),
            sessions::user_agent.eq(seen.user_agent.as_deref()),
        ));
        update.execute(&mut self.0.connection().await?).await.map_err(failure)?;
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        let delete = diesel::delete(sessions::table.find(id));
        Ok(delete.execute(&mut self.0.connection().await?).await.map_err(failure)? == 1)
    }

    async fn delete_all(
        &self,
        whose: SessionOwner<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        let mut delete =
            diesel::delete(sessions::table).filter(sessions::kind.eq_any(names(kinds))).into_boxed::<Pg>();
        delete = match whose {
            SessionOwner::User(user_id) => delete.filter(sessions::user_id.eq(user_id)),
            SessionOwner::Everybody => delete,
            // Deleting too much cannot be undone.
            _ => return Err(RepositoryError::other("an owner that this adapter does not know")),
        };
        if let Some(except) = except {
            delete = delete.filter(sessions::id.ne(except));
        }
        let deleted = delete.execute(&mut self.0.connection().await?).await.map_err(failure)?;
        Ok(u64::try_from(deleted)?)
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        let delete = diesel::sql_query(DELETE_EXPIRED).bind::<BigInt, _>(milliseconds(now));
        let delete = delete.bind::<BigInt, _>(i64::from(at_most));
        let deleted = delete.execute(&mut self.0.connection().await?).await.map_err(failure)?;
        Ok(u64::try_from(deleted)?)
    }
}

/// The kinds as the column has them. An empty list matches no row.
fn names(kinds: &[SessionKind]) -> Vec<&'static str> {
    kinds.iter().map(|kind| kind.as_str()).collect()
}
