//! How many attempts are let through in how long (specification §17.1).

use std::time::Duration;

/// So many in so long. The window begins with the first attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// How many attempts are let through in a window; 1 at least.
    pub limit: u32,
    /// How long a window is; a second at least.
    pub window: Duration,
}

impl RateLimit {
    /// `limit` attempts in `seconds` seconds.
    #[must_use]
    pub const fn per_seconds(limit: u32, seconds: u64) -> Self {
        Self { limit, window: Duration::from_secs(seconds) }
    }
}

/// Every limit of the module. What counts are failures, unless it says otherwise.
///
/// ```
/// use axum_auth_module::config::{RateLimit, RateLimits};
///
/// let mut limits = RateLimits::default();
/// limits.register = RateLimit::per_seconds(100, 60);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimits {
    /// Logins of one account from one client: 5 in 60 s.
    pub login_account_and_client: RateLimit,
    /// Logins of one account from anywhere: 30 in 1 h.
    pub login_account: RateLimit,
    /// Logins from one client to any account: 60 in 60 s.
    pub login_client: RateLimit,
    /// Password confirmations and password changes of one account: 5 in 60 s.
    pub confirm_password: RateLimit,
    /// Two-factor codes of one account, at the challenge and at confirming: 5 in 60 s.
    pub two_factor: RateLimit,
    /// The same, over a longer time: 30 in 1 h.
    pub two_factor_long: RateLimit,
    /// Password resets for one address: 5 in 60 s.
    pub reset_password: RateLimit,
    /// Requests for a reset token for one address, all calls: 3 in 60 s.
    pub forgot_password_address: RateLimit,
    /// Requests for a reset token from one client, all calls: 20 in 60 s.
    pub forgot_password_client: RateLimit,
    /// Requests for a verification link by one account, all calls: 6 in 60 s.
    pub verification_notification: RateLimit,
    /// Registrations from one client, all calls: 20 in 60 s.
    pub register: RateLimit,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            login_account_and_client: RateLimit::per_seconds(5, 60),
            login_account: RateLimit::per_seconds(30, 3600),
            login_client: RateLimit::per_seconds(60, 60),
            confirm_password: RateLimit::per_seconds(5, 60),
            two_factor: RateLimit::per_seconds(5, 60),
            two_factor_long: RateLimit::per_seconds(30, 3600),
            reset_password: RateLimit::per_seconds(5, 60),
            forgot_password_address: RateLimit::per_seconds(3, 60),
            forgot_password_client: RateLimit::per_seconds(20, 60),
            verification_notification: RateLimit::per_seconds(6, 60),
            register: RateLimit::per_seconds(20, 60),
        }
    }
}

impl RateLimits {
    /// Each limit with its name as an option.
    pub(super) fn named(&self) -> [(&'static str, RateLimit); 11] {
        [
            ("limits.login_account_and_client", self.login_account_and_client),
            ("limits.login_account", self.login_account),
            ("limits.login_client", self.login_client),
            ("limits.confirm_password", self.confirm_password),
            ("limits.two_factor", self.two_factor),
            ("limits.two_factor_long", self.two_factor_long),
            ("limits.reset_password", self.reset_password),
            ("limits.forgot_password_address", self.forgot_password_address),
            ("limits.forgot_password_client", self.forgot_password_client),
            ("limits.verification_notification", self.verification_notification),
            ("limits.register", self.register),
        ]
    }
}
