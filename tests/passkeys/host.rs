//! A host with passkeys, and one user. Each case has a host of its own, so that no limit and no earlier passkey has an effect.

use crate::{ACCEPTED, refusals};
use axum::Router;
use axum_auth_module::config::{PasskeyOptions, RelyingParty, UserVerification};
use axum_auth_module::repository::UserRepository;
use axum_auth_module::testing::{self, Client, MemoryPasskeys, MemoryUsers, Reply, login_as};
use axum_auth_module::user::NewUser;
use axum_auth_module::{AuthError, AuthUser, BoxError, auth_module};
use serde_json::Value;
use std::time::SystemTime;

/// The id of the relying party.
pub(crate) const ID: &str = "example.com";
const ANDROID: &str = "android:apk-key-hash:kffL-daBUxvHpY-4M8yhTavt5QnFBIobDPhKSosM4to";
/// The origins of its pages and of its app.
pub(crate) const ORIGINS: [&str; 3] = ["https://example.com", "https://app.example.com", ANDROID];

#[derive(Clone, Default, AuthUser)]
struct Account {
    id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

pub(crate) struct Host {
    /// The browser of the user, in a session with a confirmed password.
    user: Client,
    /// A browser without a session.
    visitor: Client,
}

impl Host {
    pub(crate) async fn new(user_verification: bool) -> Result<Self, BoxError> {
        let mut options = PasskeyOptions::default();
        if !user_verification {
            options.user_verification = UserVerification::Preferred;
        }
        let site = RelyingParty::new(ID, "Example", [ORIGINS[0], ORIGINS[1]])?.android(ANDROID)?;
        let config = testing::config().relying_party(site).passkeys(options);
        let users = MemoryUsers::<Account>::default();
        let auth = auth_module! {
            config: config.build()?,
            features: [PASSKEYS],
            user_repo: users.clone(),
            passkey_repo: MemoryPasskeys::new(),
        };
        let app = Router::new().nest("/auth", auth.router()).with_state(auth.clone());
        let ada = NewUser::new("Ada", "ada@example.com", "no password");
        let ada = users.create(ada).await.map_err(AuthError::from)?;
        let tokens = login_as(&auth, &ada).with_confirmed_password().tokens().await?;
        let visitor = Client::new(app);
        Ok(Self { user: visitor.with_tokens(&tokens), visitor })
    }

    pub(crate) async fn registration_options(&self) -> Value {
        self.user.get("/auth/user/passkeys/options").await.expect(200).json()
    }

    pub(crate) async fn login_options(&self) -> Value {
        self.visitor.get("/auth/passkeys/login/options").await.expect(200).json()
    }

    /// Sends this credential in answer to these options, and returns the verdict.
    pub(crate) async fn register(&self, begun: &Value, credential: &str) -> String {
        send(&self.user, "/auth/user/passkeys", begun, credential).await
    }

    pub(crate) async fn sign_in(&self, begun: &Value, credential: &str) -> String {
        send(&self.visitor, "/auth/passkeys/login", begun, credential).await
    }
}

async fn send(client: &Client, path: &str, begun: &Value, credential: &str) -> String {
    let body = format!(r#"{{"flowToken":{},"credential":{credential}}}"#, begun["flowToken"]);
    let (log, recording) = refusals::recorded();
    let reply: Reply = client.post(path).body("application/json", body).await;
    drop(recording);
    match reply.status() {
        200 | 201 => ACCEPTED.to_owned(),
        status => {
            let code = reply.code().unwrap_or_default();
            let reason = log.reason().map(|reason| format!(", {reason}")).unwrap_or_default();
            format!("refused: {status} {code}{reason}")
        }
    }
}
