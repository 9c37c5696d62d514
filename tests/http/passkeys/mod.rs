//! PASSKEYS: signing in with a passkey, managing them, and what becomes of them.

mod confirmations;
mod endings;
mod failures;
mod logins;
mod management;
mod second_factor;
mod well_known;

use crate::every_route::features_off::service_is_there_only_with;
use crate::support::passkeys::passkey;
use crate::support::{App, EMAIL, Tokens};
use axum_auth_module::feature::Feature;
use axum_auth_module::services::PasskeysService;
use axum_auth_module::testing::SoftPasskey;
use serde_json::Value;

const PATH: &str = "/auth/user/passkeys";

/// A user with a verified address and a password, in a session that has confirmed the password.
pub(crate) async fn user(app: &App, email: &str) -> Tokens {
    let tokens = app.confirmed_session(email).await;
    app.verify_address(email);
    tokens
}

/// A host, and such a user with a passkey.
async fn with_passkey() -> (App, Tokens, SoftPasskey, Value) {
    let app = App::with_everything().await;
    let (tokens, mut passkey) = (user(&app, EMAIL).await, passkey());
    let added = app.add_passkey(&tokens.access, &mut passkey).await;
    (app, tokens, passkey, added)
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<PasskeysService>(Feature::PASSKEYS).await;
}
