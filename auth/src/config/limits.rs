//! How many attempts are let through in how long (contract §4).

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
/// use auth::{RateLimit, RateLimits};
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
    /// Password confirmations of one account: 5 in 60 s.
    pub confirm_password: RateLimit,
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
            register: RateLimit::per_seconds(20, 60),
        }
    }
}

impl RateLimits {
    /// Each limit with its name as an option.
    pub(super) fn named(&self) -> [(&'static str, RateLimit); 5] {
        [
            ("limits.login_account_and_client", self.login_account_and_client),
            ("limits.login_account", self.login_account),
            ("limits.login_client", self.login_client),
            ("limits.confirm_password", self.confirm_password),
            ("limits.register", self.register),
        ]
    }
}
