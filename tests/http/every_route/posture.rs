//! What a module says of its own deviations from OWASP ASVS.

use crate::support::logs::OfThisThread;
use crate::support::providers::Outbox;
use crate::support::{App, addresses_of_profiles, memory_users};
use crate::with_every_feature;
use axum::body::Bytes;
use axum::http::{Request, Response};
use axum_auth_module::config::{
    AuthConfigBuilder, BcryptImplementation, BrowserOptions, EmailLoginOptions, EmailLoginProof,
    PasswordHash, RateLimit, RateLimits, SessionOptions, TwoFactorOptions, WhenOff,
};
use axum_auth_module::events::EventChannel;
use axum_auth_module::http::{HttpClient, HttpError};
use axum_auth_module::policy::{BreachedPasswords, CommonPasswords};
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::MemoryPasswordResets;
use axum_auth_module::{AuthModule, InResponse, StandardActions, async_trait};
use std::time::Duration;
use tracing::Level;

/// A service of leaked passwords that nobody asks.
struct NoService;

#[async_trait]
impl HttpClient for NoService {
    async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        Err(HttpError::not_sent("it is not asked"))
    }
}

/// The options that a module with every feature and this configuration lists.
fn options(config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> Vec<&'static str> {
    module(config).posture().iter().map(|deviation| deviation.option).collect()
}

fn module(
    config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
) -> AuthModule<crate::support::Account> {
    let config = config(crate::support::config()).build().unwrap();
    let builder = AuthModule::builder(config, memory_users());
    with_every_feature(builder, &MemoryPasswordResets::new(), &Outbox::default()).build().unwrap()
}

#[test]
fn a_module_with_default_options_lists_what_the_requirements_leave_open() {
    let expected = [
        "store",
        "events",
        "policy",
        "policy",
        "policy",
        "passwords",
        "audience",
        "bcrypt_implementation",
        "reset_token_lifetime",
        "verification_link_lifetime",
        "recovery codes",
        "two_factor.confirm_with_code",
        "two_factor.window",
        "email_login",
        "email_login.proof",
        "store",
        "store",
    ];
    assert_eq!(options(|config| config), expected);
}

#[test]
fn what_is_switched_on_or_given_is_not_listed() {
    let mut two_factor = TwoFactorOptions::default();
    two_factor.confirm_with_code = true;
    two_factor.window = 0;
    let mut email_login = EmailLoginOptions::default();
    email_login.proof = EmailLoginProof::Link;
    let config = crate::support::config()
        .audience("api")
        .email_login(email_login)
        .confirm_email_change(true)
        .two_factor(two_factor)
        .reset_token_lifetime(Duration::from_secs(600))
        .verification_link_lifetime(Duration::from_secs(600))
        .bcrypt_implementation(BcryptImplementation::Crate)
        .password_hash(PasswordHash::Argon2id)
        .argon2_memory(19_456)
        .argon2_iterations(2)
        .build()
        .unwrap();
    let builder = AuthModule::builder(config, memory_users()).session_repo(MemorySessions::new());
    let builder = builder
        .store(MemoryStore::new())
        .events(EventChannel::new(8))
        .policy((CommonPasswords, BreachedPasswords::new(NoService)));
    let outbox = Outbox::default();
    let module = with_every_feature(builder, &MemoryPasswordResets::new(), &outbox).build().unwrap();
    let posture = module.posture();
    let listed: Vec<_> = posture.iter().map(|deviation| deviation.option).collect();
    assert_eq!(listed, ["passwords", "recovery codes", "email_login", "store", "store"]);
}

#[test]
fn each_option_that_allows_more_is_listed() {
    let usual = options(|config| config);
    let mut sessions = SessionOptions::default();
    sessions.confirm_password = false;
    let two_factor = |change: fn(&mut TwoFactorOptions)| {
        let mut options = TwoFactorOptions::default();
        change(&mut options);
        options
    };
    let mut limits = RateLimits::default();
    limits.login_account = RateLimit::per_seconds(31, 3600);
    limits.login_client = RateLimit::per_seconds(30, 60);
    let weak = |config: AuthConfigBuilder| config.password_hash(PasswordHash::Argon2id).argon2_memory(9216);
    let cases: [(&str, Vec<&str>); 8] = [
        ("argon2_memory", options(|config| weak(config).argon2_iterations(4))),
        ("sessions.confirm_password", options(|config| config.sessions(sessions))),
        (
            "two_factor.confirm_password",
            options(|config| config.two_factor(two_factor(|options| options.confirm_password = false))),
        ),
        (
            "two_factor.confirm",
            options(|config| config.two_factor(two_factor(|options| options.confirm = false))),
        ),
        (
            "two_factor.when_off",
            options(|config| {
                config.two_factor(two_factor(|options| options.when_off = WhenOff::PasswordAlone))
            }),
        ),
        ("limits.login_account", options(|config| config.limits(limits))),
        ("refresh_grace", options(|config| config.refresh_grace(Duration::from_secs(61)))),
        (
            "browser.insecure_for_development",
            options(|config| config.browser(BrowserOptions::default().insecure_for_development())),
        ),
    ];
    for (option, listed) in cases {
        let more: Vec<_> = listed.iter().filter(|listed| !usual.contains(listed)).collect();
        assert_eq!(more, [&option]);
    }
}

#[test]
fn what_a_policy_compares_passwords_with_is_not_listed() {
    let asvs = |policy: Option<CommonPasswords>| -> Vec<_> {
        let module =
            AuthModule::builder(crate::support::config().build().unwrap(), memory_users()).policy(policy);
        let posture = module.build().unwrap().posture();
        posture.into_iter().filter(|line| line.option == "policy").flat_map(|line| line.asvs).collect()
    };
    assert_eq!(asvs(Some(CommonPasswords)), [&"6.2.12"]);
    assert_eq!(asvs(None), [&"6.2.4", &"6.1.2", &"6.2.11", &"6.2.12"]);
}

/// The log tells what a module without a delivery does with a notice. Only an address that a module verifies is told.
#[test]
fn notices_that_go_nowhere_are_listed() {
    let has_notices = |of: fn(crate::support::Builder) -> crate::support::Builder| {
        let builder = AuthModule::builder(crate::support::config().build().unwrap(), memory_users());
        let posture = of(builder.update_profile_information(StandardActions)).build().unwrap().posture();
        posture.iter().all(|deviation| deviation.option != "notices" || deviation.asvs != ["6.3.7"])
    };
    assert!(has_notices(|module| module));
    assert!(!has_notices(|module| module.email_verification(Outbox::default())));
    assert!(has_notices(|module| module.email_verification(Outbox::default()).notices(Outbox::default())));
}

#[test]
fn tokens_in_responses_are_listed_and_are_warnings() {
    let log = OfThisThread::record();
    let config = crate::support::config().build().unwrap();
    let module = AuthModule::builder(config, memory_users())
        .reset_passwords(MemoryPasswordResets::new(), StandardActions, InResponse)
        .email_verification(InResponse)
        .build()
        .unwrap();
    let posture = module.posture();
    assert_eq!(log.lines_with("messages to users are in responses"), 2);
    for option in ["password_reset_delivery", "email_verification_delivery"] {
        assert!(posture.iter().any(|deviation| deviation.option == option), "{option}");
    }
}

#[tokio::test]
async fn the_list_is_in_the_log_at_start_up() {
    let app = |level| async move {
        let log = OfThisThread::record_at(level);
        (App::with_everything().await.auth.posture(), log)
    };
    let (posture, log) = app(Level::DEBUG).await;
    for deviation in &posture {
        assert_eq!(log.lines_with(&deviation.message), 1, "{deviation}");
    }
    // The first thing that a developer sees of the library is not a list.
    let (posture, log) = app(Level::INFO).await;
    assert_eq!(posture.iter().map(|deviation| log.lines_with(&deviation.message)).sum::<usize>(), 0);
    let lines: Vec<_> = log.lines().into_iter().filter(|line| line.contains("deviates from ASVS")).collect();
    assert!(lines.len() == 1 && lines[0].contains(&format!("number={}", posture.len())), "{lines:?}");
}

#[test]
fn a_deviation_is_a_line_with_the_requirements() {
    let builder = AuthModule::builder(crate::support::config().build().unwrap(), memory_users());
    let builder = with_every_feature(builder, &MemoryPasswordResets::new(), &Outbox::default());
    let posture = addresses_of_profiles(builder).build().unwrap().posture();
    let of_email = posture.iter().find(|deviation| deviation.option == "confirm_email_change").unwrap();
    let line = "confirm_email_change: anyone with a session can change the address that receives reset tokens (ASVS 7.5.1)";
    assert_eq!(of_email.to_string(), line);
}

/// What docs/asvs.md says is met with an option, is a deviation while the option has its default value.
#[test]
fn the_posture_has_each_requirement_that_an_option_meets() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/asvs.md")).unwrap();
    let listed: Vec<_> = module(|config| config).posture().iter().flat_map(|found| found.asvs).collect();
    let rows = page.lines().filter(|row| row.contains("| met with an option: "));
    // The module of these tests has every feature.
    let rows: Vec<_> = rows.filter(|row| !row.contains("met with an option: BROWSER_SESSIONS")).collect();
    let ids = rows.iter().filter_map(|row| row.split('|').nth(1)).map(str::trim);
    let missing: Vec<_> = ids.filter(|id| !listed.contains(&id)).collect();
    assert!(rows.len() >= 10 && missing.is_empty(), "{missing:?} of {}", rows.len());
}
