//! The host with the library: every feature, in memory.

use crate::account::Account;
use axum::extract::{FromRef, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use axum_auth_module::config::ApiScopes;
use axum_auth_module::extract::{ApiScope, ApiUser};
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::{MemoryApiTokens, MemoryPasswordResets, MemoryUsers};
use axum_auth_module::{
    AuthConfig, AuthModule, Claims, CurrentUser, InResponse, StandardActions, auth_module,
};
use serde_json::{Value, json};

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

async fn claims(claims: Claims<Account>) -> Json<Value> {
    Json(json!({ "id": claims.user_id() }))
}

async fn me(user: CurrentUser<Account>) -> Json<Value> {
    Json(json!({ "id": user.id, "email": user.email }))
}

async fn api(caller: ApiUser<Account, Read>) -> Json<Value> {
    Json(json!({ "id": caller.user.id, "email": caller.user.email }))
}

/// What a link in a mail does otherwise.
async fn verified(State(auth): State<AuthModule<Account>>, user: CurrentUser<Account>) -> Json<Value> {
    auth.admin().verify_email(&user.id).await.expect("memory does not fail");
    Json(json!({}))
}

/// The scope of the API token.
struct Read;

impl ApiScope for Read {
    const SCOPE: &'static str = "read";
}

pub(crate) fn router() -> Router {
    // Not that of `testing`, which a release build refuses.
    let config = AuthConfig::builder(
        "the secret that signs access tokens",
        "another secret, for refresh tokens",
        "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
    );
    let config = config.bcrypt_cost(10).build().expect("a configuration");
    let module = || {
        Ok::<_, axum_auth_module::BoxError>(auth_module! {
            config: config,
            features: [
                REGISTRATION, RESET_PASSWORDS, EMAIL_VERIFICATION, UPDATE_PROFILE_INFORMATION, UPDATE_PASSWORDS,
                TWO_FACTOR_AUTHENTICATION, SESSIONS, BROWSER_SESSIONS, API_TOKENS,
            ],
            user_repo: MemoryUsers::<Account>::default(),
            password_reset_repo: MemoryPasswordResets::new(),
            session_repo: MemorySessions::new(),
            api_token_repo: MemoryApiTokens::new(),
            api_scopes: ApiScopes::new([Read::SCOPE])?,
            store: MemoryStore::new(),
            actions: StandardActions,
            delivery: InResponse,
        })
    };
    let auth = module().expect("a module");
    let routes = Router::new()
        .route("/claims", get(claims))
        .route("/me", get(me))
        .route("/api", get(api))
        .route("/verified", post(verified));
    routes.nest("/auth", auth.router()).with_state(App { auth })
}
