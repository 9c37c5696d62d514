//! `docs/guide/testing.md`

use axum_auth_module::config::{AuthConfig, ConfigError};
use axum_auth_module::delivery::{
    Delivers, EmailLoginMessage, EmailVerificationMessage, PasswordResetMessage,
};
use axum_auth_module::repository::{PasswordResetRepository, UserRepository};
use axum_auth_module::{AuthModule, StandardActions, auth_module};

pub fn auth(
    config: AuthConfig,
    users: impl UserRepository<User = Account>,
    resets: impl PasswordResetRepository,
    reset_mail: impl Delivers<PasswordResetMessage>,
    verification_mail: impl Delivers<EmailVerificationMessage>,
    login_mail: impl Delivers<EmailLoginMessage>,
) -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: config,
        features: [
            REGISTRATION, RESET_PASSWORDS, EMAIL_VERIFICATION, TWO_FACTOR_AUTHENTICATION, BROWSER_SESSIONS,
            EMAIL_LOGIN,
        ],
        user_repo: users,
        password_reset_repo: resets,
        actions: StandardActions,
        delivery: {
            PasswordReset: reset_mail,
            EmailVerification: verification_mail,
            EmailLogin: login_mail,
        },
    })
}

use axum::http::StatusCode;
use axum::routing::{delete, get};
use axum::{Form, Router};
use axum_auth_module::assurance::{Assurance, Level};
use axum_auth_module::extract::Assured;
use axum_auth_module::{ConfirmedUser, CurrentUser, PageUser, VerifiedUser};

pub fn app(auth: AuthModule<Account>) -> Router {
    Router::new()
        .route("/me", get(me))
        .route("/invoices", get(invoices))
        .route("/account", delete(delete_account))
        .route("/payout", get(payout))
        .route("/settings", get(settings).post(change_settings))
        .nest("/auth", auth.router())
        .nest("/web/auth", auth.browser_router())
        .with_state(App { auth })
}

async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    account.name
}

async fn invoices(VerifiedUser(account): VerifiedUser<Account>) -> String {
    format!("The invoices of {}", account.name)
}

async fn delete_account(_: ConfirmedUser<Account>) -> StatusCode {
    StatusCode::NO_CONTENT
}

struct BothFactors;

impl Assurance for BothFactors {
    const LEVEL: Level = Level::TwoFactors;
}

async fn payout(Assured(account, ..): Assured<Account, BothFactors>) -> String {
    format!("Paid to {}", account.name)
}

async fn settings(PageUser(account): PageUser<Account>) -> String {
    format!("The settings of {}", account.name)
}

async fn change_settings(_: PageUser<Account>, Form(form): Form<Vec<(String, String)>>) -> String {
    format!("{form:?}")
}

use axum::extract::FromRef;
use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, Default, AuthUser)]
pub struct Account {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<SystemTime>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<SystemTime>,
    pub password_confirmed_at: Option<SystemTime>,
}

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

#[cfg(test)]
mod tests {
    use super::{Account, app, auth};
    use axum::Router;
    use axum_auth_module::assurance::Method;
    use axum_auth_module::repository::UserRepository;
    use axum_auth_module::testing::{self, Browser, Client, Fault, Faults, ProviderMethod};
    use axum_auth_module::testing::{MemoryPasswordResets, MemoryUsers, MovableClock, Outbox};
    use axum_auth_module::testing::{enable_two_factor, login_as, totp_next, totp_now};
    use axum_auth_module::user::NewUser;
    use axum_auth_module::{AuthError, AuthModule, BoxError};
    use serde_json::{Value, json};
    use std::time::Duration;

    struct Host {
        app: Router,
        auth: AuthModule<Account>,
        users: MemoryUsers<Account>,
        outbox: Outbox,
        clock: MovableClock,
        faults: Faults,
    }

    impl Host {
        fn start() -> Result<Self, BoxError> {
            let (users, outbox) = (MemoryUsers::<Account>::default(), Outbox::new());
            let (clock, faults) = (MovableClock::new(), Faults::new());
            let config = testing::config().clock(clock.clone()).build()?;
            let auth = auth(
                config,
                faults.over(users.clone()),
                MemoryPasswordResets::new(),
                faults.over(outbox.clone()),
                outbox.clone(),
                outbox.clone(),
            )?;
            Ok(Self { app: app(auth.clone()), auth, users, outbox, clock, faults })
        }

        fn client(&self) -> Client {
            Client::new(self.app.clone())
        }

        fn browser(&self) -> Browser {
            Browser::new(self.app.clone()).with_clock(&self.clock)
        }

        /// A user who is not used for logins with a password.
        async fn ada(&self) -> Result<Account, AuthError> {
            let ada = NewUser::new("Ada", "ada@example.com", "no password");
            Ok(self.users.create(ada).await?)
        }
    }

    #[tokio::test]
    async fn a_user_sees_their_own_name() -> Result<(), BoxError> {
        let host = Host::start()?;
        let ada = host.ada().await?;
        host.client().get("/me").await.expect(401);

        let tokens = login_as(&host.auth, &ada).tokens().await?;
        let client = host.client().with_tokens(&tokens);
        assert_eq!(client.get("/me").await.expect(200).text(), "Ada");

        client.post("/auth/logout").await.expect(200);
        client.get("/me").await.expect(401);
        Ok(())
    }

    #[tokio::test]
    async fn invoices_are_for_users_with_a_verified_address() -> Result<(), BoxError> {
        let host = Host::start()?;
        let ada = host.ada().await?;
        let tokens = login_as(&host.auth, &ada).tokens().await?;
        let reply = host.client().with_tokens(&tokens).get("/invoices").await.expect(403);
        assert_eq!(reply.code().as_deref(), Some("email_not_verified"));

        let tokens = login_as(&host.auth, &ada).with_verified_address().tokens().await?;
        host.client().with_tokens(&tokens).get("/invoices").await.expect(200);
        Ok(())
    }

    #[tokio::test]
    async fn a_payout_requires_both_factors() -> Result<(), BoxError> {
        let host = Host::start()?;
        let ada = host.ada().await?;
        let by_mail = login_as(&host.auth, &ada).with_methods([Method::Email]).tokens().await?;
        let reply = host.client().with_tokens(&by_mail).get("/payout").await.expect(401);
        assert_eq!(reply.code().as_deref(), Some("insufficient_user_authentication"));

        let both = [Method::Email, Method::OneTimeCode];
        let tokens = login_as(&host.auth, &ada).with_methods(both).tokens().await?;
        assert_eq!(host.client().with_tokens(&tokens).get("/payout").await.expect(200).text(), "Paid to Ada");
        Ok(())
    }

    #[tokio::test]
    async fn an_account_is_deleted_right_after_its_password_was_confirmed() -> Result<(), BoxError> {
        let host = Host::start()?;
        let ada = host.ada().await?;
        let browser = host.browser();
        login_as(&host.auth, &ada).with_confirmed_password().in_browser(&browser).await?;
        browser.delete("/account").await.expect(204);

        // Longer than `password_timeout`, which is 15 minutes by default.
        host.clock.advance(Duration::from_secs(20 * 60));
        let reply = browser.delete("/account").await.expect(403);
        assert_eq!(reply.code().as_deref(), Some("password_confirmation_required"));
        Ok(())
    }

    #[tokio::test]
    async fn a_visitor_of_the_settings_is_sent_to_the_login_page() -> Result<(), BoxError> {
        let host = Host::start()?;
        let (ada, browser) = (host.ada().await?, host.browser());
        let reply = browser.get("/settings").await.expect(303);
        assert_eq!(reply.location(), Some("/login?next=%2Fsettings"));

        login_as(&host.auth, &ada).in_browser(&browser).await?;
        assert_eq!(browser.get("/settings").await.expect(200).text(), "The settings of Ada");

        browser.post("/web/auth/logout").await.expect(200);
        browser.get("/settings").await.expect(303);
        Ok(())
    }

    #[tokio::test]
    async fn no_other_page_changes_the_settings() -> Result<(), BoxError> {
        let host = Host::start()?;
        let (ada, browser) = (host.ada().await?, host.browser());
        login_as(&host.auth, &ada).in_browser(&browser).await?;
        let form = [("language", "de")];
        browser.post("/settings").form(form).await.expect(200);

        // A page of another site: the cookie does not come with its form.
        let evil = browser.on_other_site("https://evil.example");
        evil.post("/settings").form(form).await.expect(303);
        // A page of another origin on the same site: the cookie comes, and the module refuses it.
        let blog = browser.on_sibling("https://blog.example.com");
        blog.post("/settings").form(form).await.expect(403);
        Ok(())
    }

    #[tokio::test]
    async fn a_session_ends_when_it_is_not_used() -> Result<(), BoxError> {
        let host = Host::start()?;
        let (ada, browser) = (host.ada().await?, host.browser());
        login_as(&host.auth, &ada).in_browser(&browser).await?;
        host.clock.advance(Duration::from_secs(7 * 3600));
        browser.get("/me").await.expect(200);
        host.auth.background_work_finished().await;
        host.clock.advance(Duration::from_secs(9 * 3600));
        browser.get("/me").await.expect(401);
        Ok(())
    }

    #[tokio::test]
    async fn a_forgotten_password_is_replaced() -> Result<(), BoxError> {
        let host = Host::start()?;
        host.ada().await?;
        let email = "ada@example.com";
        host.client().post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);

        let reset = host.outbox.next_reset(email).await;
        assert!(reset.link("https://example.com/reset").contains(&reset.token));
        let password = "correct horse battery";
        let body = json!({
            "token": reset.token, "email": email, "password": password, "passwordConfirmation": password,
        });
        host.client().post("/auth/reset-password").json(&body).await.expect(200);

        let login = json!({ "email": email, "password": password });
        let tokens: Value = host.client().post("/auth/login").json(&login).await.expect(200).json();
        let client = host.client().with_access_token(tokens["accessToken"].as_str().unwrap_or_default());
        client.get("/me").await.expect(200);
        Ok(())
    }

    #[tokio::test]
    async fn a_registration_is_verified_by_its_link() -> Result<(), BoxError> {
        let host = Host::start()?;
        let (browser, password) = (host.browser(), "correct horse battery");
        let ada = json!({
            "name": "Ada", "email": "ada@example.com", "password": password, "passwordConfirmation": password,
        });
        browser.post("/web/auth/register").json(&ada).await.expect(201);
        browser.get("/invoices").await.expect(403);

        browser.post("/web/auth/email/verification-notification").await.expect(200);
        let verification = host.outbox.next_verification("ada@example.com").await;
        browser.get(&verification.data.path("/web/auth")).await.expect(200);
        browser.get("/invoices").await.expect(200);
        assert!(host.outbox.is_empty());
        Ok(())
    }

    #[tokio::test]
    async fn a_user_signs_in_by_mail() -> Result<(), BoxError> {
        let host = Host::start()?;
        host.ada().await?;
        let (email, client) = ("ada@example.com", host.client());
        let request = json!({ "email": email });
        let begun: Value = client.post("/auth/login/email").json(&request).await.expect(200).json();

        let mail = host.outbox.next_login_code(email).await;
        let proof = json!({ "flowToken": begun["flowToken"], "code": mail.code });
        let tokens: Value = client.post("/auth/login/email/verify").json(&proof).await.expect(200).json();
        let client = host.client().with_access_token(tokens["accessToken"].as_str().unwrap_or_default());
        client.get("/me").await.expect(200);
        Ok(())
    }

    #[tokio::test]
    async fn a_login_asks_for_a_code_that_works_once() -> Result<(), BoxError> {
        let host = Host::start()?;
        let (browser, password) = (host.browser(), "correct horse battery");
        let ada = json!({
            "name": "Ada", "email": "ada@example.com", "password": password, "passwordConfirmation": password,
        });
        browser.post("/web/auth/register").json(&ada).await.expect(201);
        let ada = host.users.by_email("ada@example.com").ok_or("no user")?;
        enable_two_factor(&host.auth, &ada).await?;

        let login = json!({ "email": ada.email, "password": password });
        let code = totp_now(&host.auth, &ada).await?;
        let next = totp_next(&host.auth, &ada).await?;
        for (code, status) in [(&code, 200), (&code, 422), (&next, 200)] {
            let reply = browser.post("/web/auth/login").json(&login).await.expect(200);
            assert_eq!(reply.json::<Value>()["twoFactor"], true);
            browser
                .post("/web/auth/two-factor-challenge")
                .json(&json!({ "code": code }))
                .await
                .expect(status);
        }
        browser.get("/me").await.expect(200);
        Ok(())
    }

    #[tokio::test]
    async fn without_the_database_a_visitor_is_told_to_come_back() -> Result<(), BoxError> {
        let host = Host::start()?;
        let (ada, browser) = (host.ada().await?, host.browser());
        login_as(&host.auth, &ada).in_browser(&browser).await?;
        host.faults.everywhere("users", Fault::IsUnavailable);
        let reply = browser.get("/settings").await.expect(503);
        assert_eq!(reply.header("retry-after"), Some("5"));
        host.faults.heal();
        browser.get("/settings").await.expect(200);
        Ok(())
    }

    #[tokio::test]
    async fn a_response_does_not_wait_for_the_mail_server() -> Result<(), BoxError> {
        let host = Host::start()?;
        let ada = host.ada().await?;
        host.faults.next(ProviderMethod::Deliver, Fault::Hangs);
        host.client().post("/auth/forgot-password").json(&json!({ "email": ada.email })).await.expect(200);
        assert!(host.outbox.is_empty());
        host.faults.heal();
        Ok(())
    }
}
