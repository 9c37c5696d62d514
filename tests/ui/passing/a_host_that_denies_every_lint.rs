//! Generated code causes no lint, even if the host denies all.

#![deny(warnings, let_underscore, nonstandard_style, rust_2018_idioms, unused)]
#![deny(elided_lifetimes_in_paths, explicit_outlives_requirements, missing_docs, single_use_lifetimes)]
#![deny(trivial_casts, trivial_numeric_casts, unreachable_pub, unsafe_code, unused_lifetimes)]
#![deny(unused_import_braces, unused_qualifications, unused_results, variant_size_differences)]

use axum_auth_module::testing::{self, MemoryPasswordResets, MemoryUsers};
use axum_auth_module::{AuthModule, AuthUser, InResponse, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;
use axum_auth_module::feature::Feature;
use std::time::SystemTime;

#[derive(Clone, Default, AuthUser)]
struct Account {
    id: i64,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    #[auth(is_active)]
    open: bool,
}

fn each() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION, RESET_PASSWORDS, EMAIL_VERIFICATION, TWO_FACTOR_AUTHENTICATION],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::default(),
        actions: { CreatesNewUsers: StandardActions, ResetsUserPasswords: StandardActions },
        delivery: { PasswordReset: InResponse, EmailVerification: InResponse },
    })
}

fn one() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: enabled([Feature::UPDATE_PASSWORDS]) within [UPDATE_PASSWORDS, EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
        delivery: InResponse,
    })
}

pub(crate) fn main() -> Result<(), ConfigError> {
    drop((each()?, one()?));
    Ok(())
}
