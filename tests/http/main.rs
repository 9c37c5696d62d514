//! The library from outside: over a socket, as its clients see it.
//!
//! Time is moved and never slept through; races are real. Whatever a test is about, every answer is also held against
//! the promises that all answers keep ([`support::answer`]).
//!
//! The tests run on the bearer router and on the browser router ([`support::routers`]), but for those of something that only
//! one of them has.
//!
//! Each family of attacks is in a file of `tests/attacks`, which is a module of this binary.
//!
//! A new feature adds two lines here: its folder, and its call in [`with_every_feature`].

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::needless_pass_by_value,
    reason = "a test that cannot go on has failed; clippy knows only the functions marked #[test]"
)]

mod api_tokens;
mod assurance;
#[path = "../attacks/mod.rs"]
mod attacks;
mod audit;
mod browser_sessions;
mod change_emails;
mod delete_accounts;
mod email_login;
mod email_verification;
mod every_route;
mod impersonation;
mod invitations;
mod login;
mod passkeys;
mod password_confirmation;
mod passwordless_registration;
mod registration;
mod reset_passwords;
mod secret_rotation;
mod security_notices;
mod service_tokens;
mod sessions;
mod social_login;
mod support;
mod test_kit;
mod trusted_devices;
mod two_factor_authentication;
mod update_passwords;
mod update_profile_information;
mod usernames;
mod ways_in;

use axum_auth_module::feature::FeatureSet;
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::testing::{
    MemoryApiTokens, MemoryDeletions, MemoryIdentities, MemoryPasskeys, MemoryPasswordResets,
};
use axum_auth_module::{AuthModule, StandardActions};
use support::provider::{internet, social_providers};
use support::providers::{Deletes, Outbox};
use support::{Builder, api_scopes, service_keys};

/// Adds every feature, with the standard actions. The tests of every endpoint, those of disabled features, and the tables
/// in the documentation take the features from here.
fn with_every_feature(builder: Builder, resets: &MemoryPasswordResets, outbox: &Outbox) -> Builder {
    builder
        .registration(StandardActions)
        .reset_passwords(resets.clone(), StandardActions, outbox.clone())
        .email_verification(outbox.clone())
        .notices(outbox.clone())
        .update_profile_information(StandardActions)
        .update_passwords(StandardActions)
        .two_factor_authentication()
        .sessions(MemorySessions::new())
        .browser_sessions()
        .email_login(outbox.clone())
        .passwordless_registration(StandardActions)
        .change_emails(outbox.clone())
        .security_notices(outbox.clone())
        .delete_accounts(MemoryDeletions::new(), Deletes::default(), outbox.clone())
        .usernames()
        .passkeys(MemoryPasskeys::new())
        .social_login(MemoryIdentities::new(), social_providers(), internet())
        .api_tokens(MemoryApiTokens::new(), api_scopes())
        .trusted_devices()
        .invitations(outbox.clone())
        .service_tokens(service_keys())
}

#[test]
fn every_feature_is_tested() {
    let config = support::config().build().unwrap();
    let builder = AuthModule::builder(config, support::memory_users());
    let module = with_every_feature(builder, &MemoryPasswordResets::new(), &Outbox::default()).build();
    let missing = FeatureSet::all().difference(module.unwrap().features());
    assert!(missing.is_empty(), "`with_every_feature` has no call for {missing}");
}
