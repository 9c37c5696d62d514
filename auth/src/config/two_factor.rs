//! The options of two-factor authentication (specification §5.4).

/// The options of two-factor authentication.
///
/// ```
/// use axum_auth_module::config::TwoFactorOptions;
///
/// let mut options = TwoFactorOptions::default();
/// options.window = 0; // no drift at all
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TwoFactorOptions {
    /// Whether a new secret must be confirmed with a code before login requires one. Default `true`. With `false`, a
    /// user who enables two-factor authentication but never scans the QR code is locked out.
    pub confirm: bool,
    /// Whether the seven two-factor routes require a recently confirmed password. Default `true`.
    pub confirm_password: bool,
    /// How many steps of 30 seconds a code may be early or late, 0 to 10. Default 1 (RFC 6238 §5.2).
    pub window: u16,
    /// The length of a secret in bytes, 16 to 64. Default 20 (RFC 4226 §4, R6).
    pub secret_length: usize,
    /// Whether a user with a second factor must prove it, besides the password, before two-factor authentication is changed
    /// or disabled, and before the secret or the recovery codes are shown. Default `false` (ASVS 7.5.1).
    pub confirm_with_code: bool,
    /// What happens at a login while the feature is off. Default [`WhenOff::Refuse`].
    pub when_off: WhenOff,
}

/// What happens if somebody logs in who has a second factor, while TWO_FACTOR_AUTHENTICATION is off: nothing can check the
/// second factor then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenOff {
    /// The login is refused with 403 `second_factor_unavailable`.
    #[default]
    Refuse,
    /// The password alone is enough. While the feature is off, nobody is asked for a second
    /// factor, also not users who have one.
    PasswordAlone,
}

impl Default for TwoFactorOptions {
    fn default() -> Self {
        Self {
            confirm: true,
            confirm_password: true,
            window: 1,
            secret_length: 20,
            confirm_with_code: false,
            when_off: WhenOff::default(),
        }
    }
}
