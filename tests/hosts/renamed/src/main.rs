//! A host whose `Cargo.toml` gives the library another name.

#![allow(unexpected_cfgs, reason = "`tests/hosts/run` sets one")]

#[path = "../../drive.rs"]
mod drive;

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use drive::Error;
use login::testing::{self, MemoryUsers};
use login::{AuthModule, AuthUser, CurrentUser, StandardActions, auth_module};
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

/// Compiled only by `tests/hosts/run`, which expects the message to name the library `login`.
#[cfg(missing_provider)]
fn missing_provider() -> Result<AuthModule<Account>, Error> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    drive::whole_session(app()?).await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path in the attribute takes precedence: editors expand macros without the arguments of the compiler.
    #[derive(Clone, AuthUser)]
    #[auth(crate = super::tests::vendored::library)]
    struct Member {
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

    mod vendored {
        pub(super) use ::login as library;
    }

    #[test]
    fn an_attribute_gives_the_derive_another_path() {
        assert!(Member::realm().ends_with("Member"));
    }

    #[tokio::test]
    async fn a_session_from_registration_to_logout() {
        drive::whole_session(app().unwrap()).await.unwrap();
    }
}
