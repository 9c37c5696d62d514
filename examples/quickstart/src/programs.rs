//! Routes of the host that programs call with API tokens.

use crate::account::Account;
use axum::Json;
use axum_auth_module::config::{ApiScopes, ConfigError};
use axum_auth_module::extract::{ApiScope, ApiUser, UserOrApi};
use serde::Serialize;

/// Reading.
pub(crate) struct DemoRead;

impl ApiScope for DemoRead {
    const SCOPE: &'static str = "demo:read";
}

/// Writing.
pub(crate) struct DemoWrite;

impl ApiScope for DemoWrite {
    const SCOPE: &'static str = "demo:write";
}

/// What API tokens can be allowed to do.
pub(crate) fn scopes() -> Result<ApiScopes, ConfigError> {
    ApiScopes::new([DemoRead::SCOPE, DemoWrite::SCOPE])
}

/// Who makes a request: the user's id, and whether it is a program.
#[derive(Serialize)]
pub(crate) struct Caller {
    user: String,
    by: &'static str,
}

/// `GET` and `POST /api/demo`: programs alone.
pub(crate) async fn demo<S: ApiScope>(caller: ApiUser<Account, S>) -> Json<Caller> {
    Json(Caller { user: caller.user.id, by: "api-token" })
}

/// `GET /api/either`: programs, and people in their sessions.
pub(crate) async fn either(user: UserOrApi<Account, DemoRead>) -> Json<Caller> {
    let by = match &user {
        UserOrApi::Session(_) => "session",
        UserOrApi::ApiToken(_) => "api-token",
    };
    Json(Caller { user: user.id.clone(), by })
}
