//! The table of the messages in successful responses.

use crate::error::texts;

texts! {
    /// The `message` of a successful response.
    pub enum SuccessText;
    LoggedOut "logged_out" "You are logged out.",
        "a session has ended with `POST /logout`";
    ResetRequested "reset_requested"
        "If an account has this address, it has been sent a way to reset the password.",
        "a password reset was requested, whether or not the address has an account";
    PasswordReset "password_reset" "The password has been reset. Log in with the new one.",
        "a password was reset with a token";
    PasswordChanged "password_changed" "The password has been changed.",
        "a user has changed the password";
    ProfileUpdated "profile_updated" "The profile has been updated.",
        "a user has changed the name or the address";
    VerificationSent "verification_sent" "A verification link is on its way.",
        "a verification link was requested";
    EmailVerified "email_verified" "The e-mail address is verified.",
        "an address was verified with a link";
    EmailAlreadyVerified "email_already_verified" "The e-mail address is verified already.",
        "a verification link was requested for an address that is verified";
    TwoFactorEnabled "two_factor_enabled" "Two-factor authentication is enabled.",
        "two-factor authentication was enabled, and is in force (`two_factor.confirm` off)";
    TwoFactorPending "two_factor_pending" "Two-factor authentication is enabled once a code confirms it.",
        "two-factor authentication was enabled, and waits for its confirmation";
    TwoFactorAlreadyEnabled "two_factor_already_enabled" "Two-factor authentication is enabled already.",
        "two-factor authentication was enabled before";
    TwoFactorConfirmed "two_factor_confirmed" "Two-factor authentication is confirmed.",
        "a code has confirmed two-factor authentication";
    TwoFactorDisabled "two_factor_disabled" "Two-factor authentication is disabled.",
        "two-factor authentication was disabled";
    SessionEnded "session_ended" "The session has ended.",
        "a user has ended a session";
    OtherSessionsEnded "other_sessions_ended" "The other sessions have ended.",
        "a user has ended all other sessions";
}
