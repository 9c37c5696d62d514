//! The options and their defaults.

use super::{AuthConfig, RateLimits, Settings, TwoFactorOptions, check};
use crate::clock::{Clock, SystemClock};
use crate::config::ConfigError;
use crate::crypto::keys::Secret;
use ipnet::IpNet;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

/// Least bcrypt cost (specification §5.3); 16 takes some three seconds a hash.
const BCRYPT_COSTS: RangeInclusive<u32> = 10..=16;

/// Collects options; [`build`](Self::build) says whether they can work. Made by [`AuthConfig::builder`].
#[derive(Clone)]
pub struct AuthConfigBuilder {
    pub(super) encryption_key: Zeroizing<String>,
    pub(super) previous_encryption_keys: Vec<Zeroizing<String>>,
    pub(super) bcrypt_costs: RangeInclusive<u32>,
    pub(super) settings: Settings,
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
            access_token_lifetime: Duration::from_secs(15 * 60),
            refresh_token_lifetime: Duration::from_secs(7 * 24 * 3600),
            session_lifetime: Duration::from_secs(30 * 24 * 3600),
            refresh_grace: Duration::from_secs(10),
            password_timeout: Duration::from_secs(900),
            reset_token_lifetime: Duration::from_secs(60 * 60),
            verification_link_lifetime: Duration::from_secs(60 * 60),
            two_factor: TwoFactorOptions::default(),
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
        Self {
            encryption_key: Zeroizing::new(encryption_key),
            previous_encryption_keys: Vec::new(),
            bcrypt_costs: BCRYPT_COSTS,
            settings,
        }
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
    pub fn access_token_lifetime(mut self, life: Duration) -> Self {
        self.settings.access_token_lifetime = life;
        self
    }

    /// How long a refresh token lives, and with it a session in which nothing happens. Default 7 days.
    #[must_use]
    pub fn refresh_token_lifetime(mut self, life: Duration) -> Self {
        self.settings.refresh_token_lifetime = life;
        self
    }

    /// How long a session lives from its login on, however often it is refreshed. Default 30 days.
    #[must_use]
    pub fn session_lifetime(mut self, life: Duration) -> Self {
        self.settings.session_lifetime = life;
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

    /// How long a reset token lives. Default 60 minutes (specification §5.3).
    #[must_use]
    pub fn reset_token_lifetime(mut self, life: Duration) -> Self {
        self.settings.reset_token_lifetime = life;
        self
    }

    /// How long a verification link lives. Default one hour (specification §5.3).
    #[must_use]
    pub fn verification_link_lifetime(mut self, life: Duration) -> Self {
        self.settings.verification_link_lifetime = life;
        self
    }

    /// How two-factor authentication behaves. Default: [`TwoFactorOptions::default`].
    #[must_use]
    pub fn two_factor(mut self, options: TwoFactorOptions) -> Self {
        self.settings.two_factor = options;
        self
    }

    /// Encryption keys of before, each 32 bytes in base64. They still open what they encrypted; it is encrypted under
    /// the current key when it is next saved. Default none.
    #[must_use]
    pub fn previous_encryption_keys(mut self, keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.previous_encryption_keys = keys.into_iter().map(|key| Zeroizing::new(key.into())).collect();
        self
    }

    /// The least length of a new password in characters, 8 to 64 (ASVS 6.2.1). Default 8.
    #[must_use]
    pub fn password_min_characters(mut self, characters: usize) -> Self {
        self.settings.password_min_characters = characters;
        self
    }

    /// The cost of password hashes, 10 to 16; each step doubles the work. Default 12.
    ///
    /// A hash of another cost is made anew at its user's next login. One that is more than four steps dearer than this
    /// is not verified at all: it would keep a thread busy for minutes, and its user has to reset the password.
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
        check::config(self)
    }

    /// For tests: the cheapest hashes that there are.
    #[cfg(feature = "testing")]
    pub(crate) fn cheap_hashes(mut self) -> Self {
        self.bcrypt_costs = 4..=16;
        self.bcrypt_cost(4)
    }
}
