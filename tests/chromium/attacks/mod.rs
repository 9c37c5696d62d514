//! Attacks from pages of other origins. Each is tried from another port, from a sibling subdomain and from another site, and
//! must change nothing at the site. Then the same page is opened at the site's own origin, where it must work: this shows
//! that the test would notice.

mod callbacks;
mod embedding;
mod fetches;
mod forms;
mod logins;
mod websockets;

use axum::Router;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::http::header::SET_COOKIE;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;

/// The pages that attack, for any origin.
pub(crate) fn pages<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/{page}", get(page))
        .route("/redirect", post(redirect))
        .route("/set-cookie", post(set_cookie))
}

#[derive(Deserialize)]
struct Target {
    target: String,
}

async fn page(Path(name): Path<String>, Query(Target { target }): Query<Target>) -> Response {
    let page = match name.as_str() {
        "form" => include_str!("pages/form.html"),
        "fetch" => include_str!("pages/fetch.html"),
        "websocket" => include_str!("pages/websocket.html"),
        "embed" => include_str!("pages/embed.html"),
        "frame" => include_str!("pages/frame.html"),
        "login" => include_str!("pages/login.html"),
        "callback" => include_str!("pages/callback.html"),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    Html(page.replace("{target}", &target)).into_response()
}

#[derive(Deserialize)]
struct To {
    to: String,
}

/// 307, which keeps the method and the body.
async fn redirect(Query(To { to }): Query<To>) -> Redirect {
    Redirect::temporary(&to)
}

/// Sets the cookie in the request's body.
async fn set_cookie(cookie: String) -> impl IntoResponse {
    ([(SET_COOKIE, cookie)], StatusCode::NO_CONTENT)
}
