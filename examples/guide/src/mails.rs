//! `docs/guide/mails.md`

use axum_auth_module::BoxError;
use axum_auth_module::mail::Mailer;
use std::env;

pub fn mailer() -> Result<Mailer, BoxError> {
    let sender = "Shop <no-reply@example.com>";
    let mailer = match env::var("SMTP_URL") {
        Ok(url) => Mailer::smtp(url, sender),
        Err(_) => Mailer::files("outbox", sender),
    };
    Ok(mailer.build()?)
}

use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::mail::{MailContent, MailContext, escape_html};

pub fn in_german(mail: &MailContext<'_, PasswordResetMessage>) -> Result<MailContent, BoxError> {
    let minutes = mail.valid_for.as_secs().div_ceil(60);
    let subject = format!("Neues Passwort für {}", mail.app_name);
    let text =
        format!("Hier wählen Sie ein neues Passwort:\n\n{}\n\nDas geht {minutes} Minuten lang.", mail.link);
    let html = format!(
        r#"<!DOCTYPE html><html lang="de"><body><p><a href="{}">Neues Passwort wählen</a></p>
<p>Das geht {minutes} Minuten lang.</p></body></html>"#,
        escape_html(mail.link)
    );
    Ok(MailContent::new(subject, text, html))
}

use axum_auth_module::sql::{SqlPasswordResets, SqlSessions, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, AuthUser, StandardActions, auth_module};
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

pub async fn module(
    config: AuthConfig,
    pool: SqlitePool,
    mailer: Mailer,
) -> Result<AuthModule<Account>, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, RESET_PASSWORDS, EMAIL_VERIFICATION],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        password_reset_repo: SqlPasswordResets::new(pool.clone()),
        session_repo: SqlSessions::new(pool),
        actions: StandardActions,
        delivery: {
            PasswordReset: mailer
                .password_reset("https://example.com/reset#token={token}&email={email}")?
                .template(in_german),
            EmailVerification: mailer.email_verification(
                "https://example.com/verify#id={id}&hash={hash}&signature={signature}&expires={expires}",
            )?,
            Notices: mailer.notices(),
        },
    })
}

use axum_auth_module::async_trait;
use axum_auth_module::delivery::{Delivers, EmailVerificationMessage};
use tokio::sync::mpsc::Sender;

/// Hands the messages to a queue of the host, whose worker sends them.
#[derive(Clone)]
pub struct Queue(pub Sender<Outgoing>);

pub struct Outgoing {
    pub to: String,
    pub link: String,
}

#[async_trait]
impl Delivers<PasswordResetMessage> for Queue {
    async fn deliver(&self, reset: PasswordResetMessage) -> Result<(), BoxError> {
        let link = reset.link("https://example.com/reset");
        Ok(self.0.send(Outgoing { to: reset.email, link }).await?)
    }
}

#[async_trait]
impl Delivers<EmailVerificationMessage> for Queue {
    async fn deliver(&self, verification: EmailVerificationMessage) -> Result<(), BoxError> {
        let data = &verification.data;
        let link = format!(
            "https://example.com/verify#id={}&hash={}&signature={}&expires={}",
            data.id, data.hash, data.signature, data.expires
        );
        Ok(self.0.send(Outgoing { to: verification.email, link }).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, register};
    use axum::Router;
    use axum_auth_module::testing;
    use serde_json::{Value, json};
    use std::fs;

    #[tokio::test]
    async fn a_mail_has_the_hosts_words_and_its_link() {
        let outbox = env::temp_dir().join(format!("guide-mails-{}", std::process::id()));
        let mailer = Mailer::files(&outbox, "Shop <no-reply@example.com>").build().unwrap();
        let auth = module(testing::config().build().unwrap(), database().await, mailer).await.unwrap();
        let app = Router::new().nest("/auth", auth.router());
        let token = register(&app, "/auth/register", "ada@example.com", Value::Null).await;
        let forgot = json!({ "email": "ada@example.com" });
        assert_eq!(call(&app, "POST", "/auth/forgot-password", "", forgot).await.0, 200);
        let request = "/auth/email/verification-notification";
        assert_eq!(call(&app, "POST", request, &token, Value::Null).await.0, 200);
        auth.background_work_finished().await;
        let files = fs::read_dir(&outbox).unwrap();
        let mails: String = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
        fs::remove_dir_all(outbox).unwrap();
        assert!(mails.contains("Hier w=C3=A4hlen Sie ein neues Passwort"), "{mails}");
        assert!(mails.contains("Subject: Confirm your e-mail address for Shop"), "{mails}");
    }

    #[tokio::test]
    async fn a_delivery_of_the_host_receives_a_link_that_works() {
        let (sender, mut outgoing) = tokio::sync::mpsc::channel(8);
        let pool = database().await;
        axum_auth_module::sql::migrate(&pool).await.unwrap();
        let auth = auth_module! {
            config: testing::config().build().unwrap(),
            features: [REGISTRATION, RESET_PASSWORDS, EMAIL_VERIFICATION],
            user_repo: SqlUsers::<Account>::new(pool.clone()),
            password_reset_repo: SqlPasswordResets::new(pool),
            actions: StandardActions,
            delivery: Queue(sender),
        };
        let app: Router = Router::new().nest("/auth", auth.router());
        let token = register(&app, "/auth/register", "ada@example.com", Value::Null).await;
        let request = "/auth/email/verification-notification";
        assert_eq!(call(&app, "POST", request, &token, Value::Null).await.0, 200);
        let message = outgoing.recv().await.unwrap();
        assert_eq!(message.to, "ada@example.com");
        let values = message.link.strip_prefix("https://example.com/verify#").unwrap();
        let value = |name: &str| values.split('&').find_map(|pair| pair.strip_prefix(name)).unwrap();
        let path = format!(
            "/auth/email/verify/{}/{}?signature={}&expires={}",
            value("id="),
            value("hash="),
            value("signature="),
            value("expires=")
        );
        let (status, response) = call(&app, "GET", &path, &token, Value::Null).await;
        assert_eq!(status, 200, "{response}");
        let forgot = json!({ "email": "ada@example.com" });
        assert_eq!(call(&app, "POST", "/auth/forgot-password", "", forgot).await.0, 200);
        let message = outgoing.recv().await.unwrap();
        assert!(message.link.starts_with("https://example.com/reset#token="), "{}", message.link);
    }
}
