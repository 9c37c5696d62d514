//! `docs/guide/changes-of-the-address.md`

use axum_auth_module::mail::Mailer;
use axum_auth_module::sql::{SqlPasswordResets, SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, StandardActions, auth_module};
use sqlx::SqlitePool;

pub async fn module(
    config: AuthConfig,
    pool: SqlitePool,
    mailer: Mailer,
) -> Result<AuthModule<Account>, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    Ok(auth_module! {
        config: config,
        features: [
            REGISTRATION,
            RESET_PASSWORDS,
            EMAIL_VERIFICATION,
            SESSIONS,
            TWO_FACTOR_AUTHENTICATION,
            CHANGE_EMAILS,
            SECURITY_NOTICES,
        ],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        password_reset_repo: SqlPasswordResets::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: StandardActions,
        delivery: {
            PasswordReset: mailer.password_reset("https://example.com/reset#token={token}&email={email}")?,
            EmailVerification: mailer.email_verification(
                "https://example.com/verify#id={id}&hash={hash}&signature={signature}&expires={expires}",
            )?,
            EmailChange: mailer.email_change("https://example.com/{page}#token={token}")?,
            SecurityNotice: mailer.security_notice("https://example.com/secure#token={token}")?,
        },
    })
}

use axum_auth_module::AuthError;
use axum_auth_module::values::EmailAddress;

/// A user has reported a theft. Your code has checked who the caller is, and that the report comes from the owner.
pub async fn give_back(
    auth: &AuthModule<Account>,
    user_id: &String,
    address_of_the_owner: &str,
) -> Result<(), AuthError> {
    let address = EmailAddress::parse(address_of_the_owner)?;
    auth.admin().change_email(user_id, &address).await?;
    auth.admin().lock_down(user_id).await
}

use axum_auth_module::config::EmailChangeOptions;
use std::time::Duration;

pub fn two_weeks(config: AuthConfigBuilder) -> AuthConfigBuilder {
    let mut email_change = EmailChangeOptions::default();
    email_change.revert_lifetime = Duration::from_secs(14 * 24 * 60 * 60);
    config.email_change(email_change)
}

use axum_auth_module::config::{AuthConfigBuilder, NoticeOptions};
use axum_auth_module::delivery::SecurityNoticeKind;

pub fn without_sign_ins(config: AuthConfigBuilder) -> AuthConfigBuilder {
    config.notices(NoticeOptions::default().without(SecurityNoticeKind::NewSignIn))
}

pub use crate::sign_in_by_mail::Account;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, log_in, register};
    use axum::Router;
    use axum::routing::get;
    use axum_auth_module::CurrentUser;
    use axum_auth_module::testing;
    use serde_json::{Value, json};
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    const ADA: &str = "ada@example.com";

    fn outbox(name: &str) -> PathBuf {
        env::temp_dir().join(format!("guide-{name}-{}", std::process::id()))
    }

    /// The values behind `#` of the link in the only mail, which is removed.
    async fn link(auth: &AuthModule<Account>, outbox: &Path) -> (String, String) {
        auth.background_work_finished().await;
        let mut mails: Vec<_> = fs::read_dir(outbox).unwrap().map(|mail| mail.unwrap().path()).collect();
        assert_eq!(mails.len(), 1);
        let path = mails.remove(0);
        let text = fs::read_to_string(&path).unwrap().replace("=\r\n", "").replace("=3D", "=");
        fs::remove_file(path).unwrap();
        let (_, rest) = text.split_once("https://example.com/").unwrap();
        let (page, rest) = rest.split_once('#').unwrap();
        let values: String = rest.chars().take_while(|c| !c.is_whitespace()).collect();
        (page.to_owned(), values)
    }

    #[tokio::test]
    async fn the_previous_address_takes_the_account_back() {
        let outbox = outbox("changes-of-the-address");
        let mailer = Mailer::files(&outbox, "Shop <no-reply@example.com>").build().unwrap();
        let auth = module(testing::config().build().unwrap(), database().await, mailer).await.unwrap();
        let app = Router::new()
            .route("/me", get(async |CurrentUser(account): CurrentUser<Account>| account.id))
            .nest("/auth", auth.router())
            .with_state(auth.clone());
        let access = register(&app, "/auth/register", ADA, Value::Null).await;
        let password = json!({ "password": "correct horse" });
        assert_eq!(call(&app, "POST", "/auth/user/confirm-password", &access, password).await.0, 200);
        let (_, id) = call(&app, "GET", "/me", &access, Value::Null).await;
        let id = id.as_str().unwrap().to_owned();
        auth.admin().verify_email(&id).await.unwrap();
        let asked = json!({ "email": "thief@example.com" });
        assert_eq!(call(&app, "POST", "/auth/user/email-change", &access, asked).await.0, 200);
        let (page, values) = link(&auth, &outbox).await;
        assert_eq!(page, "email-change");
        let token = json!({ "token": values.strip_prefix("token=").unwrap() });
        let confirmed = call(&app, "POST", "/auth/user/email-change/confirm", &access, token).await;
        assert_eq!(confirmed.0, 200, "{confirmed:?}");
        let (page, values) = link(&auth, &outbox).await;
        assert_eq!(page, "revert");
        let token = json!({ "token": values.strip_prefix("token=").unwrap() });
        assert_eq!(call(&app, "POST", "/auth/email/revert", "", token).await.0, 200);
        for email in [ADA, "thief@example.com"] {
            assert_eq!(log_in(&app, email, "correct horse").await.0, 401);
        }
        // The owner calls the people of the shop, who do it once more with another address.
        give_back(&auth, &id, "lovelace@example.com").await.unwrap();
        fs::remove_dir_all(&outbox).unwrap();
    }

    #[test]
    fn two_weeks_are_possible() {
        assert!(two_weeks(testing::config()).build().is_ok());
        assert!(without_sign_ins(testing::config()).build().is_ok());
    }
}
