//! Paths that a host leaves out of a router, to have handlers of its own there (specification §23.6).

use crate::support::{Account, App, EMAIL, PASSWORD, registration, serve};
use axum::extract::{FromRef, State};
use axum::response::IntoResponse;
use axum::routing::post;
use axum::{Json, Router};
use axum_auth_module::actions::RegistrationData;
use axum_auth_module::client::ClientAddress;
use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::extract::{RegistrationForm, Remember};
use axum_auth_module::services::{Credentials, RegistrationService, SignedIn};
use axum_auth_module::values::{EmailAddress, UserName};
use axum_auth_module::{AuthError, AuthModule, Browser, StandardActions};
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::SocketAddr;

#[derive(Clone, FromRef)]
struct Host {
    auth: AuthModule<Account>,
}

#[derive(Deserialize)]
struct Invited {
    email: String,
    invitation: String,
}

impl Invited {
    fn check(&self) -> Result<(), AuthError> {
        if self.invitation == "from Grace" { Ok(()) } else { Err(AuthError::NotFound) }
    }
}

/// The host's own registration, over the module's service.
async fn register(
    State(host): State<Host>,
    Json(invited): Json<Invited>,
) -> Result<impl IntoResponse, AuthError> {
    invited.check()?;
    let password = host.auth.new_password(PASSWORD.to_owned(), PASSWORD)?;
    let data = RegistrationData::new(UserName::parse("Ada")?, EmailAddress::parse(&invited.email)?, password);
    let service = host.auth.service::<RegistrationService>().ok_or(AuthError::NotFound)?;
    match service.register(data, ClientAddress::UNKNOWN).await? {
        SignedIn::Session(Credentials::Tokens(pair)) => Ok(Json(json!({ "token": pair.access_token }))),
        _ => Err(AuthError::internal("a registration has no other step")),
    }
}

async fn register_in_browser(
    browser: Browser<Account>,
    Json(invited): Json<Invited>,
) -> Result<impl IntoResponse, AuthError> {
    invited.check()?;
    let form = RegistrationForm::new("Ada", invited.email, PASSWORD, PASSWORD);
    browser.register(form, Remember::No).await
}

async fn module() -> AuthModule<Account> {
    App::with(|config| config, |module| module.registration(StandardActions).browser_sessions()).await.auth
}

async fn send(address: SocketAddr, path: &str, body: Value) -> reqwest::Response {
    let request = reqwest::Client::new().post(format!("http://{address}{path}"));
    request.header("sec-fetch-site", "same-origin").json(&body).send().await.unwrap()
}

#[tokio::test]
async fn the_hosts_own_handlers_stand_there_over_the_modules_services() {
    let auth = module().await;
    let app = Router::new()
        .route("/auth/register", post(register))
        .nest("/auth", auth.router_without(["/register"]).unwrap())
        .route("/web/auth/register", post(register_in_browser))
        .nest("/web/auth", auth.browser_router_without(["/register"]).unwrap())
        .with_state(Host { auth: auth.clone() });
    let address = serve(app).await;
    for (path, email) in [("/auth/register", EMAIL), ("/web/auth/register", "grace@example.com")] {
        // The module's own route would take this.
        let refused = send(address, path, registration(email)).await;
        assert_eq!(refused.status(), 422, "{path}");
        let uninvited = send(address, path, json!({ "email": email, "invitation": "none" })).await;
        assert_eq!(uninvited.status(), 404, "{path}");
        let invited = send(address, path, json!({ "email": email, "invitation": "from Grace" })).await;
        assert_eq!(invited.status(), 200, "{path}");
        // The rules of the service are those of the route.
        let again = send(address, path, json!({ "email": email, "invitation": "from Grace" })).await;
        assert_eq!(again.json::<Value>().await.unwrap()["code"], "email_taken", "{path}");
    }
    let login = send(address, "/auth/login", json!({ "email": EMAIL, "password": PASSWORD })).await;
    assert_eq!(login.status(), 200);
}

#[tokio::test]
async fn without_a_handler_of_the_host_the_path_is_not_there() {
    let auth = module().await;
    let app = Router::new().nest("/auth", auth.router_without(["/register", "/logout"]).unwrap());
    let address = serve(app).await;
    for path in ["/auth/register", "/auth/logout"] {
        let response = send(address, path, registration(EMAIL)).await;
        assert_eq!(response.status(), 404);
        assert_eq!(response.json::<Value>().await.unwrap()["code"], "not_found");
    }
    assert_eq!(send(address, "/auth/login", json!({})).await.status(), 422);
    // The whole router is still to be had.
    let whole = serve(Router::new().nest("/auth", auth.router())).await;
    assert_eq!(send(whole, "/auth/register", registration(EMAIL)).await.status(), 201);
}

/// On which routers the module says that it has the path, and where its document has it.
fn routers_of(auth: &AuthModule<Account>, path: &str) -> Vec<&'static str> {
    let document = auth.openapi().router("/auth").browser_router("/web/auth").build().to_json();
    let document: Value = serde_json::from_str(&document).unwrap();
    let mut routers = Vec::new();
    for (kind, prefix) in [(RouterKind::Bearer, "/auth"), (RouterKind::Browser, "/web/auth")] {
        let declared = auth.endpoints().iter().any(|endpoint| endpoint.path == path && endpoint.is_on(kind));
        assert_eq!(declared, document["paths"].get(format!("{prefix}{path}")).is_some(), "{prefix}{path}");
        routers.extend(declared.then_some(kind.as_str()));
    }
    routers
}

#[tokio::test]
async fn the_endpoints_and_the_document_leave_it_out() {
    let auth = module().await;
    let all = auth.endpoints().len();
    assert_eq!(routers_of(&auth, "/register"), ["bearer", "browser"]);
    let _: Router = auth.router_without(["/register"]).unwrap();
    assert_eq!(routers_of(&auth, "/register"), ["browser"]);
    let _: Router = auth.browser_router_without(["/register", "/session"]).unwrap();
    assert!(routers_of(&auth, "/register").is_empty() && routers_of(&auth, "/session").is_empty());
    assert_eq!(routers_of(&auth, "/login"), ["bearer", "browser"]);
    assert_eq!(auth.endpoints().len(), all - 2);
    // A clone is the same module.
    assert_eq!(auth.clone().endpoints().len(), all - 2);
}

#[tokio::test]
async fn an_unknown_path_is_an_error_and_leaves_nothing_out() {
    let auth = module().await;
    let all = auth.endpoints().len();
    let error = |paths: &[&'static str]| {
        let router: Result<Router, _> = auth.router_without(paths.iter().copied());
        router.err().unwrap().to_string()
    };
    assert!(
        error(&["/login", "/registers"])
            .contains("there is no route `/registers` on this router; did you mean `/register`?")
    );
    // Of a feature that is not enabled, of the other router, and with the host's prefix.
    for path in ["/forgot-password", "/session", "/auth/login", "", "register"] {
        assert!(error(&[path]).contains(&format!("there is no route `{path}` on this router")), "{path}");
    }
    let wrong: Result<Router, _> = auth.browser_router_without(["/refresh"]);
    assert!(wrong.is_err());
    assert_eq!(auth.endpoints().len(), all);
    let tokens = App::start().await.auth;
    let without: Result<Router, _> = tokens.browser_router_without(["/login"]);
    assert!(without.err().unwrap().to_string().contains("because BROWSER_SESSIONS is not enabled"));
}
