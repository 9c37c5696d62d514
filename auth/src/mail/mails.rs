//! The mails: for each message its method of [`Mailer`], what its link contains, and the standard text.

use super::accounts::{account_deletion, invitation};
use super::delivery::{MailContent, MailContext, MailDelivery, NoticeContext};
use super::letter::{Letter, LetterLink, in_words};
use super::link::LinkOption;
use super::mailer::{Mailer, MailerBuilder};
use super::placeholders::filled;
use super::security_notices::security_notice;
use crate::clock::is_in_calendar;
use crate::config::ConfigError;
use crate::delivery::{
    AccountDeletionMessage, EmailChangeMessage, EmailChangePurpose, EmailLoginMessage, EmailLoginPurpose,
    EmailVerificationMessage, InvitationMessage, Message, Notice, PasswordResetMessage, PasswordResetReason,
    SecurityNoticeMessage,
};
use crate::languages::{Language, MailText};
use humantime::format_rfc3339_seconds;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

/// A message that can be sent as a mail.
pub trait Mail: Message + Sync {
    /// The address to which the mail goes.
    fn recipient(&self) -> &str;

    /// The language of the mail.
    fn language(&self) -> &Language;

    /// What the mail is, in its header `X-Auth-Message`, by which filters and tests tell mails apart: `password-reset; kind=Requested`.
    fn label(&self) -> String;
}

/// A message whose mail has a link to the host's front end.
pub trait LinkedMail: Mail {
    /// The link in the mail.
    const LINK: LinkOption;

    /// The values of the link's placeholders.
    fn link_values(&self) -> Vec<(&'static str, String)>;

    /// When the link expires.
    fn expires_at(&self) -> SystemTime;

    /// Why a link with `{token}`, or without, is not one for this message. `None`: it is.
    fn problem_with_link(&self, _has_token: bool) -> Option<&'static str> {
        None
    }
}

/// The text after the label of a mail whose message has a reason, a purpose or a kind.
macro_rules! variant {
    ($message:ident) => {
        ""
    };
    ($message:ident $field:ident) => {
        format_args!("; kind={:?}", $message.$field)
    };
}

/// Generates [`Mail`] for each message whose mail has a link, and the method of each such mail: that of [`Mailer`], and that of
/// [`MailerBuilder`], which builds the mailer before.
///
/// A row is: method, the option with the link, message, label, and the field that tells the variants apart if there are any. A function
/// of the method's name writes the standard text.
macro_rules! mails {
    ($($(#[$doc:meta])* $mail:ident($link:ident) -> $Message:ident $label:literal $($field:ident)?;)*) => {
        $(
            impl Mail for $Message {
                fn recipient(&self) -> &str {
                    &self.email
                }

                fn language(&self) -> &Language {
                    &self.language
                }

                fn label(&self) -> String {
                    format!("{}{}", $label, variant!(self $($field)?))
                }
            }
        )*

        impl Mailer {
            $(
                $(#[$doc])*
                pub fn $mail(&self, $link: impl AsRef<str>) -> Result<MailDelivery<$Message>, ConfigError> {
                    self.delivering($link.as_ref(), $mail)
                }
            )*
        }

        /// The mails of a mailer that is not built yet: [`build`](Self::build) and the method of [`Mailer`] in one.
        impl MailerBuilder {
            $(
                #[doc = concat!("[`Mailer::", stringify!($mail), "`] of the mailer.")]
                #[doc = ""]
                #[doc = "# Errors"]
                #[doc = concat!("The errors of [`build`](Self::build) and of [`Mailer::", stringify!($mail), "`].")]
                pub fn $mail(&self, $link: impl AsRef<str>) -> Result<MailDelivery<$Message>, ConfigError> {
                    self.clone().build()?.$mail($link)
                }
            )*
        }
    };
}

mails! {
    /// Mails with a reset token. `reset_url` is the page that asks for a new password and sends it to `POST
    /// /reset-password`: a URI template with `{token}` and, because that route requires both, `{email}`.
    ///
    /// # Errors
    /// If it is not an absolute URL, lacks `{token}` or has an unknown placeholder.
    password_reset(reset_url) -> PasswordResetMessage "password-reset" reason;
    /// Mails with a verification link. `verification_url` is a URI template with `{id}`, `{hash}`, `{signature}` and
    /// `{expires}`: the page that calls `GET /email/verify/{id}/{hash}?signature={signature}&expires={expires}` with the
    /// access token of its user, who must be logged in.
    ///
    /// # Errors
    /// If it is not an absolute URL, lacks a placeholder or has an unknown one.
    email_verification(verification_url) -> EmailVerificationMessage "email-verification";
    /// Mails with a login code, a link, or both. `login_url` is a URI template with `{token}`: the page that sends the token to
    /// `POST /login/email/verify`, with the flow token that its browser has kept.
    ///
    /// # Errors
    /// If it is not an absolute URL, lacks `{token}` or has an unknown placeholder.
    email_login(login_url) -> EmailLoginMessage "email-login" purpose;
    /// Mails about a change of the address. `change_url` is a URI template with `{page}` and `{token}`. `{page}` is `email-change` for
    /// the page that sends the token to `POST /user/email-change/confirm`, where its user must be signed in, and `revert` for the
    /// page that sends the token to `POST /email/revert`: `https://example.com/{page}#token={token}`.
    ///
    /// # Errors
    /// If it is not an absolute URL, lacks a placeholder or has an unknown one.
    email_change(change_url) -> EmailChangeMessage "email-change" purpose;
    /// Mails with security notices. `secure_url` is a URI template with `{token}`: the page that sends the token to `POST
    /// /account/secure`. The link is in the notices that have one.
    ///
    /// # Errors
    /// If it is not an absolute URL, lacks `{token}` or has an unknown placeholder.
    security_notice(secure_url) -> SecurityNoticeMessage "security-notice" kind;
    /// Mails about the deletion of an account. `restore_url` is a URI template with `{token}`: the page that sends the token as
    /// `restoreToken` to `POST /user/restore`.
    ///
    /// # Errors
    /// If it is not an absolute URL, lacks `{token}` or has an unknown placeholder.
    account_deletion(restore_url) -> AccountDeletionMessage "account-deletion" kind;
    /// Mails with invitations. `invitation_url` is a URI template with `{token}`: the page that asks for a password and sends it with the
    /// token to `POST /invitation/accept`. With the option
    /// [`sign_in_by_mail`](crate::config::InvitationOptions::sign_in_by_mail) it is the login page, without a placeholder. A mail whose
    /// message and URL do not fit together is not sent, which is logged.
    ///
    /// # Errors
    /// If it is not an absolute URL or has an unknown placeholder.
    invitation(invitation_url) -> InvitationMessage "invitation";
}

impl Mailer {
    /// Mails with all notices, those of later features too.
    #[must_use]
    pub fn notices(&self) -> MailDelivery<Notice> {
        MailDelivery::of_notices(self.clone())
    }
}

impl MailerBuilder {
    /// [`Mailer::notices`] of the mailer.
    ///
    /// # Errors
    /// The errors of [`build`](Self::build).
    pub fn notices(&self) -> Result<MailDelivery<Notice>, ConfigError> {
        Ok(self.clone().build()?.notices())
    }
}

impl LinkedMail for PasswordResetMessage {
    const LINK: LinkOption = LinkOption { option: "reset_url", required: &["token"], optional: &["email"] };

    fn link_values(&self) -> Vec<(&'static str, String)> {
        vec![("token", self.token.clone()), ("email", self.email.clone())]
    }

    fn expires_at(&self) -> SystemTime {
        self.expires_at
    }
}

pub(super) fn password_reset(mail: &MailContext<'_, PasswordResetMessage>) -> MailContent {
    let words = Words::of(mail.language, mail.app_name, Some(mail.valid_for));
    let [subject, before, after] = match mail.message.reason {
        PasswordResetReason::Requested => {
            [MailText::ResetSubject, MailText::ResetBefore, MailText::ResetAfter]
        }
        PasswordResetReason::PasswordRemoved => {
            [MailText::ResetSubject, MailText::RemovedBefore, MailText::RecoveryAfter]
        }
        PasswordResetReason::LockedDown => {
            [MailText::LockedSubject, MailText::LockedBefore, MailText::RecoveryAfter]
        }
    };
    Letter {
        language: mail.language,
        subject: words.say(subject),
        before: words.say(before),
        code: None,
        link: Some(LetterLink { before: None, action: words.say(MailText::ResetAction), url: mail.link }),
        after: vec![words.say(after)],
        signature: mail.app_name,
    }
    .into()
}

impl LinkedMail for EmailVerificationMessage {
    const LINK: LinkOption = LinkOption {
        option: "verification_url",
        required: &["id", "hash", "signature", "expires"],
        optional: &[],
    };

    fn link_values(&self) -> Vec<(&'static str, String)> {
        let data = &self.data;
        vec![
            ("id", data.id.clone()),
            ("hash", data.hash.clone()),
            ("signature", data.signature.clone()),
            ("expires", data.expires.to_string()),
        ]
    }

    fn expires_at(&self) -> SystemTime {
        self.expires_at
    }
}

fn email_verification(mail: &MailContext<'_, EmailVerificationMessage>) -> MailContent {
    let words = Words::of(mail.language, mail.app_name, Some(mail.valid_for));
    Letter {
        language: mail.language,
        subject: words.say(MailText::VerificationSubject),
        before: words.say(MailText::VerificationBefore),
        code: None,
        link: Some(LetterLink {
            before: None,
            action: words.say(MailText::VerificationAction),
            url: mail.link,
        }),
        after: vec![words.say(MailText::VerificationAfter)],
        signature: mail.app_name,
    }
    .into()
}

impl LinkedMail for EmailLoginMessage {
    const LINK: LinkOption = LinkOption { option: "login_url", required: &["token"], optional: &[] };

    /// A message without a token has no link.
    fn link_values(&self) -> Vec<(&'static str, String)> {
        self.token.iter().map(|token| ("token", token.clone())).collect()
    }

    fn expires_at(&self) -> SystemTime {
        self.expires_at
    }
}

pub(super) fn email_login(mail: &MailContext<'_, EmailLoginMessage>) -> MailContent {
    use EmailLoginPurpose::{Confirmation, LockedDown, Login, PasswordRemoved, Registration};

    let (message, code) = (mail.message, mail.message.code_in_groups());
    let words = Words::of(mail.language, mail.app_name, Some(mail.valid_for));
    let recovery = match message.purpose {
        PasswordRemoved => {
            Some([MailText::RemovedSubject, MailText::RemovedBeforeLogin, MailText::RecoveryAfterLogin])
        }
        LockedDown => {
            Some([MailText::LockedSubject, MailText::LockedBeforeLogin, MailText::RecoveryAfterLogin])
        }
        Login | Registration | Confirmation => None,
    };
    if let Some([subject, before, after]) = recovery {
        return without_link(&words, subject, before, vec![words.say(after)]);
    }
    let (subject, before, action) = match (message.purpose, code.is_some()) {
        (Login, true) => (MailText::LoginSubject, MailText::LoginBeforeCode, MailText::LoginAction),
        (Login, false) => (MailText::LoginSubject, MailText::LoginBeforeLink, MailText::LoginAction),
        (Registration, true) => {
            (MailText::RegistrationSubject, MailText::RegistrationBeforeCode, MailText::RegistrationAction)
        }
        (Registration, false) => {
            (MailText::RegistrationSubject, MailText::RegistrationBeforeLink, MailText::RegistrationAction)
        }
        (Confirmation | PasswordRemoved | LockedDown, _) => {
            (MailText::ConfirmationSubject, MailText::ConfirmationBefore, MailText::LoginAction)
        }
    };
    let link = message.token.as_ref().map(|_| LetterLink {
        before: code.is_some().then(|| words.say(MailText::OrLink)),
        action: words.say(action),
        url: mail.link,
    });
    let asked = words.happened(MailText::CodeRequested, message.client, message.requested_at);
    let removes_password = message.purpose == Login && !message.email_verified;
    let warning = removes_password.then(|| words.say(MailText::LoginRemovesPassword));
    let after =
        if message.purpose == Registration { MailText::RegistrationAfter } else { MailText::CodeAfter };
    Letter {
        language: mail.language,
        subject: words.say(subject),
        before: words.say(before),
        code,
        link,
        after: warning.into_iter().chain([asked, words.say(after)]).collect(),
        signature: mail.app_name,
    }
    .into()
}

impl LinkedMail for EmailChangeMessage {
    const LINK: LinkOption = LinkOption { option: "change_url", required: &["page", "token"], optional: &[] };

    /// A message without a token has no link.
    fn link_values(&self) -> Vec<(&'static str, String)> {
        let page = || ("page", self.purpose.page().to_owned());
        self.token.iter().flat_map(|token| [page(), ("token", token.clone())]).collect()
    }

    fn expires_at(&self) -> SystemTime {
        self.expires_at
    }
}

pub(super) fn email_change(mail: &MailContext<'_, EmailChangeMessage>) -> MailContent {
    use EmailChangePurpose::{Changed, Confirm, NotReverted, Reverted, Taken};

    let message = mail.message;
    let words = Words::of(mail.language, mail.app_name, Some(mail.valid_for));
    let [subject, before, when, after] = match (message.purpose, &message.token) {
        (Confirm, _) => [
            MailText::EmailConfirmSubject,
            MailText::EmailConfirmBefore,
            MailText::CodeRequested,
            MailText::EmailConfirmAfter,
        ],
        (Taken, _) => [
            MailText::EmailTakenSubject,
            MailText::EmailTakenBefore,
            MailText::CodeRequested,
            MailText::EmailTakenAfter,
        ],
        (Changed, Some(_)) => [
            MailText::AddressChangedSubject,
            MailText::EmailChangedBefore,
            MailText::ChangedFrom,
            MailText::EmailChangedAfter,
        ],
        (Changed, None) => [
            MailText::AddressChangedSubject,
            MailText::AddressChangedBefore,
            MailText::ChangedFrom,
            MailText::AddressChangedAfter,
        ],
        (Reverted, _) => [
            MailText::EmailRevertedSubject,
            MailText::EmailRevertedBefore,
            MailText::ChangedFrom,
            MailText::EmailRevertedAfter,
        ],
        (NotReverted, _) => [
            MailText::LockedSubject,
            MailText::EmailNotRevertedBefore,
            MailText::CodeRequested,
            MailText::EmailNotRevertedAfter,
        ],
    };
    let after = vec![words.happened(when, message.client, message.requested_at), words.say(after)];
    let action = match message.purpose {
        Confirm => MailText::EmailConfirmAction,
        Taken | Changed | Reverted | NotReverted => MailText::EmailChangedAction,
    };
    match message.token {
        None => without_link(&words, subject, before, after),
        Some(_) => Letter {
            language: mail.language,
            subject: words.say(subject),
            before: words.say(before),
            code: None,
            link: Some(LetterLink { before: None, action: words.say(action), url: mail.link }),
            after,
            signature: mail.app_name,
        }
        .into(),
    }
}

/// A mail that only says something.
pub(super) fn without_link(
    words: &Words<'_>,
    subject: MailText,
    before: MailText,
    after: Vec<String>,
) -> MailContent {
    Letter {
        language: words.language,
        subject: words.say(subject),
        before: words.say(before),
        code: None,
        link: None,
        after,
        signature: words.app,
    }
    .into()
}

/// `2026-11-25 22:47 UTC`
pub(super) fn in_utc(time: SystemTime) -> String {
    let time = if is_in_calendar(time) { time } else { SystemTime::UNIX_EPOCH };
    let text = format_rfc3339_seconds(time).to_string();
    let minutes = text.get(..16).unwrap_or(&text);
    format!("{} UTC", minutes.replace('T', " "))
}

impl Mail for Notice {
    fn recipient(&self) -> &str {
        self.recipient()
    }

    fn language(&self) -> &Language {
        self.language()
    }

    fn label(&self) -> String {
        match self {
            Self::AddressChanged(_) => "notice; kind=AddressChanged".to_owned(),
        }
    }
}

/// The standard text of a notice. A new notice is a row here, with its texts in [`MailText`].
pub(super) fn notice(mail: &NoticeContext<'_>) -> MailContent {
    let [subject, before, after] = match mail.notice {
        Notice::AddressChanged(_) => {
            [MailText::AddressChangedSubject, MailText::AddressChangedBefore, MailText::AddressChangedAfter]
        }
    };
    let words = Words::of(mail.language, mail.app_name, None);
    without_link(&words, subject, before, vec![words.say(after)])
}

/// The texts of a mail, with the values in them.
pub(super) struct Words<'a> {
    language: &'a Language,
    app: &'a str,
    time: String,
}

impl<'a> Words<'a> {
    pub(super) fn of(language: &'a Language, app: &'a str, valid_for: Option<Duration>) -> Self {
        let time = valid_for.map(|time| in_words(language, time)).unwrap_or_default();
        Self { language, app, time }
    }

    /// A sentence about when something has happened, and from where.
    pub(super) fn happened(&self, text: MailText, client: Option<IpAddr>, at: SystemTime) -> String {
        let client = client.map_or_else(|| self.say(MailText::UnknownClient), |ip| ip.to_string());
        filled(&self.say(text), &[("client", &client), ("when", &in_utc(at))])
    }

    pub(super) fn say(&self, text: MailText) -> String {
        filled(self.language.text(text), &[("app", self.app), ("time", &self.time)])
    }
}
