//! The options of invitations (specification §5.19).

use std::time::Duration;

const HOUR: Duration = Duration::from_secs(60 * 60);
/// The longest time for which an invitation can be accepted.
pub(crate) const LONGEST_INVITATION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The options of INVITATIONS.
///
/// ```
/// use axum_auth_module::config::InvitationOptions;
/// use std::time::Duration;
///
/// let mut options = InvitationOptions::default();
/// options.lifetime = Duration::from_secs(2 * 24 * 60 * 60); // two days
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvitationOptions {
    /// For how long an invitation can be accepted, 1 hour to 30 days. Default 7 days.
    pub lifetime: Duration,
    /// Whether the mail has no token and leads to the login page, where the user signs in by mail (EMAIL_LOGIN). Default `false`.
    pub sign_in_by_mail: bool,
}

impl Default for InvitationOptions {
    fn default() -> Self {
        Self { lifetime: Duration::from_secs(7 * 24 * 60 * 60), sign_in_by_mail: false }
    }
}

impl InvitationOptions {
    /// Whether an invitation can be valid for so long.
    pub(super) fn is_valid(self) -> bool {
        (HOUR..=LONGEST_INVITATION).contains(&self.lifetime)
    }
}
