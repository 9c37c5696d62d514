//! `docs/guide/invitations.md`

use axum_auth_module::delivery::{Delivers, InvitationMessage};
use axum_auth_module::sql::{SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, AuthUser, auth_module};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct Account {
    pub id: String,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<DateTime<Utc>>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub password_confirmed_at: Option<DateTime<Utc>>,
}

pub fn module(
    config: AuthConfig,
    pool: SqlitePool,
    mails: impl Delivers<InvitationMessage>,
) -> AuthModule<Account> {
    auth_module! {
        config: config,
        features: [INVITATIONS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        delivery: { Invitation: mails },
    }
}

use axum_auth_module::AuthError;
use axum_auth_module::repository::UserRepository;
use axum_auth_module::user::NewUser;
use axum_auth_module::values::EmailAddress;

/// Creates the account of a colleague, who chooses the password with the link in a mail.
pub async fn invite(
    auth: &AuthModule<Account>,
    users: &SqlUsers<Account>,
    name: &str,
    email: &str,
) -> Result<Account, AuthError> {
    let email = EmailAddress::parse(email)?;
    let account = users.create(NewUser::new(name, email.as_str(), "")).await?;
    auth.admin().invite(&account.id).await?;
    Ok(account)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, log_in};
    use axum::Router;
    use axum_auth_module::testing::{self, Outbox};
    use serde_json::json;

    #[tokio::test]
    async fn a_colleague_who_was_invited_chooses_a_password() {
        let pool = database().await;
        axum_auth_module::sql::migrate(&pool).await.unwrap();
        let (users, outbox) = (SqlUsers::<Account>::new(pool.clone()), Outbox::new());
        let auth = module(testing::config().build().unwrap(), pool, outbox.clone());
        let account = invite(&auth, &users, "Grace", "Grace@Example.com").await.unwrap();
        assert_eq!(account.email, "grace@example.com");
        let app = Router::new().nest("/auth", auth.router());
        let password = "correct horse";
        assert_eq!(log_in(&app, "grace@example.com", password).await.0, 401);
        let token = outbox.next_invitation("grace@example.com").await.token;
        let body = json!({ "token": token, "password": password, "passwordConfirmation": password });
        assert_eq!(call(&app, "POST", "/auth/invitation/accept", "", body.clone()).await.0, 200);
        assert_eq!(log_in(&app, "grace@example.com", password).await.0, 200);
        let (_, again) = call(&app, "POST", "/auth/invitation/accept", "", body).await;
        assert_eq!(again["code"], "invalid_mail_token");
        let taken = invite(&auth, &users, "Grace", "grace@example.com").await;
        assert!(matches!(taken, Err(AuthError::EmailTaken)));
        let refused = auth.admin().invite(&account.id).await;
        assert!(matches!(refused, Err(AuthError::NotAllowed { reason, .. }) if reason == "has_password"));
    }
}
