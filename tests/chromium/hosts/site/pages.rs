//! The site's pages, as the documentation of `Browser` shows them, and what an attacker would like to reach.

use super::records::Records;
use super::{Account, App};
use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::extract::{Form, Path, Query, State};
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use axum_auth_module::extract::{BrowserLogin, Remember, next_path};
use axum_auth_module::{AuthError, Browser, CurrentUser, PageUser};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/", get(index))
        .route("/framed", get(framed))
        .route("/login", get(log_in_page).post(log_in))
        .route("/login/{provider}", post(log_in_with))
        .route("/link/{provider}", post(link))
        .route("/logout", post(log_out))
        .route("/settings", get(settings))
        .route("/transfer", post(transfer))
        .route("/balance", get(balance))
        .route("/live", get(live))
}

fn page(title: &str, body: &str) -> Html<String> {
    Html(format!("<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1>{body}"))
}

async fn index(user: Option<CurrentUser<Account>>) -> Html<String> {
    match user {
        Some(CurrentUser(account)) => page(
            "The site",
            &format!(
                "<p>Logged in as {}</p><form method=post action=/logout><button>Log out</button></form>
                <form method=post action=/link/demo><button>Link the provider</button></form>",
                account.name
            ),
        ),
        None => page("The site", "<p>Not logged in</p><a href=/login>Log in</a>"),
    }
}

/// The same page for frames of the same origin only, as every page of a host should be.
async fn framed(user: Option<CurrentUser<Account>>) -> impl IntoResponse {
    ([(CONTENT_SECURITY_POLICY, "frame-ancestors 'self'")], index(user).await)
}

#[derive(Deserialize)]
struct Next {
    next: Option<String>,
}

async fn log_in_page(Query(Next { next }): Query<Next>) -> Html<String> {
    // `next_path` returns only paths of this site. These tests use none that would need escaping.
    let next = next.as_deref().and_then(next_path).unwrap_or("/");
    page(
        "Log in",
        &format!(
            "<form method=post action=/login>
            <input type=hidden name=next value='{next}'>
            <label>Email <input name=email type=email></label>
            <label>Password <input name=password type=password></label>
            <label><input name=remember type=checkbox value=true> Remember me</label>
            <button>Log in</button></form>
            <form method=post action=/login/demo><button>Log in with the provider</button></form>"
        ),
    )
}

#[derive(Deserialize)]
struct LoginForm {
    email: String,
    password: String,
    remember: Option<bool>,
    next: Option<String>,
}

async fn log_in(browser: Browser<Account>, Form(form): Form<LoginForm>) -> Result<Response, AuthError> {
    let remember = Remember::from(form.remember.unwrap_or_default());
    match browser.login(&form.email, &form.password, remember).await? {
        BrowserLogin::Session(cookies) => {
            let next = form.next.as_deref().and_then(next_path).unwrap_or("/");
            Ok((cookies, Redirect::to(next)).into_response())
        }
        // No account of this site has a second factor.
        _ => Err(AuthError::internal("a step of the login that this site does not have")),
    }
}

/// To the provider, which sends the browser back to the module's own route.
async fn log_in_with(browser: Browser<Account>, Path(provider): Path<String>) -> Result<Response, AuthError> {
    browser.authorize(&provider, Some("/"), Remember::No).await
}

async fn link(browser: Browser<Account>, Path(provider): Path<String>) -> Result<Response, AuthError> {
    browser.authorize_link(&provider, Some("/")).await
}

async fn log_out(browser: Browser<Account>) -> Result<Response, AuthError> {
    Ok((browser.log_out().await?, Redirect::to("/")).into_response())
}

/// A page for users, which the login page leads back to.
async fn settings(PageUser(account): PageUser<Account>) -> Html<String> {
    page("Settings", &format!("<p>The settings of {}</p>", account.name))
}

#[derive(Deserialize)]
struct Transfer {
    to: String,
}

/// A form of the host that changes something.
async fn transfer(
    CurrentUser(account): CurrentUser<Account>,
    State(records): State<Records>,
    Form(Transfer { to }): Form<Transfer>,
) -> Html<String> {
    records.transfer(to.clone());
    page("Transfer", &format!("<p>{} has paid {to}</p>", account.name))
}

/// Something that only its user may read.
async fn balance(CurrentUser(account): CurrentUser<Account>) -> Json<Value> {
    Json(json!({ "balance": format!("{} has 1000 coins", account.name) }))
}

/// A WebSocket that greets its user. Nothing here mentions origins.
async fn live(
    CurrentUser(account): CurrentUser<Account>,
    State(records): State<Records>,
    upgrade: WebSocketUpgrade,
) -> Response {
    records.live(account.name.clone());
    upgrade.on_upgrade(async move |mut socket| {
        let _ = socket.send(Message::text(format!("Hello {}", account.name))).await;
    })
}
