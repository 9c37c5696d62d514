//! Registration, login, refresh, logout, and who is logged in.

use crate::refused::Refused;
use crate::tokens::Pair;
use crate::{Account, App};
use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::SystemTime;
use tokio::task::spawn_blocking;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Registration {
    name: String,
    email: String,
    password: String,
    password_confirmation: String,
}

#[derive(Deserialize)]
pub(crate) struct Login {
    email: String,
    password: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Refresh {
    refresh_token: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoggedIn {
    two_factor: bool,
    #[serde(flatten)]
    pair: Pair,
}

type Answer<T> = Result<Json<T>, Refused>;

pub(crate) async fn register(
    State(app): State<Arc<App>>,
    Json(registration): Json<Registration>,
) -> Result<(StatusCode, Json<LoggedIn>), Refused> {
    let Registration { name, email, password, password_confirmation } = registration;
    let (name, email) = (name.trim().to_owned(), canonical(&email));
    let halves = email.split_once('@').filter(|(local, domain)| !local.is_empty() && !domain.is_empty());
    if name.is_empty() || name.len() > 255 {
        return Err(Refused::Invalid("name"));
    }
    if halves.is_none() || email.len() > 254 || email.contains(char::is_whitespace) {
        return Err(Refused::Invalid("email"));
    }
    // bcrypt ignores what stands behind the 72nd byte.
    if password.chars().count() < 8 || password.len() > 72 {
        return Err(Refused::Invalid("password"));
    }
    if password != password_confirmation {
        return Err(Refused::Invalid("passwordConfirmation"));
    }
    let cost = app.bcrypt_cost;
    let hash = blocking(move || bcrypt::hash(password, cost)).await?;
    let id = app.accounts().create(name, email, hash).ok_or(Refused::EmailTaken)?;
    Ok((StatusCode::CREATED, begin(&app, id)?))
}

pub(crate) async fn login(State(app): State<Arc<App>>, Json(login): Json<Login>) -> Answer<LoggedIn> {
    let Login { email, password } = login;
    let account = app.accounts().by_email(&canonical(&email)).cloned();
    let (id, hash) = match account {
        Some(account) => (Some(account.id), account.password),
        None => (None, app.nobodys_hash.clone()),
    };
    let right = blocking(move || bcrypt::verify(password, &hash)).await?;
    begin(&app, id.filter(|_| right).ok_or(Refused::InvalidCredentials)?)
}

pub(crate) async fn refresh(State(app): State<Arc<App>>, Json(refresh): Json<Refresh>) -> Answer<Pair> {
    let now = SystemTime::now();
    let used = app.keys.turn(&refresh.refresh_token).ok_or(Refused::InvalidRefreshToken)?;
    let turn = app.accounts().next(used, now).ok_or(Refused::InvalidRefreshToken)?;
    app.keys.pair(turn, now).map(Json).map_err(|_| Refused::Internal)
}

pub(crate) async fn logout(
    State(app): State<Arc<App>>,
    CurrentSession(session): CurrentSession,
) -> Json<Value> {
    app.accounts().end(session);
    Json(json!({ "message": "Logged out." }))
}

/// The session of the access token that a request brings, whether or not it has ended.
pub(crate) struct CurrentSession(u64);

impl FromRequestParts<Arc<App>> for CurrentSession {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Refused> {
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = header.and_then(|header| header.split_once(' ')).filter(|(scheme, _)| is_bearer(scheme));
        let session = token.and_then(|(_, token)| app.keys.session(token));
        session.map(Self).ok_or(Refused::Unauthenticated)
    }
}

/// Who is logged in.
pub(crate) struct CurrentUser(pub(crate) Account);

impl FromRequestParts<Arc<App>> for CurrentUser {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Refused> {
        let CurrentSession(session) = CurrentSession::from_request_parts(parts, app).await?;
        let account = app.accounts().by_session(session, SystemTime::now()).cloned();
        account.map(Self).ok_or(Refused::Unauthenticated)
    }
}

fn is_bearer(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("bearer")
}

fn canonical(email: &str) -> String {
    email.trim().to_lowercase()
}

fn begin(app: &App, account: u64) -> Answer<LoggedIn> {
    let now = SystemTime::now();
    let session = getrandom::u64().map_err(|_| Refused::Internal)?;
    let turn = app.accounts().begin(account, session, now);
    let pair = app.keys.pair(turn, now).map_err(|_| Refused::Internal)?;
    Ok(Json(LoggedIn { two_factor: false, pair }))
}

/// Hashing takes a quarter of a second, which the threads that serve requests do not have.
async fn blocking<T, F>(work: F) -> Result<T, Refused>
where
    T: Send + 'static,
    F: FnOnce() -> bcrypt::BcryptResult<T> + Send + 'static,
{
    spawn_blocking(work).await.map_err(|_| Refused::Internal)?.map_err(|_| Refused::Internal)
}
