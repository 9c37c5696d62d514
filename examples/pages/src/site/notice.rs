//! What a page says about the form before: after a POST, the visitor is redirected to a page (POST/redirect/GET) with one
//! of these words in its query. The site keeps no state for it, and a forged link can only show one of these texts.

use axum::extract::{OptionalFromRequestParts, Query};
use axum::http::request::Parts;
use axum::response::Redirect;
use serde::Deserialize;
use std::convert::Infallible;

/// Generates the enum, its words and its texts from one list.
macro_rules! notices {
    ($($notice:ident $word:literal $text:literal)*) => {
        /// A notice: `Notice::ProfileSaved.on("/profile")` redirects, and the page takes `Option<Notice>`.
        #[derive(Clone, Copy, Deserialize)]
        pub(crate) enum Notice { $(#[serde(rename = $word)] $notice,)* }

        impl Notice {
            const fn word(self) -> &'static str {
                match self { $(Self::$notice => $word,)* }
            }

            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$notice => $text,)* }
            }
        }
    };
}

notices! {
    Registered "registered" "Welcome! Your account is ready. Please verify your e-mail address."
    LoggedOut "logged-out" "You are logged out."
    LoginExpired "login-expired" "Please log in again: the login took too long, or there were too many wrong codes."
    ResetRequested "reset-requested"
        "If there is an account with this address, a mail with a link to a new password is on its way."
    PasswordReset "password-reset" "Your password has changed, and you are logged out everywhere. Log in with the new one."
    VerificationSent "verification-sent" "A mail with a link is on its way."
    VerifyFirst "verify-first" "This page needs a verified e-mail address."
    Verified "verified" "Your e-mail address is verified."
    ProfileSaved "profile-saved" "Your profile is saved."
    EmailChangeRequested "email-change-requested"
        "A mail to the new address has a link. Open it to change your address."
    EmailChangeCancelled "email-change-cancelled" "Your e-mail address stays as it is."
    EmailChanged "email-changed" "Your e-mail address has changed, and your other sessions have ended."
    PasswordChanged "password-changed" "Your password has changed, and your other sessions have ended."
    PasswordRemoved "password-removed"
        "Nobody had proven the address of this account before, so its password was removed. You can choose another one."
    Joined "joined" "Welcome! Your account is ready. You log in by mail, or with a password if you choose one."
    Confirmed "confirmed" "That is confirmed. You can continue."
    PasskeyAdded "passkey-added" "You can log in with the passkey now."
    PasskeyRenamed "passkey-renamed" "The passkey has another name."
    PasskeyRemoved "passkey-removed" "The passkey is removed, and your other sessions have ended."
    JoinedWithProvider "joined-with-provider"
        "Welcome! Your account is ready. You log in with the provider, or with a password if you choose one."
    ProviderLinked "provider-linked" "You can log in with it now."
    ProviderUnlinked "provider-unlinked" "It is unlinked, and your other sessions have ended."
    LinkExpired "link-expired" "That took too long, or is done already. Log in with the provider again."
    TwoFactorFirst "two-factor-first" "This page needs two-factor authentication. You can set it up here."
    TwoFactorOn "two-factor-on" "Two-factor authentication is on. Keep these recovery codes in a safe place."
    TwoFactorOff "two-factor-off" "Two-factor authentication is off."
    RecoveryCodesReplaced "recovery-codes-replaced" "These are your new recovery codes. The previous ones no longer work."
    SessionEnded "session-ended" "The session has ended."
    OthersEnded "others-ended" "You are logged out everywhere else."
}

impl Notice {
    /// A redirect (303) to a page that shows the notice.
    pub(crate) fn on(self, page: &str) -> Redirect {
        let separator = if page.contains('?') { '&' } else { '?' };
        Redirect::to(&format!("{page}{separator}notice={}", self.word()))
    }
}

impl<S: Sync> OptionalFromRequestParts<S> for Notice {
    type Rejection = Infallible;

    /// `None` also for a word that is no notice.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Infallible> {
        #[derive(Deserialize)]
        struct Words {
            notice: Notice,
        }
        Ok(Query::<Words>::try_from_uri(&parts.uri).ok().map(|Query(words)| words.notice))
    }
}
