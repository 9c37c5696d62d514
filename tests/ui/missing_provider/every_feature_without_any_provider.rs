//! Every feature is listed and no provider is given: one compilation reports them all, and each help is complete.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [
            REGISTRATION,
            RESET_PASSWORDS,
            EMAIL_VERIFICATION,
            UPDATE_PROFILE_INFORMATION,
            UPDATE_PASSWORDS,
            TWO_FACTOR_AUTHENTICATION,
            SESSIONS,
            BROWSER_SESSIONS,
            EMAIL_LOGIN,
            PASSWORDLESS_REGISTRATION,
            CHANGE_EMAILS,
            SECURITY_NOTICES,
            DELETE_ACCOUNTS,
            USERNAMES,
            PASSKEYS,
            SOCIAL_LOGIN,
            API_TOKENS,
            TRUSTED_DEVICES,
            INVITATIONS,
            SERVICE_TOKENS,
        ],
        user_repo: MemoryUsers::<Account>::default(),
    })
}

fn main() {
    let _ = host();
}
