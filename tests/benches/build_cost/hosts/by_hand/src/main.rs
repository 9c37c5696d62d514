//! What `cargo bench --manifest-path tests/benches/Cargo.toml --bench build_cost` compiles: the host of `with_macro`, line by line, without derive
//! and macro. What both of them write is written by hand here.

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::config::ConfigError;
use axum_auth_module::testing::{MemoryPasswordResets, MemoryUsers};
use axum_auth_module::user::ChangeError;
use axum_auth_module::user::{AuthUserMut, UserChange};
use axum_auth_module::{
    AuthConfig, AuthModule, AuthUser, BoxError, CurrentUser, InResponse, StandardActions,
};
use std::net::SocketAddr;
use std::time::SystemTime;
use tokio::net::TcpListener;

#[derive(Clone, Default)]
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

impl AuthUser for Account {
    type Id = u64;

    fn realm() -> &'static str {
        "accounts"
    }

    fn id(&self) -> &u64 {
        &self.id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn email(&self) -> &str {
        &self.email
    }

    fn password(&self) -> &str {
        &self.password
    }

    fn email_verified_at(&self) -> Option<SystemTime> {
        self.email_verified_at
    }

    fn two_factor_secret(&self) -> Option<&str> {
        self.two_factor_secret.as_deref()
    }

    fn two_factor_recovery_codes(&self) -> Option<&str> {
        self.two_factor_recovery_codes.as_deref()
    }

    fn two_factor_confirmed_at(&self) -> Option<SystemTime> {
        self.two_factor_confirmed_at
    }

    fn password_confirmed_at(&self) -> Option<SystemTime> {
        self.password_confirmed_at
    }
}

impl AuthUserMut for Account {
    fn set_id(&mut self, id: u64) {
        self.id = id;
    }

    fn set(&mut self, change: UserChange) -> Result<(), ChangeError> {
        match change {
            UserChange::Name(value) => self.name = value,
            UserChange::Email(value) => self.email = value,
            UserChange::Password(value) => self.password = value,
            UserChange::EmailVerifiedAt(value) => self.email_verified_at = value,
            UserChange::TwoFactorSecret(value) => self.two_factor_secret = value,
            UserChange::TwoFactorRecoveryCodes(value) => self.two_factor_recovery_codes = value,
            UserChange::TwoFactorConfirmedAt(value) => self.two_factor_confirmed_at = value,
            UserChange::PasswordConfirmedAt(value) => self.password_confirmed_at = value,
            unknown => return Err(ChangeError::UnknownField(unknown.field())),
        }
        Ok(())
    }
}

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    account.email
}

fn app(config: AuthConfig) -> Result<Router, ConfigError> {
    let auth = AuthModule::builder(config, MemoryUsers::<Account>::default())
        .registration(StandardActions)
        // Nobody is to reach this host: it is there to be compiled.
        .reset_passwords(MemoryPasswordResets::new(), StandardActions, InResponse)
        .email_verification(InResponse)
        .update_profile_information(StandardActions)
        .update_passwords(StandardActions)
        .two_factor_authentication()
        .build()?;
    Ok(Router::new().route("/me", get(me)).nest("/auth", auth.router()).with_state(App { auth }))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let app = app(AuthConfig::from_env()?)?;
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
        drive::whole_session(app(config).unwrap()).await.unwrap();
    }
}
