//! Routes of the host, one for each extractor.

use super::{Account, Host};
use crate::impersonation::ACTOR;
use axum::routing::{get, post};
use axum::{Json, Router};
use axum_auth_module::extract::{ApiScope, ApiUser, Browser, SetCookies, UserOrApi, WithBody};
use axum_auth_module::{AuthError, Claims, ConfirmedUser, CurrentUser, VerifiedUser};
use serde::Deserialize;

/// The scopes of the host's API tokens, of which the last one is required by no route.
pub(crate) const SCOPES: [&str; 3] = ["demo:read", "demo:write", "demo:other"];

pub(crate) struct Read;

impl ApiScope for Read {
    const SCOPE: &'static str = SCOPES[0];
}

pub(crate) struct Write;

impl ApiScope for Write {
    const SCOPE: &'static str = SCOPES[1];
}

/// A scope that the host does not have.
struct Misspelt;

impl ApiScope for Misspelt {
    const SCOPE: &'static str = "demo:reads";
}

pub(super) fn routes() -> Router<Host> {
    Router::new()
        .route("/me", get(async |CurrentUser(user): CurrentUser<Account>| user.email))
        .route("/verified", get(async |VerifiedUser(user): VerifiedUser<Account>| user.email))
        .route("/confirmed", get(async |ConfirmedUser(user): ConfirmedUser<Account>| user.email))
        .route("/claims", get(async |claims: Claims<Account>| claims.user_id().to_owned()))
        .route("/actor", get(async |claims: Claims<Account>| claims.actor().unwrap_or_default().to_owned()))
        .route("/impersonate", post(impersonate))
        .route("/note", post(note))
        .route("/api/read", get(async |caller: ApiUser<Account, Read>| of_program(&caller)))
        .route("/api/write", post(async |caller: ApiUser<Account, Write>| of_program(&caller)))
        .route("/api/misspelt", get(async |caller: ApiUser<Account, Misspelt>| of_program(&caller)))
        .route("/api/note", post(program_note))
        .route("/api/either", get(either))
        .route(
            "/api/perhaps",
            get(async |caller: Option<ApiUser<Account, Read>>| caller.is_some().to_string()),
        )
        .route(
            "/api/perhaps-either",
            get(async |user: Option<UserOrApi<Account, Read>>| user.is_some().to_string()),
        )
}

#[derive(Deserialize)]
struct Impersonation {
    id: i64,
    reason: String,
}

/// The support desk, which has a browser.
async fn impersonate(
    browser: Browser<Account>,
    Json(form): Json<Impersonation>,
) -> Result<SetCookies, AuthError> {
    browser.impersonate(ACTOR, &form.id, &form.reason).await
}

/// A route that takes a credential and a body.
async fn note(WithBody(CurrentUser(user), note): WithBody<CurrentUser<Account>, String>) -> String {
    format!("{}: {note}", user.email)
}

async fn program_note(WithBody(caller, note): WithBody<ApiUser<Account, Write>, String>) -> String {
    format!("{}: {note}", of_program(&caller))
}

/// `ada@example.com for Nightly backup`
fn of_program<S>(caller: &ApiUser<Account, S>) -> String {
    format!("{} for {}", caller.user.email, caller.token.name)
}

async fn either(user: UserOrApi<Account, Read>) -> String {
    match &user {
        UserOrApi::Session(_) => user.email.clone(),
        UserOrApi::ApiToken(caller) => of_program(caller),
    }
}
