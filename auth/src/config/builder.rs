//! From options to a configuration that is valid, or to everything that is wrong with it.

use super::{AuthConfig, RateLimits, Settings};
use crate::clock::{Clock, SystemClock};
use crate::crypto::keys::Secret;
use crate::error::{ConfigError, ConfigProblem};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ipnet::IpNet;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

/// Least length of the two signing secrets: the output length of their hash (RFC 7518 §3.2).
const SECRET_BYTES: usize = 32;
/// Length of the encryption key (requirements §8).
const ENCRYPTION_KEY_BYTES: usize = 32;
/// Least bcrypt cost (contract §4); 16 takes some three seconds a hash.
const BCRYPT_COSTS: RangeInclusive<u32> = 10..=16;

/// Collects options; [`build`](Self::build) says whether they can work. Made by [`AuthConfig::builder`].
#[derive(Clone)]
pub struct AuthConfigBuilder {
    encryption_key: Zeroizing<String>,
    bcrypt_costs: RangeInclusive<u32>,
    settings: Settings,
}

impl AuthConfigBuilder {
    pub(super) fn new(jwt_secret: String, refresh_secret: String, encryption_key: String) -> Self {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let settings = Settings {
            jwt_secret: Secret::new(jwt_secret.into_bytes()),
            refresh_secret: Secret::new(refresh_secret.into_bytes()),
            app_name: "auth".to_owned(),
            issuer: None,
            audience: None,
            access_token_life: Duration::from_secs(15 * 60),
            refresh_token_life: Duration::from_secs(7 * 24 * 3600),
            session_life: Duration::from_secs(30 * 24 * 3600),
            refresh_grace: Duration::from_secs(10),
            password_timeout: Duration::from_secs(900),
            password_min_characters: 8,
            bcrypt_cost: 12,
            password_threads: threads,
            password_queue: 32 * threads.get(),
            body_limit: 64 * 1024,
            request_timeout: Duration::from_secs(20),
            trusted_proxies: Vec::new(),
            limits: RateLimits::default(),
            clock: Arc::new(SystemClock),
        };
        Self { encryption_key: Zeroizing::new(encryption_key), bcrypt_costs: BCRYPT_COSTS, settings }
    }

    /// The application's name, as authenticator apps and mails show it. Default `auth`.
    #[must_use]
    pub fn app_name(mut self, name: impl Into<String>) -> Self {
        self.settings.app_name = name.into();
        self
    }

    /// `iss` of access and refresh tokens (RFC 7519 §4.1.1). Once set, tokens without it are refused. Default none.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.settings.issuer = Some(issuer.into());
        self
    }

    /// `aud` of access and refresh tokens (RFC 7519 §4.1.3). Once set, tokens without it are refused. Default none.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.settings.audience = Some(audience.into());
        self
    }

    /// How long an access token lives. Default 15 minutes.
    #[must_use]
    pub fn access_token_life(mut self, life: Duration) -> Self {
        self.settings.access_token_life = life;
        self
    }

    /// How long a refresh token lives, and with it a session in which nothing happens. Default 7 days.
    #[must_use]
    pub fn refresh_token_life(mut self, life: Duration) -> Self {
        self.settings.refresh_token_life = life;
        self
    }

    /// How long a session lives from its login on, however often it is refreshed. Default 30 days.
    #[must_use]
    pub fn session_life(mut self, life: Duration) -> Self {
        self.settings.session_life = life;
        self
    }

    /// How long a refresh token that was just used still answers, for a client whose answer got lost and for tabs
    /// that refresh at once. Default 10 seconds; zero makes every second use end the session.
    #[must_use]
    pub fn refresh_grace(mut self, grace: Duration) -> Self {
        self.settings.refresh_grace = grace;
        self
    }

    /// How long a password counts as recently confirmed. Default 900 seconds.
    #[must_use]
    pub fn password_timeout(mut self, timeout: Duration) -> Self {
        self.settings.password_timeout = timeout;
        self
    }

    /// The least length of a new password in characters, 8 to 64 (ASVS 6.2.1). Default 8.
    #[must_use]
    pub fn password_min_characters(mut self, characters: usize) -> Self {
        self.settings.password_min_characters = characters;
        self
    }

    /// The cost of password hashes, 10 to 16; each step doubles the work. Default 12.
    #[must_use]
    pub fn bcrypt_cost(mut self, cost: u32) -> Self {
        self.settings.bcrypt_cost = cost;
        self
    }

    /// How many threads hash passwords. Default: one for each core.
    #[must_use]
    pub fn password_threads(mut self, threads: NonZeroUsize) -> Self {
        self.settings.password_threads = threads;
        self
    }

    /// How many hashes may wait for a thread; what comes on top is answered 503. Default: 32 for each core.
    #[must_use]
    pub fn password_queue(mut self, places: usize) -> Self {
        self.settings.password_queue = places;
        self
    }

    /// The longest body in bytes. Default 65536.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.settings.body_limit = bytes;
        self
    }

    /// How long a request may take, the host's adapters and the client's body included; then it is answered 503.
    /// Default 20 seconds.
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.settings.request_timeout = timeout;
        self
    }

    /// The networks whose `X-Forwarded-For` is believed. Default none: then the header is ignored, and the client is
    /// the peer.
    #[must_use]
    pub fn trusted_proxies(mut self, networks: impl IntoIterator<Item = IpNet>) -> Self {
        self.settings.trusted_proxies = networks.into_iter().collect();
        self
    }

    /// The limits. Default: those of [`RateLimits::default`].
    #[must_use]
    pub fn limits(mut self, limits: RateLimits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// The clock that everything goes by. Default: the system's.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.settings.clock = Arc::new(clock);
        self
    }

    /// The configuration.
    ///
    /// # Errors
    /// Everything that is wrong, at once, each under its option's name and never with its value.
    pub fn build(self) -> Result<AuthConfig, ConfigError> {
        ConfigError::check(self.problems())?;
        Ok(AuthConfig(Arc::new(self.settings)))
    }

    /// For tests: the cheapest hashes that there are.
    #[cfg(feature = "testing")]
    pub(crate) fn cheap_hashes(mut self) -> Self {
        self.bcrypt_costs = 4..=16;
        self.bcrypt_cost(4)
    }

    fn problems(&self) -> Vec<ConfigProblem> {
        let mut problems = Problems::default();
        self.check_secrets(&mut problems);
        let settings = &self.settings;
        problems.unless(!settings.app_name.trim().is_empty(), "app_name", "it is empty");
        for (option, life) in [
            ("access_token_life", settings.access_token_life),
            ("refresh_token_life", settings.refresh_token_life),
            ("session_life", settings.session_life),
            ("password_timeout", settings.password_timeout),
            ("request_timeout", settings.request_timeout),
        ] {
            problems.unless(life >= Duration::from_secs(1), option, "expected one second at least");
        }
        problems.unless(
            settings.access_token_life <= settings.refresh_token_life,
            "access_token_life",
            "an access token cannot outlive its refresh token (refresh_token_life)",
        );
        problems.unless(
            settings.refresh_token_life <= settings.session_life,
            "refresh_token_life",
            "a refresh token cannot outlive its session (session_life)",
        );
        problems.unless(
            self.bcrypt_costs.contains(&settings.bcrypt_cost),
            "bcrypt_cost",
            format!("expected a cost from {} to {}", self.bcrypt_costs.start(), self.bcrypt_costs.end()),
        );
        problems.unless(
            (8..=64).contains(&settings.password_min_characters),
            "password_min_characters",
            "expected 8 to 64",
        );
        problems.unless(settings.password_queue > 0, "password_queue", "expected one place at least");
        problems.unless(settings.body_limit >= 1024, "body_limit", "expected 1024 bytes at least");
        for (option, limit) in settings.limits.named() {
            let usable = limit.limit > 0 && limit.window >= Duration::from_secs(1);
            problems.unless(
                usable,
                option,
                "expected a limit of one at least and a window of one second at least",
            );
        }
        problems.0
    }

    fn check_secrets(&self, problems: &mut Problems) {
        let Settings { jwt_secret, refresh_secret, .. } = &self.settings;
        for (option, secret) in [("jwt_secret", jwt_secret), ("refresh_secret", refresh_secret)] {
            let long_enough = secret.expose().len() >= SECRET_BYTES;
            problems.unless(long_enough, option, format!("expected {SECRET_BYTES} bytes at least"));
        }
        let differ = jwt_secret.expose() != refresh_secret.expose();
        problems.unless(differ, "refresh_secret", "it has to differ from jwt_secret");
        let key = STANDARD.decode(self.encryption_key.as_bytes()).map(Zeroizing::new);
        let key_fits = key.is_ok_and(|key| key.len() == ENCRYPTION_KEY_BYTES);
        let expected = format!("expected exactly {ENCRYPTION_KEY_BYTES} bytes in base64, with padding");
        problems.unless(key_fits, "encryption_key", expected);
    }
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
}
