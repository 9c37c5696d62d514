//! The table of the texts in mails.

use super::translated::translated_texts;

translated_texts! {
    /// A part of a standard mail ([`mail`](crate::delivery), cargo feature `mail`).
    ///
    /// `{app}` is the name of the application, `{time}` how long a link works and `{number}` how
    /// many minutes, hours or days. None of the texts is HTML: the mails escape them.
    pub enum MailText;
    Greeting "greeting" "Hello,"
        "Guten Tag,",
        "the first line of a mail";
    ResetSubject "reset_subject" "Reset your {app} password"
        "Neues Passwort für {app}",
        "the subject of the mail with a reset token";
    ResetBefore "reset_before"
        "Somebody requested a new password for your {app} account. Choose it on this page:"
        "Jemand hat ein neues Passwort für Ihr Konto bei {app} angefordert. Auf dieser Seite wählen Sie es:",
        "before the link with a reset token";
    ResetAction "reset_action" "Choose a new password"
        "Neues Passwort wählen",
        "the link with a reset token, in HTML";
    ResetAfter "reset_after"
        "The link works once, for {time}. If you did not request it, you need not do anything: your password stays the same."
        "Der Link funktioniert einmal und gilt {time}. Wenn Sie kein neues Passwort angefordert haben, müssen Sie nichts \
             tun: Ihr Passwort bleibt, wie es ist.",
        "after the link with a reset token";
    VerificationSubject "verification_subject" "Confirm your e-mail address for {app}"
        "Bestätigen Sie Ihre E-Mail-Adresse für {app}",
        "the subject of the mail with a verification link";
    VerificationBefore "verification_before"
        "Please confirm that this is the e-mail address of your {app} account:"
        "Bitte bestätigen Sie, dass dies die E-Mail-Adresse Ihres Kontos bei {app} ist:",
        "before a verification link";
    VerificationAction "verification_action" "Confirm this address"
        "Diese Adresse bestätigen",
        "a verification link, in HTML";
    VerificationAfter "verification_after"
        "The link works for {time}. If you have no account there, you need not do anything."
        "Der Link gilt {time}. Wenn Sie dort kein Konto haben, müssen Sie nichts tun.",
        "after a verification link";
    AddressChangedSubject "address_changed_subject" "The e-mail address of your {app} account has changed"
        "Die E-Mail-Adresse Ihres Kontos bei {app} wurde geändert",
        "the subject of the notice to a previous address";
    AddressChangedBefore "address_changed_before"
        "Your {app} account has another e-mail address now. Mails no longer go to this one."
        "Ihr Konto bei {app} hat jetzt eine andere E-Mail-Adresse. An die bisherige gehen keine Mails mehr.",
        "the beginning of the notice to a previous address";
    AddressChangedAfter "address_changed_after"
        "If you did not change it, tell the people of {app}: somebody else may be using your account."
        "Wenn Sie das nicht selbst waren, wenden Sie sich an {app}: Vielleicht benutzt jemand anderes Ihr Konto.",
        "the end of the notice to a previous address";
    OneMinute "one_minute" "{number} minute"
        "{number} Minute",
        "`{time}` of one minute";
    Minutes "minutes" "{number} minutes"
        "{number} Minuten",
        "`{time}` below two hours";
    Hours "hours" "{number} hours"
        "{number} Stunden",
        "`{time}` of at least two hours";
    Days "days" "{number} days"
        "{number} Tage",
        "`{time}` of at least two days";
}
