//! What the library tells a host that wants to know (specification §19).

use std::net::IpAddr;
use std::time::SystemTime;

/// Something that happened. It names the user and the client and never holds a secret: no record, hash, code,
/// token or request body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// Whom it happened to: the id in its printed form. `None` where no account is known, as after a failed login
    /// with an unknown address.
    pub user_id: Option<String>,
    /// When.
    pub at: SystemTime,
    /// From where, as far as it is known: the peer, or what a trusted proxy says.
    pub client: Option<IpAddr>,
}

impl Event {
    pub(crate) fn new(
        kind: EventKind,
        user_id: Option<String>,
        at: SystemTime,
        client: Option<IpAddr>,
    ) -> Self {
        Self { kind, user_id, at, client }
    }

    /// The event's name: `auth.registered`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }
}

/// What an [`Event`] is about, with the facts of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// `auth.registered`: a user was created; tokens are about to be answered.
    Registered,
    /// `auth.login`: a session began.
    Login {
        /// Its id, which every token of it carries as `sid`.
        session_id: String,
    },
    /// `auth.login-failed`: a login was refused with 401.
    LoginFailed,
    /// `auth.logout`: a session was ended by its user.
    Logout {
        /// Its id.
        session_id: String,
    },
    /// `auth.lockout`: a limit refused an attempt at something secret.
    Lockout {
        /// At what.
        attempt: LockedOut,
    },
    /// `auth.password-reset`: a password was reset and the token deleted; every session of the user has ended.
    PasswordReset,
    /// `auth.password-updated`: a user changed the password.
    PasswordUpdated,
    /// `auth.email-verified`: `emailVerifiedAt` was set.
    EmailVerified,
    /// `auth.two-factor-enabled`: a two-factor secret was made; it waits to be confirmed, unless `confirm` is off.
    TwoFactorEnabled,
    /// `auth.two-factor-confirmed`: a two-factor secret was put in force.
    TwoFactorConfirmed,
    /// `auth.two-factor-disabled`: two-factor was switched off.
    TwoFactorDisabled,
    /// `auth.two-factor-challenged`: a right password was answered with a challenge.
    TwoFactorChallenged,
    /// `auth.two-factor-failed`: a challenge was answered with a wrong code.
    TwoFactorFailed,
    /// `auth.valid-two-factor-code`: a challenge was answered with a right code.
    ValidTwoFactorCode,
    /// `auth.recovery-code-replaced`: a recovery code was used and replaced.
    RecoveryCodeReplaced,
    /// `auth.recovery-codes-generated`: eight new recovery codes were made.
    RecoveryCodesGenerated,
    /// `auth.refresh-token-reused`: a refresh token came back after its grace, and the session was ended.
    RefreshTokenReused {
        /// The session's id.
        session_id: String,
    },
}

/// What an attempt was at that a limit refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LockedOut {
    /// A login.
    Login,
    /// Confirming or changing a password with the current one.
    Password,
    /// A two-factor code or a recovery code.
    TwoFactor,
    /// A reset token.
    PasswordReset,
}

impl EventKind {
    /// The event's name: `auth.registered`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Registered => "auth.registered",
            Self::Login { .. } => "auth.login",
            Self::LoginFailed => "auth.login-failed",
            Self::Logout { .. } => "auth.logout",
            Self::Lockout { .. } => "auth.lockout",
            Self::PasswordReset => "auth.password-reset",
            Self::PasswordUpdated => "auth.password-updated",
            Self::EmailVerified => "auth.email-verified",
            Self::TwoFactorEnabled => "auth.two-factor-enabled",
            Self::TwoFactorConfirmed => "auth.two-factor-confirmed",
            Self::TwoFactorDisabled => "auth.two-factor-disabled",
            Self::TwoFactorChallenged => "auth.two-factor-challenged",
            Self::TwoFactorFailed => "auth.two-factor-failed",
            Self::ValidTwoFactorCode => "auth.valid-two-factor-code",
            Self::RecoveryCodeReplaced => "auth.recovery-code-replaced",
            Self::RecoveryCodesGenerated => "auth.recovery-codes-generated",
            Self::RefreshTokenReused { .. } => "auth.refresh-token-reused",
        }
    }
}
