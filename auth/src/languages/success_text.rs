//! The table of the messages in successful responses.

use super::translated::translated_texts;

translated_texts! {
    /// The `message` of a successful response.
    pub enum SuccessText;
    LoggedOut "logged_out" "You are logged out."
        "Sie sind abgemeldet.",
        "a session has ended with `POST /logout`";
    ResetRequested "reset_requested"
        "If an account has this address, it has been sent a way to reset the password."
        "Wenn ein Konto diese Adresse hat, ist eine Nachricht zum Zurücksetzen des Passworts unterwegs.",
        "a password reset was requested, whether or not the address has an account";
    PasswordReset "password_reset" "The password has been reset. Log in with the new one."
        "Das Passwort wurde zurückgesetzt. Bitte melden Sie sich mit dem neuen Passwort an.",
        "a password was reset with a token";
    PasswordChanged "password_changed" "The password has been changed."
        "Das Passwort wurde geändert.",
        "a user has changed the password";
    PasswordRemoved "password_removed" "The password has been removed."
        "Das Passwort wurde entfernt.",
        "a user has removed the password";
    ProfileUpdated "profile_updated" "The profile has been updated."
        "Das Profil wurde geändert.",
        "a user has changed the name or the address";
    VerificationSent "verification_sent" "A verification link is on its way."
        "Ein Bestätigungslink ist unterwegs.",
        "a verification link was requested";
    EmailVerified "email_verified" "The e-mail address is verified."
        "Die E-Mail-Adresse ist bestätigt.",
        "an address was verified with a link";
    EmailAlreadyVerified "email_already_verified" "The e-mail address is verified already."
        "Die E-Mail-Adresse ist schon bestätigt.",
        "a verification link was requested for an address that is verified";
    EmailChangeRequested "email_change_requested"
        "A mail to the new address has a link: open it to confirm the address."
        "Eine Nachricht an die neue Adresse enthält einen Link: Öffnen Sie ihn, um die Adresse zu bestätigen.",
        "another address was requested, whether or not it has an account";
    EmailChangeCancelled "email_change_cancelled" "The e-mail address stays as it is."
        "Die E-Mail-Adresse bleibt, wie sie ist.",
        "a user has cancelled the pending change of the address";
    EmailChanged "email_changed" "The e-mail address has been changed."
        "Die E-Mail-Adresse wurde geändert.",
        "a user has confirmed another address";
    EmailReverted "email_reverted"
        "The account has this e-mail address again. Its password is gone, and every session has ended: a mail says how to continue."
        "Das Konto hat wieder diese E-Mail-Adresse. Sein Passwort ist entfernt, und alle Sitzungen sind beendet: Eine Nachricht sagt, \
             wie es weitergeht.",
        "the previous address has taken the account back";
    AccountSecured "account_secured"
        "The account is locked down. Its password is gone, and every session has ended: a mail says how to continue."
        "Das Konto ist gesichert. Sein Passwort ist entfernt, und alle Sitzungen sind beendet: Eine Nachricht sagt, wie es weitergeht.",
        "an account was locked down with the link in a notice";
    InvitationAccepted "invitation_accepted"
        "Your password is set. You can log in now."
        "Ihr Passwort ist gespeichert. Sie können sich jetzt anmelden.",
        "an invited user has chosen the first password";
    DeletionScheduled "deletion_scheduled"
        "The account will be deleted. Every session has ended. Until then, signing in lets you restore it."
        "Das Konto wird gelöscht. Alle Sitzungen sind beendet. Bis dahin können Sie es wiederherstellen, indem Sie sich anmelden.",
        "the deletion of an account was scheduled";
    DeletionCancelled "deletion_cancelled" "The account will not be deleted."
        "Das Konto wird nicht gelöscht.",
        "the deletion of an account was cancelled with the link in a mail";
    PasskeyRemoved "passkey_removed" "The passkey has been removed."
        "Der Passkey wurde entfernt.",
        "a user has removed a passkey";
    IdentityUnlinked "identity_unlinked" "The sign-in has been removed."
        "Die Anmeldung wurde entfernt.",
        "a user has unlinked an account at a provider";
    ApiTokenRevoked "api_token_revoked" "The API token has been revoked."
        "Das API-Token wurde widerrufen.",
        "a user has revoked an API token";
    DeviceForgotten "device_forgotten" "The device is no longer trusted."
        "Dem Gerät wird nicht mehr vertraut.",
        "a user has ended the trust in a device";
    DevicesForgotten "devices_forgotten" "No device is trusted any more."
        "Keinem Gerät wird mehr vertraut.",
        "a user has ended the trust in all devices";
    LoginCodeSent "login_code_sent"
        "If an account can be opened with this address, a mail is on its way."
        "Wenn sich mit dieser Adresse ein Konto öffnen lässt, ist eine Nachricht unterwegs.",
        "a sign-in by mail was requested, whether or not the address has an account";
    ConfirmationCodeSent "confirmation_code_sent" "A mail with a code is on its way."
        "Eine Nachricht mit einem Code ist unterwegs.",
        "a code was requested to confirm in a session";
    TwoFactorEnabled "two_factor_enabled" "Two-factor authentication is enabled."
        "Die Zwei-Faktor-Authentifizierung ist eingeschaltet.",
        "two-factor authentication was enabled, and is in force (`two_factor.confirm` off)";
    TwoFactorPending "two_factor_pending" "Two-factor authentication is enabled once a code confirms it."
        "Die Zwei-Faktor-Authentifizierung ist eingeschaltet, sobald ein Code sie bestätigt.",
        "two-factor authentication was enabled, and waits for its confirmation";
    TwoFactorAlreadyEnabled "two_factor_already_enabled" "Two-factor authentication is enabled already."
        "Die Zwei-Faktor-Authentifizierung ist schon eingeschaltet.",
        "two-factor authentication was enabled before";
    TwoFactorConfirmed "two_factor_confirmed" "Two-factor authentication is confirmed."
        "Die Zwei-Faktor-Authentifizierung ist bestätigt.",
        "a code has confirmed two-factor authentication";
    TwoFactorDisabled "two_factor_disabled" "Two-factor authentication is disabled."
        "Die Zwei-Faktor-Authentifizierung ist ausgeschaltet.",
        "two-factor authentication was disabled";
    SessionEnded "session_ended" "The session has ended."
        "Die Sitzung ist beendet.",
        "a user has ended a session";
    OtherSessionsEnded "other_sessions_ended" "The other sessions have ended."
        "Die anderen Sitzungen sind beendet.",
        "a user has ended all other sessions";
}
