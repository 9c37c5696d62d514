//! `llms.txt` names what exists.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed; clippy knows only the functions marked #[test]"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names, in the order of the file: the compiler says which of them does not exist.
#[rustfmt::skip]
#[allow(missing_docs, reason = "a list of names")]
pub mod names {
    pub use axum_auth_module::auth_module;
    pub use axum_auth_module::AuthUser;
    pub use axum_auth_module::AuthModule;
    pub use axum_auth_module::AuthModuleBuilder;
    pub use axum_auth_module::Admin;
    pub use axum_auth_module::Impersonation;
    pub use axum_auth_module::Impersonator;
    pub use axum_auth_module::AuthConfig;
    pub use axum_auth_module::AuthError;
    pub use axum_auth_module::BoxError;
    pub use axum_auth_module::async_trait;
    pub use axum_auth_module::CurrentUser;
    pub use axum_auth_module::VerifiedUser;
    pub use axum_auth_module::ConfirmedUser;
    pub use axum_auth_module::Claims;
    pub use axum_auth_module::extract::Assured;
    pub use axum_auth_module::assurance::Assurance;
    pub use axum_auth_module::assurance::Level;
    pub use axum_auth_module::PageUser;
    pub use axum_auth_module::Browser;
    pub use axum_auth_module::StandardActions;
    pub use axum_auth_module::InResponse;
    pub use axum_auth_module::actions::CreatesNewUsers;
    pub use axum_auth_module::actions::CreatesPasswordlessUsers;
    pub use axum_auth_module::actions::ResetsUserPasswords;
    pub use axum_auth_module::actions::UpdatesUserPasswords;
    pub use axum_auth_module::actions::UpdatesUserProfile;
    pub use axum_auth_module::actions::ActionContext;
    pub use axum_auth_module::actions::ActionError;
    pub use axum_auth_module::repository::UserRepository;
    pub use axum_auth_module::repository::PasswordResetRepository;
    pub use axum_auth_module::repository::PasskeyRepository;
    pub use axum_auth_module::repository::IdentityRepository;
    pub use axum_auth_module::repository::DeletionRepository;
    pub use axum_auth_module::repository::ApiTokenRepository;
    pub use axum_auth_module::repository::SessionRepository;
    pub use axum_auth_module::repository::RepositoryError;
    pub use axum_auth_module::delivery::Delivers;
    pub use axum_auth_module::delivery::PasswordResetMessage;
    pub use axum_auth_module::delivery::EmailVerificationMessage;
    pub use axum_auth_module::delivery::EmailLoginMessage;
    pub use axum_auth_module::delivery::EmailChangeMessage;
    pub use axum_auth_module::delivery::SecurityNoticeMessage;
    pub use axum_auth_module::events::EventSink;
    pub use axum_auth_module::events::Event;
    pub use axum_auth_module::store::EphemeralStore;
    pub use axum_auth_module::store::MemoryStore;
    pub use axum_auth_module::store::RedisStore;
    pub use axum_auth_module::policy::Policy;
    pub use axum_auth_module::policy::CommonPasswords;
    pub use axum_auth_module::policy::BreachedPasswords;
    pub use axum_auth_module::http::HttpClient;
    pub use axum_auth_module::http::HttpError;
    pub use axum_auth_module::http::OutboundClient;
    pub use axum_auth_module::social::SocialProviders;
    pub use axum_auth_module::social::SocialProvider;
    pub use axum_auth_module::social::ReadsProfile;
    pub use axum_auth_module::passwords::PasswordVerifier;
    pub use axum_auth_module::config::AuthConfigBuilder;
    pub use axum_auth_module::config::PasswordHash;
    pub use axum_auth_module::config::RateLimits;
    pub use axum_auth_module::config::SessionOptions;
    pub use axum_auth_module::config::BrowserOptions;
    pub use axum_auth_module::config::TwoFactorOptions;
    pub use axum_auth_module::feature::Feature;
    pub use axum_auth_module::feature::FeatureSet;
    pub use axum_auth_module::services::LoginService;
    pub use axum_auth_module::user::NewUser;
    pub use axum_auth_module::user::UserPatch;
    pub use axum_auth_module::user::UserField;
    pub use axum_auth_module::sql::migrate;
    pub use axum_auth_module::sql::migrate_only;
    pub use axum_auth_module::sql::SqlUsers;
    pub use axum_auth_module::sql::SqlPasswordResets;
    pub use axum_auth_module::sql::SqlPasskeys;
    pub use axum_auth_module::sql::SqlIdentities;
    pub use axum_auth_module::sql::SqlDeletions;
    pub use axum_auth_module::sql::SqlApiTokens;
    pub use axum_auth_module::sql::SqlSessions;
    pub use axum_auth_module::sql::SqlStore;
    pub use axum_auth_module::sql::SqlAuditLog;
    pub use axum_auth_module::mail::Mailer;
    pub use axum_auth_module::mail::MailDelivery;
    pub use axum_auth_module::openapi::OpenApi;
    pub use axum_auth_module::languages::Messages;
    pub use axum_auth_module::telemetry::Metric;
    pub use axum_auth_module::command::run;
    pub use axum_auth_module::testing::config;
    pub use axum_auth_module::testing::MemoryUsers;
    pub use axum_auth_module::testing::MovableClock;
    pub use axum_auth_module::testing::login_as;
    pub use axum_auth_module::testing::Client;
    pub use axum_auth_module::testing::Outbox;
    pub use axum_auth_module::testing::totp_now;
    pub use axum_auth_module::testing::Faults;
    pub use axum_auth_module::testing::conformance;
}

fn text() -> String {
    fs::read_to_string(root().join("llms.txt")).unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn every_name_exists() {
    let text = text();
    let named: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("- `")?.split_once("`: ")).collect();
    let compiled = include_str!("llms.rs").lines();
    let compiled: Vec<_> =
        compiled.filter_map(|line| line.strip_prefix("    pub use ")?.strip_suffix(';')).collect();
    assert_eq!(named.iter().map(|(name, _)| *name).collect::<Vec<_>>(), compiled);
    assert!(compiled.len() > 50);
    assert!(named.iter().all(|(_, description)| !description.is_empty()));
}

/// A public item at the root of the crate is what nearly every host names.
#[test]
fn everything_at_the_root_is_named() {
    let library = include_str!("../src/lib.rs");
    let exported = library.lines().filter_map(|line| line.strip_prefix("pub use ")?.strip_suffix(';'));
    let exported = exported.filter(|path| !path.starts_with("features::"));
    let names: BTreeSet<_> = exported
        .flat_map(|path| path.rsplit("::").next().unwrap().trim_matches(['{', '}']).split(", "))
        .collect();
    let text = text();
    for name in &names {
        assert!(text.contains(&format!("- `axum_auth_module::{name}`: ")), "llms.txt lacks {name}");
    }
    assert!(names.contains("AuthConfig") && names.contains("CurrentUser"));
}

#[test]
fn every_public_module_is_named() {
    let text = text();
    let library = include_str!("../src/lib.rs");
    let modules = library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    // What a host seldom names, and text alone.
    let others =
        ["client", "clock", "endpoint", "error", "extract", "given", "guide", "posture", "private", "values"];
    for module in modules.filter(|module| !others.contains(module)) {
        assert!(text.contains(&format!("- `axum_auth_module::{module}::")), "llms.txt lacks {module}");
    }
}

#[test]
fn every_link_leads_to_a_file() {
    let text = text();
    let links: Vec<_> = text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()).collect();
    assert!(links.len() > 10);
    for link in links {
        assert!(root().join(link).exists(), "{link}");
    }
}
