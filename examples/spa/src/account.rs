//! The user record, and what the page shows of it.

use axum::Json;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::response::IntoResponse;
use axum_auth_module::{AuthUser, CurrentUser};
use chrono::{DateTime, Utc};
use serde::Serialize;

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
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Profile {
    name: String,
    email: String,
    email_verified: bool,
    two_factor: bool,
}

/// For responses with personal data: neither a proxy nor the browser's history may keep them.
pub(crate) const PERSONAL: (HeaderName, &str) = (CACHE_CONTROL, "private, no-store");

/// `GET /api/me`. The extractor accepts the session cookie and the access token.
pub(crate) async fn me(CurrentUser(account): CurrentUser<Account>) -> impl IntoResponse {
    let email_verified = account.email_verified_at.is_some();
    let two_factor = account.two_factor_confirmed_at.is_some();
    ([PERSONAL], Json(Profile { name: account.name, email: account.email, email_verified, two_factor }))
}
