//! The audit log: a sink that writes events into a table (specification §22.7).

mod entry;
mod query;
pub(super) mod row;

pub use entry::AuditEntry;
pub use query::{AuditCursor, AuditPage, AuditQuery, InvalidAuditCursor};
pub(super) use row::TABLE;

use super::database::{Database, HostConnection, IntoDatabase, repository_error};
use super::identifier::{Identifier, InvalidIdentifier};
use super::statement::{Statement, milliseconds};
use crate::error::AuthError;
use crate::events::{Event, EventName, EventSink};
use crate::repository::RepositoryError;
use crate::telemetry::{cause, log};
use crate::user::UserId;
use async_trait::async_trait;
use row::NewRow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// How many rows a statement deletes at most: one for all of them could take longer than a statement may.
const PORTION: u32 = 1000;

/// How long after a deletion of old rows the next one is, in milliseconds.
const BETWEEN_DELETIONS: i64 = 10 * 60 * 1000;

/// How long to wait before each repetition of a write, in milliseconds, while the database cannot be reached: almost a minute.
const PAUSES: [u64; 7] = [100, 300, 1000, 3000, 10_000, 15_000, 30_000];

/// An [`EventSink`] that writes every event into a table of a database, from which it can be looked up by user and by kind
/// (specification §22.7).
///
/// ```
/// use axum_auth_module::events::EventName;
/// use axum_auth_module::sql::{AuditQuery, SqlAuditLog};
/// use std::time::Duration;
///
/// # use axum_auth_module::repository::RepositoryError;
/// # async fn example(pool: sqlx::SqlitePool) -> Result<(), RepositoryError> {
/// let audit = SqlAuditLog::new(pool).keep_for(Duration::from_secs(90 * 24 * 60 * 60));
/// // auth_module! { …, events: audit.clone() }
///
/// let of_ada = AuditQuery::new().user(&7_i64).kind(EventName::LoginFailed);
/// let mut page = audit.find(&of_ada).await?;
/// while let Some(cursor) = page.next {
///     for entry in &page.entries {
///         println!("{:?} {} {:?}", entry.at, entry.event, entry.client);
///     }
///     page = audit.find(&of_ada.after(cursor)).await?;
/// }
/// # Ok(()) }
/// ```
///
/// [`migrate`](super::migrate) creates the table `auth_audit`. A row has the time, the event's name, the id of the user, who has
/// caused the event, the session, the client's address, and the other facts of the event as JSON. It has no secret, and no
/// `User-Agent`: [`SqlSessions`](super::SqlSessions) has that while the session exists. Clones share the pool.
///
/// # What can get lost
///
/// By default no response waits for the table: a row is written after the response, in order, from the queue of the module,
/// which has 1024 places. If the database cannot be reached, the write is repeated for almost a minute, while the queue
/// fills; then the event is lost, and each that follows it is tried once, until one succeeds. Every loss is in the log and in
/// [`lost`](Self::lost); what did not fit into the queue is in [`AuthModule::dropped_events`](crate::AuthModule::dropped_events).
/// A process that is killed loses what is in its queue; one that shuts down waits for
/// [`AuthModule::background_work_finished`](crate::AuthModule::background_work_finished).
///
/// With [`awaited`](Self::awaited), a response waits for its rows. With [`write_in`](Self::write_in), an action writes the row
/// in the transaction that changes the user.
///
/// # Personal data
///
/// The id of a user and the address of a client are personal data. [`keep_for`](Self::keep_for) deletes old rows,
/// [`delete_user`](Self::delete_user) those of one user. Two modules whose users have the same ids need two tables.
#[derive(Clone)]
pub struct SqlAuditLog {
    database: Database,
    table: Identifier,
    keep_for: Option<Duration>,
    longest_wait: Option<Duration>,
    written_by_host: Vec<EventName>,
    state: Arc<State>,
}

/// What clones of a log share.
#[derive(Default)]
struct State {
    /// How many events could not be written.
    lost: AtomicU64,
    /// Whether the last write has failed.
    is_down: AtomicBool,
    /// When old rows are deleted again, in milliseconds since 1970.
    next_deletion: AtomicI64,
}

impl SqlAuditLog {
    /// A log in the table `auth_audit` of this database: a `SqlitePool`, `PgPool` or `MySqlPool`. It keeps all rows, and no
    /// response waits for it.
    #[must_use]
    pub fn new(database: impl IntoDatabase) -> Self {
        Self {
            database: database.into_database(),
            table: Identifier::from_source("auth_audit"),
            keep_for: None,
            longest_wait: None,
            written_by_host: Vec::new(),
            state: Arc::default(),
        }
    }

    /// Uses another table than `auth_audit`, with the same columns.
    ///
    /// # Errors
    /// If the name does not begin with an ASCII letter or `_`, or has other characters than ASCII letters, digits and
    /// `_`.
    pub fn table(mut self, name: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        self.table = Identifier::new(name)?;
        Ok(self)
    }

    /// Deletes rows that are older than this: about every ten minutes while events are written, at most 1000 after each
    /// event. Their age is counted by the module's clock. A host without events for a long time calls
    /// [`delete_before`](Self::delete_before) from a task of its own.
    #[must_use]
    pub const fn keep_for(mut self, age: Duration) -> Self {
        self.keep_for = Some(age);
        self
    }

    /// Has responses wait until their rows are written, each at most this long, and at most a quarter of `request_timeout`. If that takes longer, the response is sent
    /// nevertheless, because what the event reports has already happened; this is logged, and the row is still written later.
    #[must_use]
    pub const fn awaited(mut self, longest: Duration) -> Self {
        self.longest_wait = Some(longest);
        self
    }

    /// Leaves these events to the host, whose actions write them with [`write_in`](Self::write_in). They would be in the log
    /// twice otherwise.
    #[must_use]
    pub fn written_by_host(mut self, events: &[EventName]) -> Self {
        self.written_by_host = events.to_vec();
        self
    }

    /// How many events could not be written so far, since this log was made.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.state.lost.load(Ordering::Relaxed)
    }

    /// Writes an event on a connection of the host's, for example in a transaction: the row is there if and only if the
    /// transaction is committed.
    ///
    /// An action gets the event from [`ActionContext::event`](crate::actions::ActionContext::event):
    ///
    /// ```
    /// use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
    /// use axum_auth_module::assurance::Method;
    /// use axum_auth_module::events::{EventKind, EventName};
    /// use axum_auth_module::sql::SqlAuditLog;
    /// use axum_auth_module::{AuthUser, async_trait};
    /// use chrono::{DateTime, Utc};
    /// use sqlx::SqlitePool;
    ///
    /// #[derive(Clone, AuthUser, sqlx::FromRow)]
    /// struct Account {
    ///     id: String,
    ///     name: String,
    ///     email: String,
    ///     password: String,
    ///     email_verified_at: Option<DateTime<Utc>>,
    ///     two_factor_secret: Option<String>,
    ///     two_factor_recovery_codes: Option<String>,
    ///     two_factor_confirmed_at: Option<DateTime<Utc>>,
    ///     password_confirmed_at: Option<DateTime<Utc>>,
    /// }
    ///
    /// struct CreateAccount { pool: SqlitePool, audit: SqlAuditLog }
    ///
    /// #[async_trait]
    /// impl CreatesNewUsers<Account> for CreateAccount {
    ///     async fn create(
    ///         &self,
    ///         data: RegistrationData,
    ///         context: &ActionContext<Account>,
    ///     ) -> Result<Account, ActionError> {
    ///         // Before the transaction: a hash takes a while.
    ///         let hash = context.passwords().hash(&data.password).await?;
    ///         let mut transaction = self.pool.begin().await?;
    ///         let insert = "INSERT INTO users (name, email, password) VALUES (?, ?, ?) RETURNING *";
    ///         let account: Account = sqlx::query_as(insert)
    ///             .bind(data.name.as_str())
    ///             .bind(data.email.as_str())
    ///             .bind(hash.as_str())
    ///             .fetch_one(&mut *transaction)
    ///             .await
    ///             .map_err(|error| match error.as_database_error() {
    ///                 Some(cause) if cause.is_unique_violation() => ActionError::EmailTaken,
    ///                 _ => error.into(),
    ///             })?;
    ///         let registered = EventKind::Registered { methods: Method::Password.into() };
    ///         let event = context.event(registered, &account.id);
    ///         self.audit.write_in(&mut *transaction, &event).await?;
    ///         transaction.commit().await?;
    ///         Ok(account)
    ///     }
    /// }
    ///
    /// fn create_account(pool: SqlitePool) -> (CreateAccount, SqlAuditLog) {
    ///     let audit = SqlAuditLog::new(&pool).written_by_host(&[EventName::Registered]);
    ///     // auth_module! { …, actions: { CreatesNewUsers: create, ..StandardActions }, events: audit }
    ///     (CreateAccount { pool, audit: audit.clone() }, audit)
    /// }
    /// ```
    ///
    /// The module still emits the event after the action has returned: other sinks receive it.
    ///
    /// # Errors
    /// If the database fails. The caller must not commit then.
    pub async fn write_in<C: HostConnection>(
        &self,
        connection: &mut C,
        event: &Event,
    ) -> Result<(), RepositoryError> {
        let insert = NewRow::new(event)?.insert(&self.table, C::DIALECT);
        connection.run(insert).await.map(drop).map_err(repository_error)
    }

    /// The rows of a query, newest first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn find(&self, query: &AuditQuery) -> Result<AuditPage, RepositoryError> {
        let select = query.select(&self.table, self.database.dialect());
        let rows = self.database.fetch(select).await.map_err(repository_error)?;
        query.page(&rows)
    }

    /// Deletes all rows that are older than this time, a thousand at a time, and returns their number.
    ///
    /// # Errors
    /// If the database fails. What was deleted until then stays deleted.
    pub async fn delete_before(&self, time: SystemTime) -> Result<u64, RepositoryError> {
        self.delete_all("id < ?", &row::first_id_at(milliseconds(time))).await
    }

    /// Deletes all rows of a user, a thousand at a time, and returns their number: for a host that deletes the account and has
    /// no reason to keep them. Call it after [`AuthModule::close_account`](crate::AuthModule::close_account). Failed logins with
    /// an address that belongs to nobody have no user, but the client's address.
    ///
    /// # Errors
    /// If the database fails. What was deleted until then stays deleted.
    pub async fn delete_user<I: UserId>(&self, id: &I) -> Result<u64, RepositoryError> {
        self.delete_all("user_id = ?", &id.to_text()).await
    }

    async fn delete_all(&self, condition: &str, value: &str) -> Result<u64, RepositoryError> {
        let mut all = 0;
        loop {
            let deleted = self.delete_portion(condition, value).await?;
            all += deleted;
            if deleted < u64::from(PORTION) {
                return Ok(all);
            }
        }
    }

    async fn delete_portion(&self, condition: &str, value: &str) -> Result<u64, RepositoryError> {
        let condition = Statement::new(condition).with(value);
        let delete = self.database.dialect().delete_some(&self.table, "id", condition, PORTION);
        self.database.execute(delete).await.map_err(repository_error)
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EventSink for SqlAuditLog {
    async fn handle(&self, event: Event) {
        if self.written_by_host.contains(&event.kind.event_name()) {
            return;
        }
        if let Err(error) = self.write(&event).await {
            self.state.lost.fetch_add(1, Ordering::Relaxed);
            log::event_lost(event.name(), cause(AuthError::from(error).cause()));
        }
        self.delete_old(event.at).await;
    }

    fn longest_wait(&self) -> Option<Duration> {
        self.longest_wait
    }
}

impl SqlAuditLog {
    /// Writes an event, again if the database cannot be reached. Whether an attempt has written the row although it failed
    /// makes no difference: the row has the same id each time.
    async fn write(&self, event: &Event) -> Result<(), RepositoryError> {
        let row = NewRow::new(event)?;
        let was_down = self.state.is_down.load(Ordering::Relaxed);
        let mut pauses = PAUSES.iter().take(if was_down { 0 } else { PAUSES.len() });
        loop {
            let insert = row.insert(&self.table, self.database.dialect());
            let written = self.database.execute(insert).await.map(drop).map_err(repository_error);
            let is_down = matches!(written, Err(RepositoryError::Unavailable(_)));
            let Some(pause) = pauses.next().filter(|_| is_down) else {
                self.state.is_down.store(is_down, Ordering::Relaxed);
                return written;
            };
            tokio::time::sleep(Duration::from_millis(*pause)).await;
        }
    }

    /// Deletes a portion of what is too old, if it is time for that.
    async fn delete_old(&self, now: SystemTime) {
        let Some(oldest) = self.keep_for.and_then(|age| now.checked_sub(age)) else { return };
        let next = &self.state.next_deletion;
        if milliseconds(now) < next.load(Ordering::Relaxed) || self.state.is_down.load(Ordering::Relaxed) {
            return;
        }
        match self.delete_portion("id < ?", &row::first_id_at(milliseconds(oldest))).await {
            // There may be more: the next event goes on.
            Ok(deleted) if deleted == u64::from(PORTION) => return,
            Ok(_) => {}
            Err(error) => log::audit_rows_not_deleted(cause(AuthError::from(error).cause())),
        }
        next.store(milliseconds(now).saturating_add(BETWEEN_DELETIONS), Ordering::Relaxed);
    }
}
