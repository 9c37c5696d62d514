//! Users in a table.

use axum_login::{AuthUser, AuthnBackend, UserId};
use serde::Deserialize;
use sqlx::PgPool;
use std::fmt;
use tokio::task::{self, JoinError};

#[derive(Clone, sqlx::FromRow)]
pub(crate) struct User {
    pub(crate) id: i64,
    pub(crate) email: String,
    password: String,
}

impl fmt::Debug for User {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("User").field("id", &self.id).finish_non_exhaustive()
    }
}

impl AuthUser for User {
    type Id = i64;

    fn id(&self) -> i64 {
        self.id
    }

    fn session_auth_hash(&self) -> &[u8] {
        self.password.as_bytes()
    }
}

#[derive(Clone, Deserialize)]
pub(crate) struct Credentials {
    email: String,
    password: String,
}

#[derive(Clone)]
pub(crate) struct Backend {
    pool: PgPool,
    bcrypt_cost: u32,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Bcrypt(#[from] bcrypt::BcryptError),
    #[error(transparent)]
    Task(#[from] JoinError),
}

impl Backend {
    pub(crate) async fn new(pool: PgPool, bcrypt_cost: u32) -> Result<Self, Error> {
        let table = "CREATE TABLE IF NOT EXISTS users \
            (id BIGSERIAL PRIMARY KEY, email TEXT NOT NULL UNIQUE, password TEXT NOT NULL)";
        sqlx::query(table).execute(&pool).await?;
        Ok(Self { pool, bcrypt_cost })
    }

    pub(crate) async fn register(&self, credentials: Credentials) -> Result<(), Error> {
        let (cost, password) = (self.bcrypt_cost, credentials.password);
        let hash = task::spawn_blocking(move || bcrypt::hash(password, cost)).await??;
        let insert = sqlx::query("INSERT INTO users (email, password) VALUES ($1, $2)");
        insert.bind(credentials.email).bind(hash).execute(&self.pool).await?;
        Ok(())
    }
}

impl AuthnBackend for Backend {
    type User = User;
    type Credentials = Credentials;
    type Error = Error;

    async fn authenticate(&self, credentials: Credentials) -> Result<Option<User>, Error> {
        let select = sqlx::query_as("SELECT id, email, password FROM users WHERE email = $1");
        let user: Option<User> = select.bind(credentials.email).fetch_optional(&self.pool).await?;
        let verified = task::spawn_blocking(move || {
            let verify = |user: User| {
                bcrypt::verify(credentials.password, &user.password).map(|valid| valid.then_some(user))
            };
            user.map_or(Ok(None), verify)
        });
        Ok(verified.await??)
    }

    async fn get_user(&self, id: &UserId<Self>) -> Result<Option<User>, Error> {
        let select = sqlx::query_as("SELECT id, email, password FROM users WHERE id = $1");
        Ok(select.bind(id).fetch_optional(&self.pool).await?)
    }
}
