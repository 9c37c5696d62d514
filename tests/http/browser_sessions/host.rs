//! The host of these tests: pages and forms beside the two routers.

use crate::support::{Account, App, serve};
use axum::Router;
use axum::extract::{FromRef, Path};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, post};
use axum_auth_module::assurance::{Assurance, Level};
use axum_auth_module::clock::Clock;
use axum_auth_module::config::{AuthConfigBuilder, RateLimit, RateLimits};
use axum_auth_module::extract::{
    Assured, AssuredPageUser, Browser, BrowserLogin, ConfirmedPageUser, RegistrationForm, Remember,
    SetCookies,
};
use axum_auth_module::services::SecondFactor;
use axum_auth_module::{AuthError, AuthModule, Claims, ConfirmedUser, CurrentUser, PageUser, VerifiedUser};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

#[derive(Clone, FromRef)]
struct Host {
    auth: AuthModule<Account>,
}

/// A host with every feature, without limits that these tests would reach.
pub(super) async fn start() -> Arc<App> {
    start_with(|config| config.limits(no_limits())).await
}

/// The same with the limits of the defaults, and another configuration.
pub(super) async fn start_with(config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> Arc<App> {
    with_pages(App::with_everything_and(config, |module| module).await).await
}

pub(super) fn no_limits() -> RateLimits {
    RateLimits::all(RateLimit::per_seconds(100_000, 60))
}

/// The same module in a host that has pages. Its clock stands at the beginning of a second.
pub(super) async fn with_pages(mut app: App) -> Arc<App> {
    let seconds = app.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    app.clock.set(UNIX_EPOCH + Duration::from_secs(seconds));
    app.address = serve(router(app.auth.clone())).await;
    Arc::new(app)
}

pub(super) fn router(auth: AuthModule<Account>) -> Router {
    let nested = Router::new().route("/page", any(page));
    Router::new()
        .route("/me", any(async |CurrentUser(user): CurrentUser<Account>| user.email))
        .route("/claims", any(async |claims: Claims<Account>| claims.user_id().to_owned()))
        .route("/kind", any(async |claims: Claims<Account>| claims.kind().as_str()))
        .route("/verified", any(async |VerifiedUser(user): VerifiedUser<Account>| user.email))
        .route("/confirmed", any(async |ConfirmedUser(user): ConfirmedUser<Account>| user.email))
        .route("/assured", any(async |user: Assured<Account, Vault>| user.email.clone()))
        .route("/optional", any(optional))
        .route("/optional/claims", any(async |claims: Option<Claims<Account>>| claims.is_some().to_string()))
        .route(
            "/optional/verified",
            any(async |user: Option<VerifiedUser<Account>>| user.is_some().to_string()),
        )
        .route(
            "/optional/confirmed",
            any(async |user: Option<ConfirmedUser<Account>>| user.is_some().to_string()),
        )
        .route("/page", any(page))
        .route("/page/confirmed", any(async |ConfirmedPageUser(user): ConfirmedPageUser<Account>| user.email))
        .route("/page/assured", any(async |user: AssuredPageUser<Account, Vault>| user.email.clone()))
        .nest("/nested", Router::new().nest("/deeper", nested))
        .route("/browser", any(async |_: Browser<Account>| "a browser"))
        .route("/form/{method}", post(form))
        .nest("/auth", auth.router())
        .nest("/web/auth", auth.browser_router())
        .with_state(Host { auth })
}

/// What `/assured` and `/page/assured` require.
struct Vault;

impl Assurance for Vault {
    const LEVEL: Level = Level::OneFactor;
    const MAX_AGE: Option<Duration> = Some(Duration::from_secs(300));
}

async fn page(PageUser(user): PageUser<Account>) -> String {
    user.email
}

async fn optional(user: Option<CurrentUser<Account>>) -> String {
    user.map_or_else(|| "nobody".to_owned(), |CurrentUser(user)| user.email)
}

/// Calls a method of `Browser`. The body is JSON, so that the same fields can be sent to a route.
async fn form(
    browser: Browser<Account>,
    Path(method): Path<String>,
    body: String,
) -> Result<Response, AuthError> {
    let fields: Value = serde_json::from_str(&body).unwrap_or_default();
    let field = |name: &str| fields[name].as_str().unwrap_or_default();
    let remember = Remember::from(fields["remember"] == true);
    let cookies: SetCookies = match &*method {
        "login" => match browser.login(field("email"), field("password"), remember).await? {
            BrowserLogin::Session(cookies) => return Ok((cookies, "session").into_response()),
            BrowserLogin::Challenge(cookies) => return Ok((cookies, "challenge").into_response()),
            step => panic!("{step:?}"),
        },
        "register" => {
            let (password, again) = (field("password"), field("passwordConfirmation"));
            let form = RegistrationForm::new(field("name"), field("email"), password, again);
            browser.register(form, remember).await?
        }
        "challenge" => {
            let factor = match fields["recoveryCode"].as_str() {
                Some(code) => SecondFactor::RecoveryCode(code.to_owned()),
                None => SecondFactor::Code(field("code").to_owned()),
            };
            match fields["trustDevice"].as_bool() {
                Some(true) => browser.challenge_and_trust(&factor).await?,
                _ => browser.challenge(&factor).await?,
            }
        }
        "confirm_password" => browser.confirm_password(field("password")).await?,
        "update_password" => {
            let (current, new) = (field("currentPassword"), field("password"));
            browser.update_password(current, new, field("passwordConfirmation")).await?
        }
        "confirm_two_factor" => browser.confirm_two_factor(field("code")).await?,
        "disable_two_factor" => browser.disable_two_factor().await?,
        "log_out" => browser.log_out().await?,
        "identity" => return Ok(email(browser.identity().await?.record()).into_response()),
        "confirmed_identity" => {
            return Ok(email(browser.confirmed_identity().await?.record()).into_response());
        }
        other => panic!("{other}"),
    };
    Ok(cookies.into_response())
}

fn email(user: Option<&Account>) -> String {
    user.expect("a record of this type").email.clone()
}
