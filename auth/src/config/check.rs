//! Checks the options of a builder: the result is a valid configuration or all problems.

use super::{
    AuthConfig, AuthConfigBuilder, LONGEST_CHANGE, LONGEST_GRACE, LONGEST_REVERT, Limit, Settings, passwords,
};
use crate::config::error::NOT_SET;
use crate::config::{ConfigError, ConfigProblem};
use crate::crypto::encryption::{Encryption, KEY_BYTES};
use crate::crypto::keys::Secret;
use crate::values::Username;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ipnet::IpNet;
use std::collections::BTreeSet;
use std::slice;
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

/// The minimum length of the two signing secrets: the output length of their hash (RFC 7518 §3.2).
const SECRET_BYTES: usize = 32;
/// A secret with fewer different bytes was typed on a keyboard, not drawn at random.
const DIFFERENT_BYTES: usize = 8;
/// How many previous signing secrets there can be of each kind: a signature is tried with each of them.
const PREVIOUS_SECRETS: usize = 2;
/// A stored hash names its pepper, so there can be any number of them.
const PREVIOUS_PEPPERS: &str = "previous_password_peppers";

/// The longest lifetime and window. Longer ones are mistakes, such as milliseconds for seconds.
const LONGEST: Duration = Duration::from_secs(DAYS * 24 * 60 * 60);
const DAYS: u64 = 3650;
/// The longest time for which a previous refresh token is still accepted.
const LONGEST_REFRESH_GRACE: Duration = Duration::from_secs(3600);
/// A store over a network needs some milliseconds.
const SHORTEST_STORE_TIMEOUT: Duration = Duration::from_millis(10);
/// The maximum length of the application's name, with which the longest address still fits into a QR code.
const APP_NAME_CHARS: usize = 64;

const RELEASE_BUILD: &str = "the cheap hashes of `axum_auth_module::testing` protect no password, so a release build refuses them; \
                             for tests in release mode, set `debug-assertions = true` in their profile";
const NOT_RANDOM: &str = "it is not random; `openssl rand -base64 32` makes a secret";
const NO_KNOWN_CLIENT: &str = "there is no such limit any more: known clients have the short limits of all clients; set \
                               limits.login_account_and_client, limits.confirm_password or limits.two_factor";
const TOO_WIDE: &str = "expected networks of at most /8 (IPv4) or /7 (IPv6): a client in a trusted network chooses the address \
                        by which limits count it";

/// Builds the configuration from these options.
pub(super) fn config(builder: AuthConfigBuilder) -> Result<AuthConfig, ConfigError> {
    let mut problems = Problems::default();
    check_secrets(&builder.settings, &mut problems);
    for (option, secret) in signing_secrets(&builder.settings) {
        let differs = secret.expose().is_empty() || secret.expose() != builder.encryption_key.as_bytes();
        problems.unless(differs, "encryption_key", format!("it must differ from {option}"));
    }
    let key = problems.take(key(&builder.encryption_key), "encryption_key");
    let previous = builder.previous_encryption_keys.iter().map(|text| previous_key(text, &mut problems));
    let previous: Vec<_> = previous.collect();
    check_lifetimes(&builder.settings, &mut problems);
    check_numbers(&builder.settings, &mut problems);
    let mut builder = builder;
    match std::mem::take(&mut builder.site).relying_party(&builder.settings.app_name) {
        None => {}
        Some(Ok(site)) => builder.settings.relying_party = Some(site),
        Some(Err(invalid)) => {
            let (option, message) = invalid.problem();
            problems.unless(false, option, message);
        }
    }
    // Not a compile error: cargo may enable `testing` for a build in which only another package's tests use it.
    let refuses_cheap_hashes = cfg!(not(any(debug_assertions, axum_auth_module_cheap_hashes)));
    problems.unless(!(builder.allows_cheap_hashes && refuses_cheap_hashes), "bcrypt_cost", RELEASE_BUILD);
    for (option, message) in passwords::problems(&builder.settings, builder.allows_cheap_hashes) {
        problems.unless(false, option, message);
    }
    for (option, message) in builder.settings.browser.problems() {
        problems.unless(false, option, message);
    }
    for (option, message) in builder.settings.api_tokens.problems() {
        problems.unless(false, option, message);
    }
    ConfigError::check(problems.0)?;
    let previous: Vec<_> = previous.into_iter().flatten().map(|key| *key).collect();
    let encryption = key.map(|key| Encryption::new(&key, &previous));
    let encryption = encryption.ok_or_else(|| ConfigError::one("encryption_key", "it is missing"))?;
    Ok(AuthConfig { settings: Arc::new(builder.settings), encryption: Arc::new(encryption) })
}

/// The current secrets beside the encryption key.
fn signing_secrets(settings: &Settings) -> impl Iterator<Item = (&'static str, &Secret)> {
    let signing = [
        ("jwt_secret", settings.jwt_secrets.current()),
        ("refresh_secret", settings.refresh_secrets.current()),
    ];
    signing.into_iter().chain(settings.password_pepper.iter().map(|pepper| ("password_pepper", pepper)))
}

/// The rules of the signing secrets and the peppers. They hold for the previous ones, too: what a previous secret signed is
/// accepted.
fn check_secrets(settings: &Settings, problems: &mut Problems) {
    let Settings { jwt_secrets: jwt, refresh_secrets: refresh, .. } = settings;
    let mut known: Vec<(&'static str, &Secret)> = Vec::new();
    for (option, secrets) in [
        ("jwt_secret", slice::from_ref(jwt.current())),
        ("refresh_secret", slice::from_ref(refresh.current())),
        ("previous_jwt_secrets", jwt.previous()),
        ("previous_refresh_secrets", refresh.previous()),
        ("password_pepper", settings.password_pepper.as_slice()),
        (PREVIOUS_PEPPERS, settings.previous_password_peppers.as_slice()),
    ] {
        let at_most = format!("expected at most {PREVIOUS_SECRETS} secrets");
        problems.unless(secrets.len() <= PREVIOUS_SECRETS || option == PREVIOUS_PEPPERS, option, at_most);
        for secret in secrets {
            if secret.expose().is_empty() && matches!(option, "jwt_secret" | "refresh_secret") {
                problems.unless(false, option, NOT_SET);
                continue;
            }
            let long_enough = secret.expose().len() >= SECRET_BYTES;
            problems.unless(long_enough, option, format!("expected at least {SECRET_BYTES} bytes"));
            problems.unless(!long_enough || is_random(secret.expose()), option, NOT_RANDOM);
            if let Some((other, _)) = known.iter().find(|(_, known)| known.expose() == secret.expose()) {
                problems.unless(false, option, equal_secrets(option, other));
            }
            known.push((option, secret));
        }
    }
}

fn different_bytes(secret: &[u8]) -> usize {
    secret.iter().collect::<BTreeSet<_>>().len()
}

/// Whether a secret can have been drawn at random: it has some different bytes, and does not repeat itself.
fn is_random(secret: &[u8]) -> bool {
    let repeats =
        |period: usize| secret.iter().zip(secret.iter().skip(period)).all(|(one, next)| one == next);
    different_bytes(secret) >= DIFFERENT_BYTES && !(1..=secret.len() / 2).any(repeats)
}

/// The problem of an option that contains the secret of this other option.
fn equal_secrets(option: &str, other: &str) -> String {
    match (option, other) {
        ("refresh_secret" | "password_pepper", _) => format!("it must differ from {other}"),
        (_, "jwt_secret" | "refresh_secret" | "password_pepper") => {
            format!("each secret must differ from {other}")
        }
        _ if option == other => "it contains a secret twice".to_owned(),
        _ => format!("each secret must differ from those of {other}"),
    }
}

/// Decodes an encryption key from strict base64.
fn key(text: &str) -> Result<Zeroizing<[u8; KEY_BYTES]>, String> {
    if text.is_empty() {
        return Err(NOT_SET.to_owned());
    }
    let bytes = STANDARD.decode(text.as_bytes()).map(Zeroizing::new).ok();
    let key: Option<Zeroizing<[u8; KEY_BYTES]>> =
        bytes.and_then(|bytes| bytes.as_slice().try_into().ok().map(Zeroizing::new));
    let key = key.ok_or_else(|| format!("expected exactly {KEY_BYTES} bytes in base64, with padding"))?;
    if different_bytes(key.as_slice()) < DIFFERENT_BYTES { Err(NOT_RANDOM.to_owned()) } else { Ok(key) }
}

fn previous_key(text: &str, problems: &mut Problems) -> Option<Zeroizing<[u8; KEY_BYTES]>> {
    problems.take(key(text), "previous_encryption_keys")
}

fn check_lifetimes(settings: &Settings, problems: &mut Problems) {
    for (option, lifetime) in settings.lifetimes() {
        let possible = (Duration::from_secs(1)..=LONGEST).contains(&lifetime);
        problems.unless(possible, option, format!("expected one second to {DAYS} days"));
    }
    let (store, request) = (settings.store_timeout, settings.request_timeout);
    let possible = (SHORTEST_STORE_TIMEOUT..=request).contains(&store);
    problems.unless(possible, "store_timeout", "expected at least 10 ms, and at most request_timeout");
    let grace = settings.refresh_grace <= LONGEST_REFRESH_GRACE;
    problems.unless(
        grace,
        "refresh_grace",
        format!("expected at most {} seconds", LONGEST_REFRESH_GRACE.as_secs()),
    );
    problems.unless(
        settings.access_token_lifetime <= settings.refresh_token_lifetime,
        "access_token_lifetime",
        "an access token cannot outlive its refresh token (refresh_token_lifetime)",
    );
    problems.unless(
        settings.refresh_token_lifetime <= settings.session_lifetime,
        "refresh_token_lifetime",
        "a refresh token cannot outlive its session (session_lifetime)",
    );
}

fn check_numbers(settings: &Settings, problems: &mut Problems) {
    let name = &settings.app_name;
    problems.unless(!name.trim().is_empty(), "app_name", "it is empty");
    let short = name.chars().count() <= APP_NAME_CHARS;
    problems.unless(short, "app_name", format!("expected at most {APP_NAME_CHARS} characters"));
    let sessions = &settings.sessions;
    let max = (1..=1000).contains(&sessions.max_per_user);
    problems.unless(max, "sessions.max_per_user", "expected 1 to 1000 sessions");
    let interval = (60..=3600).contains(&sessions.touch_interval.as_secs());
    problems.unless(interval, "sessions.touch_interval", "expected 60 to 3600 seconds");
    problems.unless(settings.two_factor.window <= 10, "two_factor.window", "expected 0 to 10 steps");
    let length = (16..=64).contains(&settings.two_factor.secret_length);
    problems.unless(length, "two_factor.secret_length", "expected 16 to 64 bytes");
    let digits = (6..=10).contains(&settings.email_login.digits);
    problems.unless(digits, "email_login.digits", "expected 6 to 10 digits");
    let lifetime = (60..=1800).contains(&settings.email_login.lifetime.as_secs());
    problems.unless(lifetime, "email_login.lifetime", "expected 60 to 1800 seconds");
    let passkeys = (1..=100).contains(&settings.passkeys.max_per_user);
    problems.unless(passkeys, "passkeys.max_per_user", "expected 1 to 100 passkeys");
    let change = (Duration::from_secs(600)..=LONGEST_CHANGE).contains(&settings.email_change.lifetime);
    problems.unless(change, "email_change.lifetime", "expected 600 seconds to 7 days");
    let revert = settings.email_change.revert_lifetime;
    let revert = revert.is_zero() || (Duration::from_secs(86_400)..=LONGEST_REVERT).contains(&revert);
    problems.unless(revert, "email_change.revert_lifetime", "expected 1 to 30 days, or 0");
    problems.unless(
        settings.trusted_devices.is_valid(),
        "trusted_devices.lifetime",
        "expected 1 day to 90 days",
    );
    problems.unless(
        settings.invitations.is_valid(),
        "invitations.lifetime",
        "expected 3600 seconds to 30 days",
    );
    problems.unless(settings.deletion.grace <= LONGEST_GRACE, "deletion.grace", "expected 0 to 90 days");
    for name in &settings.reserved_usernames {
        let message =
            format!("{name:?} is no user name: 3 to 32 letters, digits, `.`, `_` and `-`, a letter first");
        problems.unless(Username::parse(name).is_ok(), "reserved_usernames", message);
    }
    let maintenance = (1..=86_400).contains(&settings.maintenance_interval.as_secs());
    problems.unless(maintenance, "maintenance_interval", "expected 1 second to 1 day");
    for network in &settings.trusted_proxies {
        problems.unless(is_narrow(network), "trusted_proxies", TOO_WIDE);
    }
    problems.unless(settings.body_limit >= 1024, "body_limit", "expected at least 1024 bytes");
    problems.unless(!settings.limits.sets_known_client(), "limits.known_client", NO_KNOWN_CLIENT);
    for name in Limit::ALL {
        let (option, limit) = (name.option(), settings.limits.of(*name));
        let usable = limit.limit > 0 && (Duration::from_secs(1)..=LONGEST).contains(&limit.window);
        let message = format!("expected a limit of at least 1 and a window of one second to {DAYS} days");
        problems.unless(usable, option, message);
    }
}

/// Whether a network can consist of proxies. The widest private networks are 10.0.0.0/8 and fc00::/7.
fn is_narrow(network: &IpNet) -> bool {
    network.prefix_len() >= if network.addr().is_ipv4() { 8 } else { 7 }
}

/// The problems found so far.
#[derive(Default)]
struct Problems(Vec<ConfigProblem>);

impl Problems {
    fn unless(&mut self, fine: bool, option: &'static str, message: impl Into<String>) {
        if !fine {
            self.0.push(ConfigProblem { option: option.into(), message: message.into() });
        }
    }

    /// Returns the value, or records the problem.
    fn take<T>(&mut self, read: Result<T, String>, option: &'static str) -> Option<T> {
        read.map_err(|message| self.unless(false, option, message)).ok()
    }
}
