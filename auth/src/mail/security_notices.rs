//! The mails of security notices.

use super::delivery::{MailContent, MailContext};
use super::letter::{Letter, LetterLink};
use super::link::LinkOption;
use super::mails::{LinkedMail, Words, in_utc};
use super::placeholders::filled;
use crate::delivery::{SecurityNoticeKind, SecurityNoticeMessage};
use crate::languages::MailText;
use std::time::SystemTime;

impl LinkedMail for SecurityNoticeMessage {
    const LINK: LinkOption = LinkOption { option: "secure_url", required: &["token"], optional: &[] };

    /// A notice without a token has no link.
    fn link_values(&self) -> Vec<(&'static str, String)> {
        self.token.iter().map(|token| ("token", token.clone())).collect()
    }

    fn expires_at(&self) -> SystemTime {
        self.expires_at
    }
}

/// Generates the subject and the beginning of each kind.
macro_rules! texts {
    ($($kind:ident $subject:ident $before:ident;)*) => {
        const fn texts(kind: SecurityNoticeKind) -> [MailText; 2] {
            match kind { $(SecurityNoticeKind::$kind => [MailText::$subject, MailText::$before],)* }
        }
    };
}

texts! {
    NewSignIn NewSignInSubject NewSignInBefore;
    PasswordChanged PasswordChangedSubject PasswordChangedBefore;
    PasswordReset PasswordResetSubject PasswordResetBefore;
    PasswordRemoved PasswordRemovedSubject PasswordRemovedBefore;
    TwoFactorEnabled TwoFactorEnabledSubject TwoFactorEnabledBefore;
    TwoFactorDisabled TwoFactorDisabledSubject TwoFactorDisabledBefore;
    TwoFactorSecretShown TwoFactorSecretShownSubject TwoFactorSecretShownBefore;
    RecoveryCodeUsed RecoveryCodeUsedSubject RecoveryCodeUsedBefore;
    RecoveryCodesGenerated RecoveryCodesGeneratedSubject RecoveryCodesGeneratedBefore;
    PasskeyAdded PasskeyAddedSubject PasskeyAddedBefore;
    PasskeyRemoved PasskeyRemovedSubject PasskeyRemovedBefore;
    IdentityLinked IdentityLinkedSubject IdentityLinkedBefore;
    IdentityUnlinked IdentityUnlinkedSubject IdentityUnlinkedBefore;
    ApiTokenCreated ApiTokenCreatedSubject ApiTokenCreatedBefore;
    DeviceTrusted DeviceTrustedSubject DeviceTrustedBefore;
    Impersonated ImpersonatedSubject ImpersonatedBefore;
    RefreshTokenReused RefreshTokenReusedSubject RefreshTokenReusedBefore;
    AccountReclaimed AccountReclaimedSubject AccountReclaimedBefore;
}

/// How a notice ends.
const fn end(kind: SecurityNoticeKind) -> MailText {
    match kind {
        SecurityNoticeKind::PasswordReset => MailText::PasswordResetAfter,
        SecurityNoticeKind::Impersonated => MailText::ImpersonatedAfter,
        SecurityNoticeKind::RefreshTokenReused => MailText::RefreshTokenReusedAfter,
        SecurityNoticeKind::AccountReclaimed => MailText::AccountReclaimedAfter,
        _ => MailText::NoticeAfter,
    }
}

pub(super) fn security_notice(mail: &MailContext<'_, SecurityNoticeMessage>) -> MailContent {
    let notice = mail.message;
    let words = Words::of(mail.language, mail.app_name, Some(mail.valid_for));
    let [subject, before] = texts(notice.kind);
    let last = notice.is_last_of_day.then(|| words.say(MailText::NoticeLast));
    let link = notice.token.as_ref().map(|_| LetterLink {
        before: Some(words.say(MailText::NoticeLink)),
        action: words.say(MailText::NoticeAction),
        url: mail.link,
    });
    Letter {
        language: mail.language,
        subject: words.say(subject),
        before: [Some(words.say(before)), Some(when_and_where(notice, &words)), last]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
        code: None,
        link,
        after: vec![words.say(end(notice.kind))],
        signature: mail.app_name,
    }
    .into()
}

/// `That was on 2026-11-27 10:06 UTC from the network address 203.0.113.7 (Firefox, Windows).`
fn when_and_where(notice: &SecurityNoticeMessage, words: &Words<'_>) -> String {
    let when = in_utc(notice.at);
    let device = notice.device().map(|device| format!(" ({device})")).unwrap_or_default();
    match (notice.client, &notice.user_agent) {
        (None, None) => filled(&words.say(MailText::HappenedAt), &[("when", &when)]),
        (client, _) => {
            let client = client.map_or_else(|| words.say(MailText::UnknownClient), |ip| ip.to_string());
            let values = [("client", format!("{client}{device}")), ("when", when)];
            filled(
                &words.say(MailText::ChangedFrom),
                &values.each_ref().map(|(name, value)| (*name, value.as_str())),
            )
        }
    }
}
