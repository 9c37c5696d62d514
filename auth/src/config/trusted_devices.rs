//! The options of trusted devices (specification §5.18).

use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The options of TRUSTED_DEVICES.
///
/// ```
/// use axum_auth_module::config::TrustedDeviceOptions;
/// use std::time::Duration;
///
/// let mut options = TrustedDeviceOptions::default();
/// options.lifetime = Duration::from_secs(7 * 24 * 60 * 60); // a week
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrustedDeviceOptions {
    /// For how long a device is trusted after the second factor was proven on it, 1 to 90 days. Default 30 days. A use does not prolong
    /// it.
    pub lifetime: Duration,
}

impl Default for TrustedDeviceOptions {
    fn default() -> Self {
        Self { lifetime: DAY * 30 }
    }
}

impl TrustedDeviceOptions {
    /// Whether a device can be trusted for so long.
    pub(super) fn is_valid(self) -> bool {
        (DAY..=DAY * 90).contains(&self.lifetime)
    }
}
