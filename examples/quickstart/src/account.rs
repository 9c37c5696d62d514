//! The host's user record, and a route of the host that needs a login.

use axum::Json;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::response::IntoResponse;
use axum_auth_module::{AuthUser, CurrentUser};
use chrono::{DateTime, Utc};
use serde::Serialize;

/// A row of the table `users`. The derive requires nine of these fields; `is_active` and `username` are the host's own.
#[derive(Clone, AuthUser, sqlx::FromRow)]
pub(crate) struct Account {
    pub(crate) id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
    /// An account that is not active is refused like one that does not exist.
    #[auth(is_active)]
    is_active: bool,
    /// Who has one can log in with it.
    #[auth(username)]
    username: Option<String>,
}

/// The public fields of an account. The record does not implement `Serialize`, because it has hashes and secrets.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Profile {
    id: String,
    name: String,
    email: String,
    username: Option<String>,
    email_verified: bool,
    two_factor: bool,
}

/// For responses with personal data: neither a proxy nor the browser's history may keep them.
const PERSONAL: (HeaderName, &str) = (CACHE_CONTROL, "private, no-store");

/// `GET /me`: the current user. Without a valid credential the extractor returns 401.
pub(crate) async fn me(CurrentUser(account): CurrentUser<Account>) -> impl IntoResponse {
    let Account { id, name, email, username, email_verified_at, two_factor_confirmed_at, .. } = account;
    (
        [PERSONAL],
        Json(Profile {
            id,
            name,
            email,
            username,
            email_verified: email_verified_at.is_some(),
            two_factor: two_factor_confirmed_at.is_some(),
        }),
    )
}
