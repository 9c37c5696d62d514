//! The methods of `Browser` for user names, in handlers of a host with pages of its own.

use super::{ADA, host, host_without_the_feature};
use crate::passwordless_registration::registration_token;
use crate::support::routers::{self, SESSION_COOKIE};
use crate::support::{Account, App, Call, EMAIL, PASSWORD, serve};
use axum::Router;
use axum::extract::FromRef;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::extract::{Browser, BrowserLogin, PasswordlessForm, RegistrationForm, Remember};
use axum_auth_module::{AuthError, AuthModule};
use serde_json::{Value, json};

#[derive(Clone, FromRef)]
struct Host {
    auth: AuthModule<Account>,
}

/// The host of these tests: its pages beside the router of the module.
fn router(auth: AuthModule<Account>) -> Router {
    Router::new()
        .route("/pages/login", post(login))
        .route("/pages/register", post(register))
        .route("/pages/join", post(join))
        .nest(routers::BROWSER_ROUTER, auth.browser_router())
        .with_state(Host { auth })
}

/// One field for the address and the user name, as many pages have it.
async fn login(browser: Browser<Account>, typed: String) -> Result<Response, AuthError> {
    let outcome = match typed.contains('@') {
        true => browser.login(&typed, PASSWORD, Remember::No).await?,
        false => browser.login_by_username(&typed, PASSWORD, Remember::No).await?,
    };
    match outcome {
        BrowserLogin::Session(cookies) => Ok((cookies, "session").into_response()),
        other => panic!("{other:?}"),
    }
}

async fn register(browser: Browser<Account>, body: String) -> Result<Response, AuthError> {
    let fields: Value = serde_json::from_str(&body).unwrap();
    let text = |field: &str| fields[field].as_str().unwrap_or_default();
    let mut form = RegistrationForm::new("Ada", text("email"), PASSWORD, PASSWORD);
    form.username = fields["username"].as_str().map(str::to_owned);
    Ok((browser.register(form, Remember::No).await?, "registered").into_response())
}

async fn join(browser: Browser<Account>, body: String) -> Result<Response, AuthError> {
    let fields: Value = serde_json::from_str(&body).unwrap();
    let mut form = PasswordlessForm::new();
    form.name = fields["name"].as_str().map(str::to_owned);
    form.username = fields["username"].as_str().map(str::to_owned);
    let token = fields["token"].as_str().unwrap();
    Ok((browser.register_passwordless(token, form).await?, "joined").into_response())
}

fn page(app: &App, path: &str, body: &Value) -> Call {
    app.post(path).json(body)
}

#[tokio::test]
async fn pages_take_user_names_as_the_routes_do() {
    routers::on(RouterKind::Browser, async {
        let mut app = host().await;
        app.address = serve(router(app.auth.clone())).await;
        for (username, error) in [("no name", "username: invalid"), ("root", "username: reserved")] {
            let body = json!({ "email": "no address", "username": username });
            let refused = page(&app, "/pages/register", &body).await.field_errors();
            assert_eq!(refused, ["email: invalid", error]);
        }
        let body = json!({ "email": EMAIL, "username": "Ada.L" });
        page(&app, "/pages/register", &body).await.expect(200);
        let taken = json!({ "email": "eve@example.com", "username": ADA });
        page(&app, "/pages/register", &taken).await.refused(409, "username_taken");
        page(&app, "/pages/register", &json!({ "email": "eve@example.com" })).await.expect(200);

        for typed in [EMAIL, ADA, "ADA.L"] {
            let answer = app.post("/pages/login").body("text/plain", typed).await.expect(200);
            let is_set = |name: &str| answer.set_cookies().iter().any(|cookie| cookie.name == name);
            assert!(is_set(SESSION_COOKIE), "{typed}");
        }
        let unknown = app.post("/pages/login").body("text/plain", "no name\0").await;
        unknown.refused(401, "invalid_credentials");

        let token = registration_token(&app, "grace@example.com").await;
        let mut body = json!({ "token": token, "name": "", "username": "no name" });
        let refused = page(&app, "/pages/join", &body).await.field_errors();
        assert_eq!(refused, ["name: required", "username: invalid"]);
        body["name"] = "Grace".into();
        body["username"] = ADA.into();
        page(&app, "/pages/join", &body).await.refused(409, "username_taken");
        body["username"] = "root".into();
        assert_eq!(page(&app, "/pages/join", &body).await.field_errors(), ["username: reserved"]);
        body["username"] = "Grace".into();
        page(&app, "/pages/join", &body).await.expect(200);
        assert_eq!(app.users.by_email("grace@example.com").unwrap().username.as_deref(), Some("grace"));
    })
    .await;
}

#[tokio::test]
async fn without_the_feature_a_page_has_no_login_by_user_name() {
    routers::on(RouterKind::Browser, async {
        let mut app = host_without_the_feature().await;
        app.address = serve(router(app.auth.clone())).await;
        let body = json!({ "email": EMAIL, "username": "no name" });
        page(&app, "/pages/register", &body).await.expect(200);
        assert_eq!(app.users.by_email(EMAIL).unwrap().username, None);
        app.post("/pages/login").body("text/plain", ADA).await.refused(404, "not_found");
        app.post("/pages/login").body("text/plain", EMAIL).await.expect(200);
    })
    .await;
}
