//! A custom user record: other field names, an integer id, times of the `time` crate, a flag that suspends
//! accounts, and more fields, which the host's `CreatesNewUsers` fills. It is stored in the host's own table.
//!
//! To run it, set `DATABASE_URL` (`sqlite://members.db?mode=rwc`), `AUTH_JWT_SECRET`, `AUTH_REFRESH_SECRET` and
//! `AUTH_ENCRYPTION_KEY`.

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::error::FieldErrors;
use axum_auth_module::sql::SqlUsers;
use axum_auth_module::user::NewUser;
use axum_auth_module::{AuthConfig, AuthModule, AuthUser, BoxError, CurrentUser, async_trait, auth_module};
use sqlx::SqlitePool;
use std::env;
use std::net::SocketAddr;
use time::OffsetDateTime;
use tokio::net::TcpListener;

/// The derive finds five fields by their names and the others by attributes. Only the host uses the last three.
#[derive(Clone, AuthUser, sqlx::FromRow)]
struct Member {
    #[auth(id)]
    number: i64,
    #[auth(name)]
    full_name: String,
    email: String,
    #[auth(password)]
    password_hash: String,
    email_verified_at: Option<OffsetDateTime>,
    #[auth(two_factor_secret)]
    totp_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<OffsetDateTime>,
    password_confirmed_at: Option<OffsetDateTime>,
    #[auth(is_active)]
    may_enter: bool,
    plan: String,
    newsletter: bool,
}

/// Columns have the names of the fields. With `AUTOINCREMENT` an id is never used twice.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS members (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    full_name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    email_verified_at TEXT,
    totp_secret TEXT,
    two_factor_recovery_codes TEXT,
    two_factor_confirmed_at TEXT,
    password_confirmed_at TEXT,
    may_enter INTEGER NOT NULL DEFAULT TRUE,
    plan TEXT NOT NULL,
    newsletter INTEGER NOT NULL
) STRICT";

/// Registers members with a fixed plan, and with a newsletter if they request it.
struct CreateMember {
    plan: &'static str,
}

#[async_trait]
impl CreatesNewUsers<Member> for CreateMember {
    /// The extra fields of a request. Only these reach `create`.
    fn extra_fields(&self) -> &[&'static str] {
        &["newsletter"]
    }

    async fn create(
        &self,
        data: RegistrationData,
        context: &ActionContext<Member>,
    ) -> Result<Member, ActionError> {
        let newsletter = match data.extra.get("newsletter") {
            None => false,
            Some(wish) => wish.as_bool().ok_or_else(|| {
                FieldErrors::one("newsletter", "wrong_type", "The newsletter is true or false.")
            })?,
        };
        let hash = context.passwords().hash(&data.password).await?;
        let member = NewUser::new(data.name.as_str(), data.email.as_str(), hash)
            .with_extra("plan", self.plan)
            .with_extra("newsletter", newsletter);
        Ok(context.users().create(member).await?)
    }
}

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Member>,
}

async fn me(CurrentUser(member): CurrentUser<Member>) -> String {
    let Member { number, full_name, plan, newsletter, .. } = member;
    format!("{full_name} is member {number}, plan {plan}, newsletter {newsletter}")
}

async fn app(config: AuthConfig, pool: SqlitePool) -> Result<Router, BoxError> {
    sqlx::query(TABLE).execute(&pool).await?;
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION],
        user_repo: SqlUsers::<Member>::new(pool).table("members")?,
        actions: { CreatesNewUsers: CreateMember { plan: "free" } },
    };
    Ok(Router::new().route("/me", get(me)).nest("/auth", auth.router()).with_state(App { auth }))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let pool = SqlitePool::connect(&env::var("DATABASE_URL")?).await?;
    let app = app(AuthConfig::from_env()?, pool).await?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
