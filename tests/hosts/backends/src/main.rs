//! A host that uses jsonwebtoken itself, with either, both or none of its backends: `tests/hosts/run` builds all four.

#[path = "../../drive.rs"]
mod drive;

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, AuthUser, CurrentUser, StandardActions, auth_module};
use drive::Error;
use std::time::SystemTime;

#[derive(Clone, Default, AuthUser)]
struct Account {
    id: u32,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

fn app() -> Result<Router, Error> {
    let auth = auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { CreatesNewUsers: StandardActions },
    };
    let me = get(async |CurrentUser(account): CurrentUser<Account>| account.email);
    Ok(Router::new().route("/me", me).nest("/auth", auth.router()).with_state(App { auth }))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    drive::whole_session(app()?).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_session_from_registration_to_logout() {
        drive::whole_session(app().unwrap()).await.unwrap();
    }

    /// A complete backend signs the host's own tokens, with other algorithms than the library's.
    #[cfg(any(feature = "rust-crypto", feature = "aws-lc"))]
    #[tokio::test]
    async fn the_host_can_sign_with_more_than_the_library_needs() {
        use jsonwebtoken::{Algorithm, EncodingKey, Header};
        use serde_json::json;
        drive::whole_session(app().unwrap()).await.unwrap();
        let key = EncodingKey::from_secret(b"a secret of the host's own");
        jsonwebtoken::encode(&Header::new(Algorithm::HS512), &json!({ "exp": 1 }), &key).unwrap();
    }
}
