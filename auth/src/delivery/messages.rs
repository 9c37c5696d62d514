//! The messages that a delivery takes to users.

use super::{Message, Returnable};
use crate::languages::Language;
use crate::uri::encoded;
use std::fmt;
use std::net::IpAddr;
use std::time::SystemTime;

/// A reset token for its user (RESET_PASSWORDS). It has no `Debug`, because the token opens the account.
#[derive(Clone)]
#[non_exhaustive]
pub struct PasswordResetMessage {
    /// The address as it is stored.
    pub email: String,
    /// The user's name. Somebody else may have chosen it: whoever has registered this address, or has a session of the account. The
    /// standard mail does not repeat it (specification §20.5).
    pub name: String,
    /// Whether the address is verified.
    pub email_verified: bool,
    /// The raw token: 64 hexadecimal digits. If somebody asks again within ten minutes, the next message has it again, with the
    /// same expiry.
    pub token: String,
    /// Why it is sent.
    pub reason: PasswordResetReason,
    /// When it expires.
    pub expires_at: SystemTime,
    /// The language for the user: `language.tag()` is its name.
    pub language: Language,
}

/// Why a user gets a reset token. The mail should say so, as the standard one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PasswordResetReason {
    /// Somebody has asked for it.
    Requested,
    /// An administrator has removed the password
    /// ([`require_new_password`](crate::Admin::require_new_password)).
    PasswordRemoved,
    /// The account was locked down ([`lock_down`](crate::Admin::lock_down)): the password and the sessions are gone, and perhaps the second
    /// factor.
    LockedDown,
}

impl PasswordResetMessage {
    /// The link to a page that asks for a new password, with `#token=…&email=…` after its URL. What is after `#` stays in the
    /// browser: it is in no log of a server, and in no `Referer`.
    #[must_use]
    pub fn link(&self, page: &str) -> String {
        let Self { token, email, .. } = self;
        format!("{page}#token={}&email={}", encoded(token), encoded(email))
    }
}

/// A verification link for its user (EMAIL_VERIFICATION). It has no `Debug`, because the link verifies the address.
#[derive(Clone)]
#[non_exhaustive]
pub struct EmailVerificationMessage {
    /// The address as it is stored.
    pub email: String,
    /// The user's name. Somebody else may have chosen it.
    pub name: String,
    /// The parts of the link.
    pub data: VerificationData,
    /// When it expires.
    pub expires_at: SystemTime,
    /// The language for the user: `language.tag()` is its name.
    pub language: Language,
}

/// A code, a link, or both, to sign in with a mailbox (EMAIL_LOGIN). It has no `Debug`, because they open the account.
#[derive(Clone)]
#[non_exhaustive]
pub struct EmailLoginMessage {
    /// The address: as it is stored, or as somebody has typed it who has no account.
    pub email: String,
    /// The user's name, if there is an account. Somebody else may have chosen it.
    pub name: Option<String>,
    /// Whether the address is verified. If it is not, signing in removes the password of the account: somebody else may have made
    /// it. The mail should say so, as the standard one does.
    pub email_verified: bool,
    /// For what it is.
    pub purpose: EmailLoginPurpose,
    /// The digits to type where the sign-in has begun. `None` with [`EmailLoginProof::Link`](crate::config::EmailLoginProof).
    pub code: Option<String>,
    /// The token of the link: 43 characters. It works in the browser that has begun the sign-in. `None` for a confirmation and with
    /// [`EmailLoginProof::Code`](crate::config::EmailLoginProof).
    pub token: Option<String>,
    /// The address of the client that has asked.
    pub client: Option<IpAddr>,
    /// The header `User-Agent` of that client: up to 256 characters of printable ASCII, which a stranger can choose. The standard
    /// mail does not repeat it.
    pub user_agent: Option<String>,
    /// When the client has asked.
    pub requested_at: SystemTime,
    /// When the code and the link expire.
    pub expires_at: SystemTime,
    /// The language for the user: `language.tag()` is its name.
    pub language: Language,
}

impl EmailLoginMessage {
    /// The code in two groups, as it is easier to type: `1234 5678`.
    #[must_use]
    pub fn code_in_groups(&self) -> Option<String> {
        let code = self.code.as_deref()?;
        let (first, second) = code.split_at_checked(code.len().div_ceil(2))?;
        Some(format!("{first} {second}"))
    }
}

/// For what a code or a link in a mail is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmailLoginPurpose {
    /// To sign in to an account.
    Login,
    /// To create an account without a password (PASSWORDLESS_REGISTRATION). Who ignores the mail gets no account.
    Registration,
    /// To confirm in a session.
    Confirmation,
    /// To say that an administrator has removed the password, and that the user can sign in by mail
    /// ([`require_new_password`](crate::Admin::require_new_password)). The message has neither code nor token.
    PasswordRemoved,
    /// To say that the account was locked down, and that the user can sign in by mail ([`lock_down`](crate::Admin::lock_down)). The message
    /// has neither code nor token.
    LockedDown,
}

/// A change of the address of an account (CHANGE_EMAILS): a link to confirm the new address, a link to take the account back, or what has
/// become of the change. It has no `Debug`, because the links are secrets, and no name of the user, because a thief may have chosen the
/// name.
#[derive(Clone)]
#[non_exhaustive]
pub struct EmailChangeMessage {
    /// The address to which it goes: the new one, the previous one, or the one that the account has left.
    pub email: String,
    /// For what it is.
    pub purpose: EmailChangePurpose,
    /// The token of the link, for [`Confirm`](EmailChangePurpose::Confirm) and mostly for [`Changed`](EmailChangePurpose::Changed).
    pub token: Option<String>,
    /// The address of the client that has asked for the change, has confirmed it or has opened the link. `None` also for a change by an
    /// administrator.
    pub client: Option<IpAddr>,
    /// The header `User-Agent` of that client: up to 256 characters of printable ASCII, which a stranger can choose. The standard
    /// mail does not repeat it.
    pub user_agent: Option<String>,
    /// When that was.
    pub requested_at: SystemTime,
    /// When the link expires. Without a link it is when the message was made.
    pub expires_at: SystemTime,
    /// The language for the user: `language.tag()` is its name.
    pub language: Language,
}

/// For what a mail about a change of the address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmailChangePurpose {
    /// To the new address: the link confirms it, in a session of the user.
    Confirm,
    /// To the address that somebody has asked for, and which an account has already, or had until lately. There is no link.
    Taken,
    /// To the previous address: the account has another one now. With the link the previous address takes the account back, and the account
    /// is locked down. There is no link if an address before this one can still take the account back, or if
    /// `email_change.revert_lifetime` is zero.
    Changed,
    /// To the address that the account has left because its previous address has taken the account back. There is no link.
    Reverted,
    /// To the previous address, whose link was opened, and which another account has by now. The account was locked down nevertheless.
    /// There is no link.
    NotReverted,
}

impl EmailChangePurpose {
    /// The page of the host to which the link leads: `email-change` or `revert`.
    #[must_use]
    pub const fn page(self) -> &'static str {
        match self {
            Self::Confirm => "email-change",
            Self::Taken | Self::Changed | Self::Reverted | Self::NotReverted => "revert",
        }
    }
}

/// What becomes of an account whose deletion was asked for (DELETE_ACCOUNTS). It has no `Debug`, because the link is a secret, and no name
/// of the user, because a thief may have chosen the name.
#[derive(Clone)]
#[non_exhaustive]
pub struct AccountDeletionMessage {
    /// The address to which it goes: that of the account, or the one that can take the account back.
    pub email: String,
    /// What has happened.
    pub kind: AccountDeletionKind,
    /// The token of the link that cancels the deletion, for [`Scheduled`](AccountDeletionKind::Scheduled). It signs nobody in.
    pub token: Option<String>,
    /// The address of the client that has asked for the deletion or has cancelled it. `None` also for an administrator.
    pub client: Option<IpAddr>,
    /// The header `User-Agent` of that client: up to 256 characters of printable ASCII, which a stranger can choose. The standard
    /// mail does not repeat it.
    pub user_agent: Option<String>,
    /// When that was.
    pub at: SystemTime,
    /// From when on the account can be deleted.
    pub deletes_at: SystemTime,
    /// When the link expires. Without a link it is when the message was made.
    pub expires_at: SystemTime,
    /// The language for the user: `language.tag()` is its name.
    pub language: Language,
}

/// What has happened to an account whose deletion was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccountDeletionKind {
    /// It will be deleted, unless somebody opens the link or signs in to restore it.
    Scheduled,
    /// It will not be deleted.
    Cancelled,
    /// It was deleted.
    Done,
}

/// An invitation of a user who has no password yet (INVITATIONS). It has no `Debug`, because its token sets the password.
#[derive(Clone)]
#[non_exhaustive]
pub struct InvitationMessage {
    /// The address as it is stored.
    pub email: String,
    /// The user's name, as the host has stored it.
    pub name: String,
    /// The token of the link, with which the user chooses a password. `None` with the option
    /// [`sign_in_by_mail`](crate::config::InvitationOptions::sign_in_by_mail): the link leads to the login page.
    pub token: Option<String>,
    /// When the link expires.
    pub expires_at: SystemTime,
    /// The language for the user: `language.tag()` is its name.
    pub language: Language,
}

/// What the owner of an account is told without having asked: something has happened to the account.
///
/// One delivery takes all notices, so a new notice needs nothing of a host. A `match` that has no text for a notice returns an
/// error, which is logged:
///
/// ```
/// use axum_auth_module::delivery::{Delivers, Notice};
/// use axum_auth_module::{BoxError, async_trait};
///
/// struct MyNotices;
///
/// #[async_trait]
/// impl Delivers<Notice> for MyNotices {
///     async fn deliver(&self, notice: Notice) -> Result<(), BoxError> {
///         let text = match &notice {
///             Notice::AddressChanged(_) => "Your account has another e-mail address now.",
///             _ => return Err(format!("there is no text for {}", notice.description()).into()),
///         };
///         // … send the text to `notice.recipient()`
/// #       let _ = text;
///         Ok(())
///     }
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Notice {
    /// The e-mail address of an account has changed (specification §15.6).
    AddressChanged(AddressChanged),
}

impl Notice {
    /// The address to which the notice goes. It need not be the address that the account has now.
    #[must_use]
    pub fn recipient(&self) -> &str {
        match self {
            Self::AddressChanged(notice) => &notice.previous_email,
        }
    }

    /// The language for the user: `language.tag()` is its name.
    #[must_use]
    pub const fn language(&self) -> &Language {
        match self {
            Self::AddressChanged(notice) => &notice.language,
        }
    }

    /// What the notice is, for the log: `a notice of a changed address`.
    #[must_use]
    pub const fn description(&self) -> &'static str {
        match self {
            Self::AddressChanged(_) => "a notice of a changed address",
        }
    }
}

impl From<AddressChanged> for Notice {
    fn from(notice: AddressChanged) -> Self {
        Self::AddressChanged(notice)
    }
}

/// The e-mail address of an account has changed: for the previous one, whose owner may know nothing of it.
///
/// It does not have the user's name: who has taken over the account may have chosen the name, for the owner to read.
#[derive(Clone)]
#[non_exhaustive]
pub struct AddressChanged {
    /// The address that the account had, which was verified.
    pub previous_email: String,
    /// When it changed.
    pub changed_at: SystemTime,
    /// The language for the user: `language.tag()` is its name.
    pub language: Language,
}

impl AddressChanged {
    /// A notice in English, for a test of a delivery.
    #[must_use]
    pub const fn new(previous_email: String, changed_at: SystemTime) -> Self {
        Self { previous_email, changed_at, language: Language::english() }
    }
}

/// Does not show the address, which is personal data.
impl fmt::Debug for AddressChanged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AddressChanged").finish_non_exhaustive()
    }
}

/// The parts of a verification link (specification §15.4).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerificationData {
    /// The user's id.
    pub id: String,
    /// HMAC-SHA256 of the address, hexadecimal.
    pub hash: String,
    /// HMAC-SHA256 of `id:hash:expires`, hexadecimal.
    pub signature: String,
    /// Unix time in seconds.
    pub expires: u64,
}

impl VerificationData {
    pub(crate) fn new(id: String, hash: String, signature: String, expires: u64) -> Self {
        Self { id, hash, signature, expires }
    }

    /// The path and query of the link, below where the module is nested: `path("/auth")` gives
    /// `/auth/email/verify/{id}/{hash}?signature=…&expires=…`.
    #[must_use]
    pub fn path(&self, base: &str) -> String {
        let Self { id, hash, signature, expires } = self;
        format!("{base}/email/verify/{id}/{hash}?signature={signature}&expires={expires}", id = encoded(id))
    }
}

impl Message for PasswordResetMessage {
    const DESCRIPTION: &'static str = "a reset token";
}

impl Returnable for PasswordResetMessage {}

/// It is never in a response: that would sign anybody in who knows an address.
impl Message for EmailLoginMessage {
    const DESCRIPTION: &'static str = "a login code";
}

/// It is never in a response: that would give any address to anybody.
impl Message for EmailChangeMessage {
    const DESCRIPTION: &'static str = "a change of the address";
}

/// It is never in a response: it is an administrator who has asked.
impl Message for InvitationMessage {
    const DESCRIPTION: &'static str = "an invitation";
}

/// It is never in a response: who has asked for the deletion need not be the owner.
impl Message for AccountDeletionMessage {
    const DESCRIPTION: &'static str = "a deletion of the account";
}

impl Message for EmailVerificationMessage {
    const DESCRIPTION: &'static str = "a verification link";
}

impl Returnable for EmailVerificationMessage {}

/// A notice is never in a response: who has sent the request need not be who must be told.
impl Message for Notice {
    const DESCRIPTION: &'static str = "a notice";
}
