//! The mails: one table row and one implementation of [`Mail`] for each message.

use super::links::Placeholders;
use super::templates::{EmailVerificationMail, MailContent, MailTemplates, PasswordResetMail};
use crate::delivery::{EmailVerificationMessage, Message, PasswordResetMessage};
use crate::error::BoxError;
use std::time::{Duration, SystemTime};

/// What all mails of one kind have in common.
pub struct MailKind {
    /// The option of [`MailLinks`](super::MailLinks) with the template of the link.
    pub(super) link_option: &'static str,
    pub(super) placeholders: Placeholders,
}

/// The kinds of mail, in the order in which their problems are reported.
pub(super) const KINDS: [&MailKind; 2] = [&PASSWORD_RESET, &EMAIL_VERIFICATION];

pub(super) const PASSWORD_RESET: MailKind = MailKind {
    link_option: "reset_url",
    placeholders: Placeholders { required: &["token"], optional: &["email"] },
};

pub(super) const EMAIL_VERIFICATION: MailKind = MailKind {
    link_option: "verification_url",
    placeholders: Placeholders { required: &["id", "hash", "signature", "expires"], optional: &[] },
};

/// A message that can be sent as a mail.
pub trait Mail: Message + Sync {
    /// The kind of mail.
    const KIND: &'static MailKind;

    /// The address to which the mail goes.
    fn recipient(&self) -> &str;

    /// The values of the link's placeholders.
    fn values(&self) -> Vec<(&'static str, String)>;

    /// When the link expires.
    fn expires_at(&self) -> SystemTime;

    /// The texts of the mail.
    ///
    /// # Errors
    /// Any error of the template.
    fn content(&self, templates: &dyn MailTemplates, about: &About<'_>) -> Result<MailContent, BoxError>;
}

/// What a template receives beside the message.
pub struct About<'a> {
    pub(super) app_name: &'a str,
    pub(super) link: &'a str,
    pub(super) valid_for: Duration,
}

impl Mail for PasswordResetMessage {
    const KIND: &'static MailKind = &PASSWORD_RESET;

    fn recipient(&self) -> &str {
        &self.email
    }

    fn values(&self) -> Vec<(&'static str, String)> {
        vec![("token", self.token.clone()), ("email", self.email.clone())]
    }

    fn expires_at(&self) -> SystemTime {
        self.expires_at
    }

    fn content(&self, templates: &dyn MailTemplates, about: &About<'_>) -> Result<MailContent, BoxError> {
        templates.password_reset(&PasswordResetMail {
            app_name: about.app_name,
            name: &self.name,
            email: &self.email,
            link: about.link,
            token: &self.token,
            expires_at: self.expires_at,
            valid_for: about.valid_for,
        })
    }
}

impl Mail for EmailVerificationMessage {
    const KIND: &'static MailKind = &EMAIL_VERIFICATION;

    fn recipient(&self) -> &str {
        &self.email
    }

    fn values(&self) -> Vec<(&'static str, String)> {
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

    fn content(&self, templates: &dyn MailTemplates, about: &About<'_>) -> Result<MailContent, BoxError> {
        templates.email_verification(&EmailVerificationMail {
            app_name: about.app_name,
            name: &self.name,
            email: &self.email,
            link: about.link,
            expires_at: self.expires_at,
            valid_for: about.valid_for,
        })
    }
}
