//! `axum_auth_module::testing` as a host's tests use it: over the host's router, without a socket.

mod browser;
mod faults;
mod login_as;
mod one_time_codes;
mod outbox;

use crate::support::{Account, Builder, PASSWORD, memory_users, registration};
use crate::with_every_feature;
use axum::Router;
use axum::extract::FromRef;
use axum::routing::{get, post};
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::testing::{self, Client, MemoryPasswordResets, MemoryUsers, MovableClock, Outbox};
use axum_auth_module::{AuthModule, ConfirmedUser, CurrentUser, PageUser, VerifiedUser};

#[derive(Clone, FromRef)]
struct State {
    auth: AuthModule<Account>,
}

/// A host, and what its test holds.
struct Host {
    app: Router,
    auth: AuthModule<Account>,
    users: MemoryUsers<Account>,
    outbox: Outbox,
    clock: MovableClock,
}

impl Host {
    fn start() -> Self {
        Self::configured(|config| config)
    }

    fn configured(configure: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> Self {
        Self::with(configure, |module| module)
    }

    fn with(
        configure: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
        module: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let (users, outbox, clock) = (memory_users(), Outbox::new(), MovableClock::new());
        let config = configure(crate::support::config().clock(clock.clone())).build().unwrap();
        let builder = AuthModule::builder(config, users.clone());
        let auth = with_every_feature(builder, &MemoryPasswordResets::new(), &Default::default())
            .reset_passwords(MemoryPasswordResets::new(), axum_auth_module::StandardActions, outbox.clone())
            .email_verification(outbox.clone())
            .notices(outbox.clone())
            .change_emails(outbox.clone())
            .security_notices(outbox.clone());
        let auth = module(auth).build().unwrap();
        let app = Router::new()
            .route("/me", get(async |CurrentUser(user): CurrentUser<Account>| user.email))
            .route("/verified", get(async |VerifiedUser(user): VerifiedUser<Account>| user.email))
            .route("/confirmed", get(async |ConfirmedUser(user): ConfirmedUser<Account>| user.email))
            .route("/page", get(async |PageUser(user): PageUser<Account>| user.email))
            .route("/transfer", post(async |CurrentUser(user): CurrentUser<Account>| user.email))
            .nest("/auth", auth.router())
            .nest("/web/auth", auth.browser_router())
            .with_state(State { auth: auth.clone() });
        Self { app, auth, users, outbox, clock }
    }

    fn client(&self) -> Client {
        Client::new(self.app.clone())
    }

    fn browser(&self) -> testing::Browser {
        testing::Browser::new(self.app.clone()).with_clock(&self.clock)
    }

    /// Registers this user.
    async fn user(&self, email: &str) -> Account {
        self.client().post("/auth/register").json(&registration(email)).await.expect(201);
        self.users.by_email(email).unwrap()
    }
}

#[tokio::test]
async fn a_password_is_checked_with_the_cheapest_hash() {
    let host = Host::start();
    let ada = host.user("ada@example.com").await;
    assert!(ada.password.starts_with("$2b$04$"), "the hash is another one");
    let login = serde_json::json!({ "email": ada.email, "password": PASSWORD });
    host.client().post("/auth/login").json(&login).await.expect(200);
    let builder = testing::config_with_secrets(
        "a secret of this test and no other",
        "another secret of this test and no other",
    );
    assert!(testing::cheap_hashes(builder).build().is_ok());
}
