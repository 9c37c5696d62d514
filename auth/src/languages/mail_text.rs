//! The table of the texts in mails.

use crate::error::texts;

texts! {
    /// A part of a standard mail ([`mail`](crate::delivery), cargo feature `mail`).
    ///
    /// `{app}` is the name of the application, `{time}` how long a link works and `{number}` how
    /// many minutes, hours or days. None of the texts is HTML: the mails escape them.
    pub enum MailText;
    Greeting "greeting" "Hello,",
        "the first line of a mail";
    ResetSubject "reset_subject" "Reset your {app} password",
        "the subject of the mail with a reset token";
    ResetBefore "reset_before"
        "Somebody requested a new password for your {app} account. Choose it on this page:",
        "before the link with a reset token";
    ResetAction "reset_action" "Choose a new password",
        "the link with a reset token, in HTML";
    ResetAfter "reset_after"
        "The link works once, for {time}. If you did not request it, you need not do anything: your password stays the same.",
        "after the link with a reset token";
    VerificationSubject "verification_subject" "Confirm your e-mail address for {app}",
        "the subject of the mail with a verification link";
    VerificationBefore "verification_before"
        "Please confirm that this is the e-mail address of your {app} account:",
        "before a verification link";
    VerificationAction "verification_action" "Confirm this address",
        "a verification link, in HTML";
    VerificationAfter "verification_after"
        "The link works for {time}. If you have no account there, you need not do anything.",
        "after a verification link";
    AddressChangedSubject "address_changed_subject" "The e-mail address of your {app} account has changed",
        "the subject of the notice to a previous address";
    AddressChangedBefore "address_changed_before"
        "Your {app} account has another e-mail address now. Mails no longer go to this one.",
        "the beginning of the notice to a previous address";
    AddressChangedAfter "address_changed_after"
        "If you did not change it, tell the people of {app}: somebody else may be using your account.",
        "the end of the notice to a previous address";
    OneMinute "one_minute" "{number} minute",
        "`{time}` of one minute";
    Minutes "minutes" "{number} minutes",
        "`{time}` below two hours";
    Hours "hours" "{number} hours",
        "`{time}` of at least two hours";
    Days "days" "{number} days",
        "`{time}` of at least two days";
}
