//! A host whose action writes the user and the row in one transaction.

use super::{Host, database, on_each_database};
use crate::support::databases::{Kind, connect, run};
use crate::support::{Account, EMAIL, registration};
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::assurance::Method;
use axum_auth_module::async_trait;
use axum_auth_module::events::{EventKind, EventName};
use axum_auth_module::sql::SqlAuditLog;
use sqlx::{MySqlPool, PgPool, SqlitePool};

on_each_database![
    a_user_and_its_row_are_written_together,
    a_refused_user_has_no_row,
    without_the_row_there_is_no_user,
];

/// The action, with the host's own pool.
struct CreateAccount {
    pool: Pool,
    audit: SqlAuditLog,
}

enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
    MySql(MySqlPool),
}

impl From<SqlitePool> for Pool {
    fn from(pool: SqlitePool) -> Self {
        Self::Sqlite(pool)
    }
}

impl From<PgPool> for Pool {
    fn from(pool: PgPool) -> Self {
        Self::Postgres(pool)
    }
}

impl From<MySqlPool> for Pool {
    fn from(pool: MySqlPool) -> Self {
        Self::MySql(pool)
    }
}

/// The same code for each database, which has another type each time. A host has one of them.
macro_rules! create {
    ($self:ident, $pool:ident, $insert:literal, $data:ident, $hash:ident, $context:ident) => {{
        let mut transaction = $pool.begin().await?;
        sqlx::query($insert)
            .bind($data.name.as_str())
            .bind($data.email.as_str())
            .bind($hash.as_str())
            .execute(&mut *transaction)
            .await
            .map_err(refused)?;
        let read = "SELECT * FROM users WHERE id = (SELECT max(id) FROM users)";
        let account: Account = sqlx::query_as(read).fetch_one(&mut *transaction).await?;
        let event = $context.event(EventKind::Registered { methods: Method::Password.into() }, &account.id);
        $self.audit.write_in(&mut *transaction, &event).await?;
        transaction.commit().await?;
        Ok(account)
    }};
}

fn refused(error: sqlx::Error) -> ActionError {
    match error.as_database_error() {
        Some(cause) if cause.is_unique_violation() => ActionError::EmailTaken,
        _ => error.into(),
    }
}

#[async_trait]
impl CreatesNewUsers<Account> for CreateAccount {
    async fn create(
        &self,
        data: RegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        let hash = context.passwords().hash(&data.password).await?;
        match &self.pool {
            Pool::Sqlite(pool) => {
                create!(
                    self,
                    pool,
                    "INSERT INTO users (name, email, password) VALUES (?, ?, ?)",
                    data,
                    hash,
                    context
                )
            }
            Pool::Postgres(pool) => {
                create!(
                    self,
                    pool,
                    "INSERT INTO users (name, email, password) VALUES ($1, $2, $3)",
                    data,
                    hash,
                    context
                )
            }
            Pool::MySql(pool) => {
                create!(
                    self,
                    pool,
                    "INSERT INTO users (name, email, password) VALUES (?, ?, ?)",
                    data,
                    hash,
                    context
                )
            }
        }
    }
}

/// A host with the action, and the address of its database.
async fn host(kind: Kind) -> Option<(Host, String)> {
    let (database, place) = database(kind).await?;
    let audit = SqlAuditLog::new(&database).written_by_host(&[EventName::Registered]);
    let url = place.url();
    let create = CreateAccount { pool: connect(kind, &url, 2).await, audit: audit.clone() };
    Some((Host::on(database, place, audit, |module| module.registration(create)).await, url))
}

async fn a_user_and_its_row_are_written_together(kind: Kind) {
    let Some((host, _url)) = host(kind).await else { return };
    host.app.register(EMAIL).await;
    host.app.login(EMAIL).await;
    // Once, although the module emits it, too.
    assert_eq!(host.names().await, ["auth.registered", "auth.login"]);
    let registered = host.entries().await.pop().unwrap();
    assert_eq!(registered.user_id.as_deref(), Some("1"));
    assert_eq!(registered.client, Some("192.0.2.1".parse().unwrap()));
}

async fn a_refused_user_has_no_row(kind: Kind) {
    let Some((host, _url)) = host(kind).await else { return };
    host.app.register(EMAIL).await;
    host.app.post("/auth/register").json(&registration(EMAIL)).await.refused(409, "email_taken");
    assert_eq!(host.count(EventName::Registered).await, 1);
}

async fn without_the_row_there_is_no_user(kind: Kind) {
    let Some((host, url)) = host(kind).await else { return };
    run(kind, &url, "ALTER TABLE auth_audit RENAME TO elsewhere").await.unwrap();
    host.app.post("/auth/register").json(&registration(EMAIL)).await.refused(500, "internal_error");
    run(kind, &url, "ALTER TABLE elsewhere RENAME TO auth_audit").await.unwrap();
    assert_eq!(host.count(EventName::Registered).await, 0);
    host.app.register(EMAIL).await;
    assert_eq!(host.count(EventName::Registered).await, 1);
}
