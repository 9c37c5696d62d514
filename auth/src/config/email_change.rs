//! The options of changes of the address (specification §5.10).

use std::time::Duration;

/// The longest validity of the link that confirms a new address.
pub(crate) const LONGEST_CHANGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The longest time for which a previous address can take an account back.
pub(crate) const LONGEST_REVERT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The options of CHANGE_EMAILS.
///
/// ```
/// use axum_auth_module::config::EmailChangeOptions;
/// use std::time::Duration;
///
/// let mut options = EmailChangeOptions::default();
/// options.revert_lifetime = Duration::from_secs(14 * 24 * 60 * 60); // two weeks
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmailChangeOptions {
    /// How long the link is valid that confirms a new address, 600 s to 7 days. Default 24 hours.
    pub lifetime: Duration,
    /// For how long the previous address can take the account back, 1 to 30 days, or zero: never. Default 7 days.
    pub revert_lifetime: Duration,
}

impl Default for EmailChangeOptions {
    fn default() -> Self {
        Self { lifetime: Duration::from_secs(86_400), revert_lifetime: Duration::from_secs(604_800) }
    }
}
