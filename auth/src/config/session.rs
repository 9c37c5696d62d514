//! The options of sessions (specification §5.5).

use std::time::Duration;

/// The options of sessions.
///
/// ```
/// use axum_auth_module::config::SessionOptions;
///
/// let mut options = SessionOptions::default();
/// options.record_client = false; // no personal data
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionOptions {
    /// How many sessions a user can have, 1 to 1000. A further login ends the least recently used one. Default 50.
    pub max_per_user: usize,
    /// How old the recorded last use of a session can be, 60 to 3600 seconds. Default 300 seconds.
    pub touch_interval: Duration,
    /// Whether ending other sessions requires a recently confirmed password. Default `true`.
    pub confirm_password: bool,
    /// Whether a session records the address and the `User-Agent` of its client, which are personal data. Default `true`.
    pub record_client: bool,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            max_per_user: 50,
            touch_interval: Duration::from_secs(300),
            confirm_password: true,
            record_client: true,
        }
    }
}
