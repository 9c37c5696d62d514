//! What `cargo bench --manifest-path tests/benches/Cargo.toml --bench build_cost` compiles: a host of every feature, in memory, with
//! `#[derive(AuthUser)]` and `auth_module!`. `by_hand` beside it is the same without both.

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::testing::{MemoryPasswordResets, MemoryUsers};
use axum_auth_module::{
    AuthConfig, AuthModule, AuthUser, BoxError, CurrentUser, InResponse, StandardActions, auth_module,
};
use std::net::SocketAddr;
use std::time::SystemTime;
use tokio::net::TcpListener;

#[derive(Clone, Default, AuthUser)]
struct Account {
    id: u64,
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

async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    account.email
}

fn app(config: AuthConfig) -> Router {
    let auth = auth_module! {
        config: config,
        features: [
            REGISTRATION,
            RESET_PASSWORDS,
            EMAIL_VERIFICATION,
            UPDATE_PROFILE_INFORMATION,
            UPDATE_PASSWORDS,
            TWO_FACTOR_AUTHENTICATION,
        ],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::new(),
        actions: StandardActions,
        // Nobody is to reach this host: it is there to be compiled.
        delivery: InResponse,
    };
    Router::new().route("/me", get(me)).nest("/auth", auth.router()).with_state(App { auth })
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let app = app(AuthConfig::from_env()?);
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
#[path = "../../../../../hosts/drive.rs"]
mod drive;

#[cfg(test)]
mod tests {
    use super::{app, drive};

    #[tokio::test]
    async fn a_session_from_registration_to_logout() {
        let config = axum_auth_module::testing::config().build().unwrap();
        drive::whole_session(app(config)).await.unwrap();
    }
    /// The counterpart of the host that lists one feature and contains neither.
    #[test]
    fn with_two_factor_authentication_one_time_codes_and_qr_codes_are_linked() {
        assert_eq!(drive::contains_second_factor().unwrap(), (true, true));
    }
}
