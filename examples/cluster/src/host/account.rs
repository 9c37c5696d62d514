//! The host's user record, and a route of the host that needs a login.

use axum::Json;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::response::IntoResponse;
use axum_auth_module::{AuthUser, CurrentUser};
use chrono::{DateTime, Utc};
use serde::Serialize;

/// A row of the table `users`.
#[derive(Clone, AuthUser, sqlx::FromRow)]
pub(super) struct Account {
    id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
}

/// The public fields of an account.
#[derive(Serialize)]
pub(super) struct Profile {
    id: String,
    name: String,
    email: String,
}

/// For responses with personal data: neither a proxy nor the browser's history may keep them.
const PERSONAL: (HeaderName, &str) = (CACHE_CONTROL, "private, no-store");

/// `GET /me`: the current user.
pub(super) async fn me(CurrentUser(account): CurrentUser<Account>) -> impl IntoResponse {
    let Account { id, name, email, .. } = account;
    ([PERSONAL], Json(Profile { id, name, email }))
}
