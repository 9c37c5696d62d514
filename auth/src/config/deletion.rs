//! The options of deletions (specification §5.15).

use std::time::Duration;

/// The longest time for which an account can be restored.
pub(crate) const LONGEST_GRACE: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// The options of DELETE_ACCOUNTS.
///
/// ```
/// use axum_auth_module::config::DeletionOptions;
/// use std::time::Duration;
///
/// let mut options = DeletionOptions::default();
/// options.grace = Duration::from_secs(7 * 24 * 60 * 60); // a week
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeletionOptions {
    /// For how long a user can restore an account whose deletion was scheduled, 0 to 90 days. Default 14 days. More than 30 days deviate
    /// from the month that users may expect (Art. 12(3) GDPR), which [`posture`](crate::AuthModule::posture) lists.
    pub grace: Duration,
}

impl Default for DeletionOptions {
    fn default() -> Self {
        Self { grace: Duration::from_secs(1_209_600) }
    }
}
