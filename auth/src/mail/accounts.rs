//! The mails about the beginning and the end of an account: invitations and deletions.

use super::delivery::{MailContent, MailContext};
use super::letter::{Letter, LetterLink};
use super::link::LinkOption;
use super::mails::{LinkedMail, Words, in_utc, without_link};
use super::placeholders::filled;
use crate::delivery::{AccountDeletionKind, AccountDeletionMessage, InvitationMessage};
use crate::languages::MailText;
use std::time::SystemTime;

impl LinkedMail for AccountDeletionMessage {
    const LINK: LinkOption = LinkOption { option: "restore_url", required: &["token"], optional: &[] };

    /// A message without a token has no link.
    fn link_values(&self) -> Vec<(&'static str, String)> {
        self.token.iter().map(|token| ("token", token.clone())).collect()
    }

    fn expires_at(&self) -> SystemTime {
        self.expires_at
    }
}

pub(super) fn account_deletion(mail: &MailContext<'_, AccountDeletionMessage>) -> MailContent {
    let message = mail.message;
    let words = Words::of(mail.language, mail.app_name, None);
    match message.kind {
        AccountDeletionKind::Scheduled => {
            let deleted = in_utc(message.deletes_at);
            Letter {
                language: mail.language,
                subject: words.say(MailText::DeletionSubject),
                before: filled(&words.say(MailText::DeletionBefore), &[("deleted", &deleted)]),
                code: None,
                link: Some(LetterLink {
                    before: None,
                    action: words.say(MailText::DeletionAction),
                    url: mail.link,
                }),
                after: vec![
                    words.happened(MailText::CodeRequested, message.client, message.at),
                    words.say(MailText::DeletionAfter),
                ],
                signature: mail.app_name,
            }
            .into()
        }
        AccountDeletionKind::Cancelled => {
            let when = words.happened(MailText::ChangedFrom, message.client, message.at);
            let after = vec![when, words.say(MailText::DeletionCancelledAfter)];
            without_link(&words, MailText::DeletionCancelledSubject, MailText::DeletionCancelledBefore, after)
        }
        AccountDeletionKind::Done => {
            without_link(&words, MailText::DeletedSubject, MailText::DeletedBefore, Vec::new())
        }
    }
}

impl LinkedMail for InvitationMessage {
    const LINK: LinkOption = LinkOption { option: "invitation_url", required: &[], optional: &["token"] };

    fn link_values(&self) -> Vec<(&'static str, String)> {
        self.token.iter().map(|token| ("token", token.clone())).collect()
    }

    fn expires_at(&self) -> SystemTime {
        self.expires_at
    }

    fn problem_with_link(&self, has_token: bool) -> Option<&'static str> {
        match (self.token.is_some(), has_token) {
            (true, false) => Some("`invitation_url` lacks {token}"),
            (false, true) => {
                Some("with `invitations.sign_in_by_mail` `invitation_url` is the login page, without {token}")
            }
            _ => None,
        }
    }
}

pub(super) fn invitation(mail: &MailContext<'_, InvitationMessage>) -> MailContent {
    let words = Words::of(mail.language, mail.app_name, Some(mail.valid_for));
    let [before, action, after] = match mail.message.token {
        Some(_) => [MailText::InvitationBefore, MailText::InvitationAction, MailText::InvitationAfter],
        None => {
            [MailText::InvitationBeforeLogin, MailText::InvitationActionLogin, MailText::InvitationAfterLogin]
        }
    };
    Letter {
        language: mail.language,
        subject: words.say(MailText::InvitationSubject),
        before: words.say(before),
        code: None,
        link: Some(LetterLink { before: None, action: words.say(action), url: mail.link }),
        after: vec![words.say(after)],
        signature: mail.app_name,
    }
    .into()
}
