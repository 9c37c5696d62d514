//! The options of passkeys (specification §5.12).

/// The options of PASSKEYS.
///
/// ```
/// use axum_auth_module::config::{PasskeyOptions, UserVerification};
///
/// let mut options = PasskeyOptions::default();
/// options.user_verification = UserVerification::Preferred; // security keys without a PIN, too
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PasskeyOptions {
    /// Whether the authenticator must verify its user in a login and when a passkey is added. Default
    /// [`UserVerification::Required`].
    pub user_verification: UserVerification,
    /// How many passkeys a user can have, 1 to 100. Default 20.
    pub max_per_user: usize,
}

impl Default for PasskeyOptions {
    fn default() -> Self {
        Self { user_verification: UserVerification::default(), max_per_user: 20 }
    }
}

/// Whether the authenticator of a passkey must verify its user, with a PIN or a fingerprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UserVerification {
    /// It must.
    #[default]
    Required,
    /// It does so if it can. A passkey that has not verified its user is one factor: the second factor of an account that has one is
    /// asked for.
    Preferred,
}

impl UserVerification {
    /// Whether a passkey that has not verified its user is refused.
    #[must_use]
    pub const fn is_required(self) -> bool {
        matches!(self, Self::Required)
    }
}
