//! A pool of sqlx 0.8 has the names of the one that the library uses, and is another type.

use axum_auth_module::AuthUser;
use axum_auth_module::sql::{self, SqlSessions, SqlUsers};
use chrono::{DateTime, Utc};
use sqlx08::PgPool;

/// What the other version calls its types.
mod sqlx08 {
    use std::marker::PhantomData;

    pub struct Postgres;

    pub struct Pool<DB>(pub PhantomData<DB>);

    impl<DB> Clone for Pool<DB> {
        fn clone(&self) -> Self {
            Self(PhantomData)
        }
    }

    pub type PgPool = Pool<Postgres>;
}

#[derive(Clone, AuthUser)]
struct Account {
    id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
}

async fn start(pool: PgPool) {
    let created: Result<(), sql::MigrateError> = sql::migrate(&pool).await;
    let users = SqlUsers::<Account>::new(pool.clone());
    let sessions = SqlSessions::new(pool);
    drop((created, users, sessions));
}

fn main() {
    let _ = start(sqlx08::Pool(std::marker::PhantomData));
    let _ = sqlx08::Postgres;
}
