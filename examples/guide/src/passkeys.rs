//! `docs/guide/passkeys.md`

use axum_auth_module::mail::Mailer;
use axum_auth_module::sql::{SqlPasskeys, SqlSessions, SqlStore, SqlUsers};
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
            EMAIL_VERIFICATION,
            UPDATE_PASSWORDS,
            BROWSER_SESSIONS,
            EMAIL_LOGIN,
            PASSKEYS,
        ],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        passkey_repo: SqlPasskeys::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: StandardActions,
        delivery: {
            EmailVerification: mailer.email_verification(
                "https://example.com/verify#id={id}&hash={hash}&signature={signature}&expires={expires}",
            )?,
            EmailLogin: mailer.email_login("https://example.com/login#token={token}")?,
        },
    })
}

use axum_auth_module::config::{AuthConfigBuilder, InvalidRelyingParty, RelyingParty};

pub fn with_site(config: AuthConfigBuilder) -> Result<AuthConfigBuilder, InvalidRelyingParty> {
    let site = RelyingParty::new("example.com", "Shop", ["https://example.com", "https://app.example.com"])?;
    Ok(config.relying_party(site))
}

/// Passkeys of `example.com` also work at `example.co.uk` and in the Android app.
pub fn everywhere(site: RelyingParty) -> Result<RelyingParty, InvalidRelyingParty> {
    site.related_origins(["https://example.co.uk"])?
        .android("kffL-daBUxvHpY-4M8yhTavt5QnFBIobDPhKSosM4to")?
        .enroll_page("https://example.com/settings/passkeys")?
        .manage_page("https://example.com/settings/passkeys")
}

use axum::Router;

pub fn app(auth: AuthModule<Account>) -> Router {
    Router::new()
        .nest("/auth", auth.router())
        .nest("/web/auth", auth.browser_router())
        .merge(auth.well_known())
        .with_state(auth)
}

use axum_auth_module::assurance::{Assurance, Level};
use axum_auth_module::extract::Assured;
use std::time::Duration;

/// A passkey that was proven within the last five minutes.
pub struct Vault;

impl Assurance for Vault {
    const LEVEL: Level = Level::PhishingResistant;
    const MAX_AGE: Option<Duration> = Some(Duration::from_secs(300));
}

pub async fn vault(Assured(account, ..): Assured<Account, Vault>) -> String {
    format!("The vault of {}", account.name)
}

use axum_auth_module::config::{PasskeyOptions, UserVerification};

pub fn with_keys_without_a_pin(config: AuthConfigBuilder) -> AuthConfigBuilder {
    let mut passkeys = PasskeyOptions::default();
    passkeys.user_verification = UserVerification::Preferred;
    config.passkeys(passkeys)
}

use axum_auth_module::AuthError;

/// For the support desk: all devices of a user are lost or stolen. Your code has checked who the caller is.
pub async fn lost_devices(auth: &AuthModule<Account>, user_id: &String) -> Result<u64, AuthError> {
    auth.admin().remove_passkeys(user_id).await
}

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

#[derive(Clone, Default, AuthUser, sqlx::FromRow)]
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

#[cfg(test)]
mod tests {
    use super::*;

    use axum::routing::get;
    use axum_auth_module::repository::UserRepository;
    use axum_auth_module::testing::{self, Client, MemoryPasskeys, MemoryUsers, SoftPasskey, login_as};
    use axum_auth_module::user::NewUser;
    use serde_json::{Value, json};

    #[tokio::test]
    async fn a_passkey_opens_the_vault() -> Result<(), BoxError> {
        let users = MemoryUsers::<Account>::default();
        let auth = auth_module! {
            config: with_site(testing::config())?.build()?,
            features: [PASSKEYS],
            user_repo: users.clone(),
            passkey_repo: MemoryPasskeys::new(),
        };
        let app =
            Router::new().route("/vault", get(vault)).nest("/auth", auth.router()).with_state(auth.clone());
        let ada = NewUser::new("Ada", "ada@example.com", "no password");
        let ada = users.create(ada).await.map_err(AuthError::from)?;

        // Ada adds a passkey.
        let tokens = login_as(&auth, &ada).with_confirmed_password().tokens().await?;
        let client = Client::new(app.clone()).with_tokens(&tokens);
        client.get("/vault").await.expect(401);
        let mut passkey = SoftPasskey::on("https://example.com");
        let begun: Value = client.get("/auth/user/passkeys/options").await.expect(200).json();
        let credential = passkey.register(&begun["options"]);
        let body = json!({ "flowToken": begun["flowToken"], "credential": credential });
        client.post("/auth/user/passkeys").json(&body).await.expect(201);

        // Ada signs in with the passkey.
        let visitor = Client::new(app);
        let begun: Value = visitor.get("/auth/passkeys/login/options").await.expect(200).json();
        let credential = passkey.sign_in(&begun["options"]);
        let body = json!({ "flowToken": begun["flowToken"], "credential": credential });
        let tokens: Value = visitor.post("/auth/passkeys/login").json(&body).await.expect(200).json();
        let client = visitor.with_access_token(tokens["accessToken"].as_str().unwrap_or_default());
        assert_eq!(client.get("/vault").await.expect(200).text(), "The vault of Ada");
        Ok(())
    }

    #[tokio::test]
    async fn the_documents_are_at_the_root_of_the_site() {
        let site = RelyingParty::new("example.com", "Shop", ["https://example.com"]).unwrap();
        let config = testing::config().relying_party(everywhere(site).unwrap()).build().unwrap();
        let outbox = std::env::temp_dir().join(format!("guide-passkeys-{}", std::process::id()));
        let mailer = Mailer::files(outbox, "Shop <no-reply@example.com>").build().unwrap();
        let auth = module(config, crate::support::database().await, mailer).await.unwrap();
        let client = Client::new(app(auth));
        let related: Value = client.get("/.well-known/webauthn").await.expect(200).json();
        assert_eq!(related, json!({ "origins": ["https://example.com", "https://example.co.uk"] }));
        let page = "https://example.com/settings/passkeys";
        let pages: Value = client.get("/.well-known/passkey-endpoints").await.expect(200).json();
        assert_eq!(pages, json!({ "enroll": page, "manage": page }));
        for path in ["/auth", "/web/auth"] {
            client.get(&format!("{path}/user/passkeys")).await.expect(401);
        }
    }

    #[tokio::test]
    async fn lost_passkeys_are_removed() {
        let users = MemoryUsers::<Account>::default();
        let config = with_site(with_keys_without_a_pin(testing::config())).unwrap().build().unwrap();
        let module = AuthModule::builder(config, users.clone()).passkeys(MemoryPasskeys::new());
        let auth = module.build().unwrap();
        let ada = users.create(NewUser::new("Ada", "ada@example.com", "no password")).await.unwrap();
        assert_eq!(lost_devices(&auth, &ada.id).await.unwrap(), 0);
    }
}
