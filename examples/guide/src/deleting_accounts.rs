//! `docs/guide/deleting-accounts.md`

use axum_auth_module::actions::DeleteRecord;
use axum_auth_module::mail::Mailer;
use axum_auth_module::sql::{SqlDeletions, SqlPasswordResets, SqlSessions, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, StandardActions, auth_module};
use sqlx::SqlitePool;

pub async fn module(
    config: AuthConfig,
    pool: SqlitePool,
    mailer: Mailer,
) -> Result<AuthModule<Account>, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    let users = SqlUsers::<Account>::new(pool.clone());
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, RESET_PASSWORDS, EMAIL_VERIFICATION, SESSIONS, DELETE_ACCOUNTS],
        user_repo: users.clone(),
        password_reset_repo: SqlPasswordResets::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        deletion_repo: SqlDeletions::new(pool),
        actions: {
            DeletesUsers: DeleteRecord::new(users),
            ..StandardActions
        },
        delivery: {
            PasswordReset: mailer.password_reset("https://example.com/reset#token={token}&email={email}")?,
            EmailVerification: mailer.email_verification(
                "https://example.com/verify#id={id}&hash={hash}&signature={signature}&expires={expires}",
            )?,
            AccountDeletion: mailer.account_deletion("https://example.com/restore#token={token}")?,
        },
    })
}

use axum_auth_module::actions::{ActionContext, ActionError, DeletesUsers};
use axum_auth_module::async_trait;

/// Keeps the orders, as the law wants it, without the person, and deletes everything else.
pub struct ForgetCustomer {
    pub pool: SqlitePool,
    pub users: SqlUsers<Account>,
}

#[async_trait]
impl DeletesUsers<Account> for ForgetCustomer {
    async fn delete(&self, user: &Account, _: &ActionContext<Account>) -> Result<(), ActionError> {
        let forget = "UPDATE orders SET customer_id = NULL, delivered_to = NULL WHERE customer_id = ?";
        sqlx::query(forget).bind(&user.id).execute(&self.pool).await?;
        self.users.delete(&user.id).await?;
        Ok(())
    }
}

use axum_auth_module::config::{AuthConfigBuilder, DeletionOptions};
use std::time::Duration;

pub fn a_week(config: AuthConfigBuilder) -> AuthConfigBuilder {
    let mut deletion = DeletionOptions::default();
    deletion.grace = Duration::from_secs(7 * 24 * 60 * 60);
    config.deletion(deletion)
}

pub async fn do_what_is_due(auth: AuthModule<Account>) {
    loop {
        tokio::time::sleep(auth.maintenance_interval()).await;
        if let Err(error) = auth.maintain().await {
            tracing::warn!(error = %error, "what is due could not be done");
        }
    }
}

use axum_auth_module::AuthError;

/// A user has asked by letter, and somebody has checked who has written it.
pub async fn by_letter(auth: &AuthModule<Account>, user_id: &String) -> Result<String, AuthError> {
    let copy = auth.admin().export(user_id).await?;
    auth.admin().schedule_deletion(user_id).await?;
    Ok(format!("{copy:#}"))
}

pub use crate::sign_in_by_mail::Account;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, log_in, register};
    use axum::Router;
    use axum::routing::get;
    use axum_auth_module::CurrentUser;
    use axum_auth_module::repository::UserRepository;
    use axum_auth_module::testing::{self, MovableClock};
    use axum_auth_module::user::NewUser;
    use serde_json::{Value, json};
    use std::env;

    const ADA: &str = "ada@example.com";

    #[tokio::test]
    async fn a_user_deletes_the_account_and_can_change_their_mind() {
        let outbox = env::temp_dir().join(format!("guide-deletions-{}", std::process::id()));
        let mailer = Mailer::files(&outbox, "Shop <no-reply@example.com>").build().unwrap();
        let (clock, pool) = (MovableClock::new(), database().await);
        let config = a_week(testing::config()).clock(clock.clone()).build().unwrap();
        let auth = module(config, pool, mailer).await.unwrap();
        let app = Router::new()
            .route("/me", get(async |CurrentUser(account): CurrentUser<Account>| account.id))
            .nest("/auth", auth.router())
            .with_state(auth.clone());
        let access = register(&app, "/auth/register", ADA, Value::Null).await;
        let (_, id) = call(&app, "GET", "/me", &access, Value::Null).await;
        let id = id.as_str().unwrap().to_owned();
        let password = json!({ "password": "correct horse" });
        assert_eq!(call(&app, "POST", "/auth/user/confirm-password", &access, password).await.0, 200);
        assert_eq!(call(&app, "DELETE", "/auth/user", &access, Value::Null).await.0, 202);
        let (status, refused) = log_in(&app, ADA, "correct horse").await;
        assert_eq!((status, &refused["code"]), (403, &json!("account_pending_deletion")));
        let restore = json!({ "restoreToken": refused["restoreToken"] });
        assert_eq!(call(&app, "POST", "/auth/user/restore", "", restore).await.0, 200);
        assert_eq!(log_in(&app, ADA, "correct horse").await.0, 200);
        let copy = by_letter(&auth, &id).await.unwrap();
        assert!(copy.contains(ADA), "{copy}");
        clock.advance(Duration::from_secs(7 * 86_400));
        auth.maintain().await.unwrap();
        assert_eq!(log_in(&app, ADA, "correct horse").await.0, 401);
    }

    #[tokio::test]
    async fn an_action_of_the_host_keeps_the_orders() {
        let pool = database().await;
        axum_auth_module::sql::migrate(&pool).await.unwrap();
        let orders = "CREATE TABLE orders (customer_id TEXT, delivered_to TEXT)";
        sqlx::query(orders).execute(&pool).await.unwrap();
        let users = SqlUsers::<Account>::new(pool.clone());
        let ada = users.create(NewUser::new("Ada", ADA, "")).await.unwrap();
        let order = sqlx::query("INSERT INTO orders VALUES (?, 'St James Square')").bind(&ada.id);
        order.execute(&pool).await.unwrap();
        let mut deletion = DeletionOptions::default();
        deletion.grace = Duration::ZERO;
        let config = testing::config().deletion(deletion).build().unwrap();
        let forget = ForgetCustomer { pool: pool.clone(), users: users.clone() };
        let auth = AuthModule::builder(config, users.clone())
            .delete_accounts(SqlDeletions::new(pool.clone()), forget, testing::Outbox::new())
            .build()
            .unwrap();
        auth.admin().schedule_deletion(&ada.id).await.unwrap();
        assert!(users.find_by_id(&ada.id).await.unwrap().is_none());
        let kept = "SELECT count(*) FROM orders WHERE customer_id IS NULL AND delivered_to IS NULL";
        assert_eq!(sqlx::query_scalar::<_, i64>(kept).fetch_one(&pool).await.unwrap(), 1);
    }
}
