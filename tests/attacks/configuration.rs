//! Options that are wrong or weak: each is named, all at once, and no secret is repeated (RFC 7518 §3.2; ASVS 11.2.3).

use super::target::{Target, attacks};
use axum_auth_module::AuthConfig;
use axum_auth_module::config::{
    AuthConfigBuilder, BrowserOptions, RateLimit, RateLimits, SessionOptions, TwoFactorOptions,
};
use axum_auth_module::testing;
use std::time::Duration;

attacks! {
    on_the_bearer_router {
        secrets_that_are_wrong: 22,
        options_that_are_wrong: 48,
        everything_wrong_at_once: 1,
    }
}

/// Three that are right.
const JWT: &str = "the secret that signs access tokens";
const REFRESH: &str = "the secret that signs refresh tokens";
const KEY: &str = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

/// The options that are reported, and nothing that was in them.
fn reported(builder: AuthConfigBuilder, secrets: &[&str]) -> Vec<String> {
    let Err(error) = builder.build() else { return Vec::new() };
    let shown = format!("{error} {error:?}");
    for secret in secrets.iter().filter(|secret| secret.len() > 3) {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert!(error.problems().iter().all(|problem| !problem.message.is_empty()), "{shown}");
    error.problems().iter().map(|problem| problem.option.to_string()).collect()
}

async fn secrets_that_are_wrong() -> Target {
    let target = Target::start().await;
    let build = |jwt: &str, refresh: &str, key: &str| {
        reported(AuthConfig::builder(jwt, refresh, key), &[jwt, refresh, key])
    };
    target.works("three that are right", build(JWT, REFRESH, KEY).is_empty());
    let (short, same) = ("a secret of thirty-one bytes...", "a secret that is used for two things");
    for (what, jwt, refresh, key, options) in [
        ("no secret", "", REFRESH, KEY, &["jwt_secret"][..]),
        ("a short secret", short, REFRESH, KEY, &["jwt_secret"]),
        ("a word", "changeme", REFRESH, KEY, &["jwt_secret"]),
        ("no refresh secret", JWT, "", KEY, &["refresh_secret"]),
        ("a short refresh secret", JWT, short, KEY, &["refresh_secret"]),
        ("one secret for both", same, same, KEY, &["refresh_secret"]),
        ("no key", JWT, REFRESH, "", &["encryption_key"]),
        ("a key that is a text", JWT, REFRESH, "a key of thirty-two bytes, plain!", &["encryption_key"]),
        ("16 bytes", JWT, REFRESH, "MDEyMzQ1Njc4OTAxMjM0NQ==", &["encryption_key"]),
        ("31 bytes", JWT, REFRESH, "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MA==", &["encryption_key"]),
        ("33 bytes", JWT, REFRESH, "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEy", &["encryption_key"]),
        ("no padding", JWT, REFRESH, &KEY[..43], &["encryption_key"]),
        ("a newline", JWT, REFRESH, &format!("{KEY}\n"), &["encryption_key"]),
        ("base64url", JWT, REFRESH, &"_".repeat(43).replace("___", "A_A"), &["encryption_key"]),
        ("hexadecimal", JWT, REFRESH, &"0f".repeat(32), &["encryption_key"]),
        ("the key as a secret", KEY, REFRESH, KEY, &["encryption_key"]),
        ("the key as the refresh secret", JWT, KEY, KEY, &["encryption_key"]),
        ("all missing", "", "", "", &["jwt_secret", "refresh_secret", "encryption_key"]),
        ("all short", "a", "b", "c", &["jwt_secret", "refresh_secret", "encryption_key"]),
    ] {
        let found = build(jwt, refresh, key);
        target.withstands(
            format!("{what}: {found:?}"),
            options.iter().all(|option| found.iter().any(|f| f == option)),
        );
    }
    let base = || AuthConfig::builder(JWT, REFRESH, KEY);
    for (builder, option) in [
        (base().previous_jwt_secrets([short]), "previous_jwt_secrets"),
        (base().previous_refresh_secrets([JWT]), "previous_refresh_secrets"),
        (base().previous_encryption_keys([short]), "previous_encryption_keys"),
    ] {
        let found = reported(builder, &[short, JWT]);
        target.withstands(format!("{option}: {found:?}"), found == [option]);
    }
    target
}

async fn options_that_are_wrong() -> Target {
    let target = Target::start().await;
    let base = || AuthConfig::builder(JWT, REFRESH, KEY);
    target.works("the defaults", reported(base(), &[]).is_empty());
    let seconds = Duration::from_secs;
    let (two_factor, sessions, browser) =
        (TwoFactorOptions::default, SessionOptions::default, BrowserOptions::default);
    let with_two_factor = |change: fn(&mut TwoFactorOptions)| {
        let mut options = two_factor();
        change(&mut options);
        base().two_factor(options)
    };
    let with_sessions = |change: fn(&mut SessionOptions)| {
        let mut options = sessions();
        change(&mut options);
        base().sessions(options)
    };
    let with_limits = |change: fn(&mut RateLimits)| {
        let mut limits = RateLimits::default();
        change(&mut limits);
        base().limits(limits)
    };
    for (builder, option) in [
        (base().bcrypt_cost(9), "bcrypt_cost"),
        (base().bcrypt_cost(4), "bcrypt_cost"),
        (base().bcrypt_cost(17), "bcrypt_cost"),
        (base().bcrypt_cost(31), "bcrypt_cost"),
        (testing::config().bcrypt_cost(3), "bcrypt_cost"),
        (base().password_min_characters(7), "password_min_characters"),
        (base().password_min_characters(0), "password_min_characters"),
        (base().password_min_characters(65), "password_min_characters"),
        (base().argon2_memory(1024), "argon2_memory"),
        (base().argon2_parallelism(0), "argon2_parallelism"),
        (base().password_pepper("short"), "password_pepper"),
        (base().password_pepper(JWT), "password_pepper"),
        (base().password_queue(0), "password_queue"),
        (base().app_name(""), "app_name"),
        (base().app_name(" "), "app_name"),
        (base().app_name("x".repeat(65)), "app_name"),
        (base().access_token_lifetime(seconds(0)), "access_token_lifetime"),
        (base().access_token_lifetime(seconds(8 * 24 * 3600)), "access_token_lifetime"),
        (base().refresh_token_lifetime(seconds(31 * 24 * 3600)), "refresh_token_lifetime"),
        (base().session_lifetime(Duration::MAX), "session_lifetime"),
        (base().password_timeout(seconds(0)), "password_timeout"),
        (base().password_timeout(Duration::MAX), "password_timeout"),
        (base().reset_token_lifetime(seconds(0)), "reset_token_lifetime"),
        (base().verification_link_lifetime(Duration::MAX), "verification_link_lifetime"),
        (base().refresh_grace(seconds(3601)), "refresh_grace"),
        (base().request_timeout(Duration::MAX), "request_timeout"),
        (base().store_timeout(seconds(0)), "store_timeout"),
        (base().store_timeout(seconds(3600)), "store_timeout"),
        (base().body_limit(0), "body_limit"),
        (base().body_limit(1023), "body_limit"),
        (base().trusted_proxies(["0.0.0.0/0".parse().unwrap()]), "trusted_proxies"),
        (base().trusted_proxies(["::/0".parse().unwrap()]), "trusted_proxies"),
        (base().trusted_proxies(["128.0.0.0/1".parse().unwrap()]), "trusted_proxies"),
        (with_two_factor(|options| options.window = 11), "two_factor.window"),
        (with_two_factor(|options| options.window = u16::MAX), "two_factor.window"),
        (with_two_factor(|options| options.secret_length = 15), "two_factor.secret_length"),
        (with_two_factor(|options| options.secret_length = 65), "two_factor.secret_length"),
        (with_sessions(|options| options.max_per_user = 0), "sessions.max_per_user"),
        (with_sessions(|options| options.max_per_user = 1001), "sessions.max_per_user"),
        (with_sessions(|options| options.touch_interval = Duration::ZERO), "sessions.touch_interval"),
        (with_limits(|limits| limits.login_account = RateLimit::per_seconds(0, 60)), "limits.login_account"),
        (with_limits(|limits| limits.two_factor = RateLimit::per_seconds(5, 0)), "limits.two_factor"),
        (base().browser(browser().name("Auth;")), "browser.name"),
        (base().browser(browser().allowed_origins(["*"])), "browser.allowed_origins"),
        (base().browser(browser().allowed_origins(["http://example.com"])), "browser.allowed_origins"),
        // Whatever stands in an option, a problem does not repeat it.
        (
            base().browser(browser().allowed_origins(["https://ada:hunter2@example.com"])),
            "browser.allowed_origins",
        ),
        (base().browser(browser().login_page("//evil.example")), "browser.login_page"),
        (base().browser(browser().idle_lifetime(seconds(60))), "browser.idle_lifetime"),
    ] {
        let found = reported(builder, &[JWT, REFRESH, KEY, "hunter2"]);
        let only = !found.is_empty() && found.iter().all(|found| found == option);
        target.withstands(format!("{option}: {found:?}"), only);
    }
    target
}

async fn everything_wrong_at_once() -> Target {
    let target = Target::start().await;
    let mut two_factor = TwoFactorOptions::default();
    two_factor.window = 11;
    let builder = |jwt: &str, cost: u32, two_factor: TwoFactorOptions| {
        AuthConfig::builder(jwt, REFRESH, KEY)
            .bcrypt_cost(cost)
            .two_factor(two_factor)
            .body_limit(cost as usize * 200)
    };
    let found = reported(builder("a short secret", 4, two_factor), &["a short secret", REFRESH, KEY]);
    let options = ["jwt_secret", "bcrypt_cost", "two_factor.window", "body_limit"];
    let all = options.iter().all(|option| found.iter().any(|found| found == option));
    target.withstands(format!("{found:?}"), all && found.len() == options.len());
    target.works("nothing wrong", reported(builder(JWT, 12, TwoFactorOptions::default()), &[]).is_empty());
    target
}
