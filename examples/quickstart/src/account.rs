//! The host's user record, and a route of the host's own that needs a login.

use axum::Json;
use axum_auth_module::{AuthUser, CurrentUser};
use chrono::{DateTime, Utc};
use serde::Serialize;

/// A row of the table `users`. A host adds fields as it likes; the derive asks for these nine and no more.
#[derive(Clone, AuthUser, sqlx::FromRow)]
pub(crate) struct Account {
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

/// What others may see of an account: the record itself has no `Serialize`, for it holds hashes and secrets.
#[derive(Serialize)]
pub(crate) struct Profile {
    id: String,
    name: String,
    email: String,
}

/// `GET /me`: who is logged in. Without a valid access token the extractor answers 401, and this does not run.
pub(crate) async fn me(CurrentUser(account): CurrentUser<Account>) -> Json<Profile> {
    let Account { id, name, email, .. } = account;
    Json(Profile { id, name, email })
}
