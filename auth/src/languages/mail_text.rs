//! The table of the texts in mails.

use super::translated::translated_texts;

translated_texts! {
    /// A part of a standard mail ([`mail`](crate::delivery), cargo feature `mail`).
    ///
    /// `{app}` is the name of the application, `{time}` how long a link works, `{number}` how
    /// many minutes, hours or days, and `{when}` and `{client}` when something was requested and from where. None of the texts is HTML: the mails escape them.
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
    LoginSubject "login_subject" "Sign in to {app}"
        "Anmelden bei {app}",
        "the subject of the mail to sign in";
    LoginBeforeCode "login_before_code"
        "Somebody wants to sign in to your {app} account. Type this code where you began:"
        "Jemand möchte sich in Ihrem Konto bei {app} anmelden. Geben Sie diesen Code dort ein, wo Sie begonnen haben:",
        "before the code to sign in";
    LoginBeforeLink "login_before_link"
        "Somebody wants to sign in to your {app} account. Open this link in the browser in which you began:"
        "Jemand möchte sich in Ihrem Konto bei {app} anmelden. Öffnen Sie diesen Link in dem Browser, in dem Sie begonnen haben:",
        "before the link to sign in, in a mail without a code";
    OrLink "or_link" "Or open this link in the browser in which you began:"
        "Oder öffnen Sie diesen Link in dem Browser, in dem Sie begonnen haben:",
        "before a link, in a mail with a code";
    LoginAction "login_action" "Sign in"
        "Anmelden",
        "the link to sign in, in HTML";
    LoginRemovesPassword "login_removes_password"
        "Signing in with this mail removes the password of the account, because nobody has proven yet that they own this address. You \
             can choose another password afterwards."
        "Wenn Sie sich mit dieser Nachricht anmelden, wird das Passwort des Kontos entfernt, weil noch niemand nachgewiesen hat, dass \
             ihm diese Adresse gehört. Danach können Sie ein neues wählen.",
        "in the mail to sign in to an account whose address is not verified";
    RegistrationSubject "registration_subject" "Your new account at {app}"
        "Ihr neues Konto bei {app}",
        "the subject of the mail to make an account";
    RegistrationBeforeCode "registration_before_code"
        "Somebody wants to make an account at {app} with this address. Type this code where you began:"
        "Jemand möchte mit dieser Adresse ein Konto bei {app} anlegen. Geben Sie diesen Code dort ein, wo Sie begonnen haben:",
        "before the code to make an account";
    RegistrationBeforeLink "registration_before_link"
        "Somebody wants to make an account at {app} with this address. Open this link in the browser in which you began:"
        "Jemand möchte mit dieser Adresse ein Konto bei {app} anlegen. Öffnen Sie diesen Link in dem Browser, in dem Sie begonnen haben:",
        "before the link to make an account, in a mail without a code";
    RegistrationAction "registration_action" "Make the account"
        "Konto anlegen",
        "the link to make an account, in HTML";
    RegistrationAfter "registration_after"
        "It is valid for {time}. If you do nothing, no account is made."
        "Gültig: {time}. Wenn Sie nichts tun, wird kein Konto angelegt.",
        "the end of the mail to make an account";
    ConfirmationSubject "confirmation_subject" "Your code for {app}"
        "Ihr Code für {app}",
        "the subject of the mail to confirm in a session";
    ConfirmationBefore "confirmation_before"
        "Somebody who is signed in to your {app} account wants to confirm something. Type this code there:"
        "Jemand, der in Ihrem Konto bei {app} angemeldet ist, möchte etwas bestätigen. Geben Sie dort diesen Code ein:",
        "before the code to confirm in a session";
    CodeRequested "code_requested" "It was requested on {when} from the network address {client}."
        "Angefordert am {when} von der Netzwerkadresse {client}.",
        "who has requested a code or a link by mail";
    UnknownClient "unknown_client" "(unknown)"
        "(unbekannt)",
        "`{client}`, if the address is not known";
    CodeAfter "code_after"
        "It is valid for {time}. Do not pass it on. If you did not request it, you need not do anything: nobody can use it \
             without this mail."
        "Gültig: {time}. Geben Sie ihn nicht weiter. Wenn Sie das nicht waren, müssen Sie nichts tun: Ohne diese Nachricht \
             kann niemand etwas damit anfangen.",
        "the end of a mail with a code";
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
