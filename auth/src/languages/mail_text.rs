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
    InvitationSubject "invitation_subject" "You are invited to {app}"
        "Sie sind zu {app} eingeladen",
        "the subject of the mail with an invitation";
    InvitationBefore "invitation_before"
        "An account at {app} was created for this e-mail address. Choose a password for it on this page:"
        "Für diese E-Mail-Adresse wurde ein Konto bei {app} angelegt. Auf dieser Seite wählen Sie ein Passwort dafür:",
        "before the link of an invitation";
    InvitationAction "invitation_action" "Choose a password"
        "Passwort wählen",
        "the link of an invitation, in HTML";
    InvitationAfter "invitation_after"
        "The link works once, for {time}. If you do not expect an account there, you need not do anything."
        "Der Link funktioniert einmal und gilt {time}. Wenn Sie dort kein Konto erwarten, müssen Sie nichts tun.",
        "after the link of an invitation";
    InvitationBeforeLogin "invitation_before_login"
        "An account at {app} was created for this e-mail address. Sign in with the address on this page:"
        "Für diese E-Mail-Adresse wurde ein Konto bei {app} angelegt. Auf dieser Seite melden Sie sich mit der Adresse an:",
        "before the link of an invitation that leads to the login page";
    InvitationActionLogin "invitation_action_login" "Sign in"
        "Anmelden",
        "the link of an invitation that leads to the login page, in HTML";
    InvitationAfterLogin "invitation_after_login"
        "You need no password: a mail signs you in. If you do not expect an account there, you need not do anything."
        "Sie brauchen kein Passwort: Eine E-Mail meldet Sie an. Wenn Sie dort kein Konto erwarten, müssen Sie nichts tun.",
        "after the link of an invitation that leads to the login page";
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
    RemovedBefore "removed_before"
        "The password of your {app} account was removed, because somebody else may know it. Choose a new one on this page:"
        "Das Passwort Ihres Kontos bei {app} wurde entfernt, weil es vielleicht jemand anderes kennt. Auf dieser Seite wählen Sie ein neues:",
        "before the link with a reset token, after an administrator has removed the password";
    LockedSubject "locked_subject" "Your {app} account was locked down"
        "Ihr Konto bei {app} wurde gesichert",
        "the subject of the mail after a lock down";
    LockedBefore "locked_before"
        "Your {app} account was locked down: its password is gone, every session has ended, and what was added to it lately was removed. \
             Choose a new password on this page:"
        "Ihr Konto bei {app} wurde gesichert: Sein Passwort ist entfernt, alle Sitzungen sind beendet, und was zuletzt hinzukam, ist weg. \
             Auf dieser Seite wählen Sie ein neues Passwort:",
        "before the link with a reset token, after a lock down";
    RecoveryAfter "recovery_after"
        "The link works once, for {time}. After that, ask for another one where you sign in. If your second factor is gone, set it up again."
        "Der Link funktioniert einmal und gilt {time}. Danach fordern Sie auf der Anmeldeseite einen neuen an. Wenn Ihr zweiter Faktor weg \
             ist, richten Sie ihn neu ein.",
        "after the link with a reset token that nobody has asked for";
    RemovedSubject "removed_subject" "The password of your {app} account was removed"
        "Das Passwort Ihres Kontos bei {app} wurde entfernt",
        "the subject of the mail after an administrator has removed the password, without a reset token";
    RemovedBeforeLogin "removed_before_login"
        "The password of your {app} account was removed, because somebody else may know it. Every session has ended."
        "Das Passwort Ihres Kontos bei {app} wurde entfernt, weil es vielleicht jemand anderes kennt. Alle Sitzungen sind beendet.",
        "the beginning of the mail after an administrator has removed the password, without a reset token";
    LockedBeforeLogin "locked_before_login"
        "Your {app} account was locked down: its password is gone, every session has ended, and what was added to it lately was removed."
        "Ihr Konto bei {app} wurde gesichert: Sein Passwort ist entfernt, alle Sitzungen sind beendet, und was zuletzt hinzukam, ist weg.",
        "the beginning of the mail after a lock down, without a reset token";
    RecoveryAfterLogin "recovery_after_login"
        "Sign in with a code by mail, where you always sign in. If your second factor is gone, set it up again."
        "Melden Sie sich dort, wo Sie sich immer anmelden, mit einem Code per E-Mail an. Wenn Ihr zweiter Faktor weg ist, richten Sie ihn \
             neu ein.",
        "how to sign in again, in a mail without a reset token";
    EmailConfirmSubject "email_confirm_subject" "Confirm your new e-mail address for {app}"
        "Bestätigen Sie Ihre neue E-Mail-Adresse für {app}",
        "the subject of the mail to a new address";
    EmailConfirmBefore "email_confirm_before"
        "Somebody who is signed in at {app} wants to use this address for the account there. Open this link in the browser in which you \
             are signed in:"
        "Jemand, der bei {app} angemeldet ist, möchte diese Adresse für sein Konto dort verwenden. Öffnen Sie diesen Link in dem Browser, \
             in dem Sie angemeldet sind:",
        "before the link that confirms a new address";
    EmailConfirmAction "email_confirm_action" "Use this address"
        "Diese Adresse verwenden",
        "the link that confirms a new address, in HTML";
    EmailConfirmAfter "email_confirm_after"
        "The link works for {time}. If you did not request it, you need not do anything: without your account nobody can use it."
        "Der Link gilt {time}. Wenn Sie das nicht waren, müssen Sie nichts tun: Ohne Ihr Konto kann niemand etwas damit anfangen.",
        "the end of the mail to a new address";
    EmailTakenSubject "email_taken_subject" "Somebody wants to use your e-mail address at {app}"
        "Jemand möchte Ihre E-Mail-Adresse bei {app} verwenden",
        "the subject of the mail to an address that an account has already";
    EmailTakenBefore "email_taken_before"
        "Somebody who is signed in at {app} wants to use this address for another account there. That is not possible, because it is the \
             address of an account, or was until lately."
        "Jemand, der bei {app} angemeldet ist, möchte diese Adresse für ein anderes Konto dort verwenden. Das geht nicht, weil sie die \
             Adresse eines Kontos ist oder es bis vor Kurzem war.",
        "the beginning of the mail to an address that an account has already";
    EmailTakenAfter "email_taken_after"
        "You need not do anything. If it was you, sign in to the account that has this address."
        "Sie müssen nichts tun. Wenn Sie das waren, melden Sie sich in dem Konto an, das diese Adresse hat.",
        "the end of the mail to an address that an account has already";
    DeletionSubject "deletion_subject" "Your {app} account will be deleted"
        "Ihr Konto bei {app} wird gelöscht",
        "the subject of the mail after a deletion was scheduled";
    DeletionBefore "deletion_before"
        "Your {app} account will be deleted on {deleted}. Until then you can keep it: open this link, or sign in."
        "Ihr Konto bei {app} wird am {deleted} gelöscht. Bis dahin können Sie es behalten: Öffnen Sie diesen Link, oder melden Sie sich an.",
        "before the link that cancels a deletion; `{deleted}` is the time";
    DeletionAction "deletion_action" "Keep the account"
        "Konto behalten",
        "the link that cancels a deletion, in HTML";
    DeletionAfter "deletion_after"
        "If you want the account to be deleted, you need not do anything."
        "Wenn das Konto gelöscht werden soll, müssen Sie nichts tun.",
        "the end of the mail after a deletion was scheduled";
    DeletionCancelledSubject "deletion_cancelled_subject" "Your {app} account will not be deleted"
        "Ihr Konto bei {app} wird nicht gelöscht",
        "the subject of the mail after a deletion was cancelled";
    DeletionCancelledBefore "deletion_cancelled_before"
        "The deletion of your {app} account was cancelled. The account stays."
        "Die Löschung Ihres Kontos bei {app} wurde abgebrochen. Das Konto bleibt bestehen.",
        "the beginning of the mail after a deletion was cancelled";
    DeletionCancelledAfter "deletion_cancelled_after"
        "If it was not you, somebody else can use your account: change your password."
        "Wenn Sie das nicht waren, kann jemand anderes Ihr Konto benutzen: Ändern Sie Ihr Passwort.",
        "the end of the mail after a deletion was cancelled";
    DeletedSubject "deleted_subject" "Your {app} account has been deleted"
        "Ihr Konto bei {app} wurde gelöscht",
        "the subject of the mail after a user was deleted";
    DeletedBefore "deleted_before"
        "Your {app} account has been deleted, as you have asked for. This is the last mail about it."
        "Ihr Konto bei {app} wurde gelöscht, wie Sie es gewünscht haben. Dies ist die letzte Nachricht dazu.",
        "the mail after a user was deleted";
    ChangedFrom "changed_from" "That was on {when} from the network address {client}."
        "Das war am {when} von der Netzwerkadresse {client}.",
        "when something has happened to an account, and from where";
    EmailChangedBefore "email_changed_before"
        "Your {app} account has another e-mail address now. If you did not change it, open this link: your account gets this address \
             back, its password is removed, and every session ends."
        "Ihr Konto bei {app} hat jetzt eine andere E-Mail-Adresse. Wenn Sie das nicht waren, öffnen Sie diesen Link: Ihr Konto bekommt diese \
             Adresse zurück, sein Passwort wird entfernt, und alle Sitzungen enden.",
        "before the link that takes an account back";
    EmailChangedAction "email_changed_action" "It was not me"
        "Das war ich nicht",
        "the link that takes an account back, in HTML";
    EmailChangedAfter "email_changed_after"
        "The link works for {time}, also if somebody changes the address again. If you have changed it yourself, you need not do anything, \
             and should not pass this mail on."
        "Der Link gilt {time}, auch wenn jemand die Adresse noch einmal ändert. Wenn Sie sie selbst geändert haben, müssen Sie nichts tun \
             und sollten diese Nachricht nicht weitergeben.",
        "the end of the mail with the link that takes an account back";
    EmailRevertedSubject "email_reverted_subject" "An account at {app} has left this e-mail address"
        "Ein Konto bei {app} hat diese E-Mail-Adresse verlassen",
        "the subject of the mail to an address whose account was taken back";
    EmailRevertedBefore "email_reverted_before"
        "An account at {app} no longer has this address: the owner of its previous address has taken it back. Every session of the account \
             has ended."
        "Ein Konto bei {app} hat diese Adresse nicht mehr: Wem seine vorherige Adresse gehört, der hat es zurückgeholt. Alle Sitzungen des \
             Kontos sind beendet.",
        "the beginning of the mail to an address whose account was taken back";
    EmailRevertedAfter "email_reverted_after"
        "If the account is yours, tell the people of {app}."
        "Wenn das Konto Ihnen gehört, wenden Sie sich an {app}.",
        "the end of the mail to an address whose account was taken back";
    EmailNotRevertedBefore "email_not_reverted_before"
        "You wanted to get your {app} account back. Another account has this address by now, so yours could not get it. Your account was \
             locked down: its password is gone, and every session has ended."
        "Sie wollten Ihr Konto bei {app} zurückholen. Diese Adresse hat inzwischen ein anderes Konto, deshalb konnte Ihres sie nicht bekommen. \
             Ihr Konto wurde gesichert: Sein Passwort ist entfernt, und alle Sitzungen sind beendet.",
        "the beginning of the mail to a previous address that another account has";
    EmailNotRevertedAfter "email_not_reverted_after"
        "Tell the people of {app}: they can give your account another address."
        "Wenden Sie sich an {app}: Dort kann man Ihrem Konto eine andere Adresse geben.",
        "the end of the mail to a previous address that another account has";
    NewSignInSubject "new_sign_in_subject" "New sign-in to your {app} account"
        "Neue Anmeldung in Ihrem Konto bei {app}",
        "the subject of the notice of a new sign-in";
    NewSignInBefore "new_sign_in_before"
        "Somebody has signed in to your {app} account with a browser or an app that was not used there lately."
        "Jemand hat sich in Ihrem Konto bei {app} mit einem Browser oder einer App angemeldet, mit denen dort zuletzt niemand \
             war.",
        "the beginning of the notice of a new sign-in";
    PasswordChangedSubject "password_changed_subject" "The password of your {app} account was changed"
        "Das Passwort Ihres Kontos bei {app} wurde geändert",
        "the subject of the notice of a changed password";
    PasswordChangedBefore "password_changed_before"
        "Somebody who was signed in to your {app} account has changed its password."
        "Jemand, der in Ihrem Konto bei {app} angemeldet war, hat das Passwort geändert.",
        "the beginning of the notice of a changed password";
    PasswordResetSubject "password_reset_subject" "The password of your {app} account was reset"
        "Das Passwort Ihres Kontos bei {app} wurde zurückgesetzt",
        "the subject of the notice of a reset password";
    PasswordResetBefore "password_reset_before"
        "The password of your {app} account was reset with a link that was mailed to you. Every session has ended."
        "Das Passwort Ihres Kontos bei {app} wurde mit einem Link zurückgesetzt, der an Sie ging. Alle Sitzungen sind beendet.",
        "the beginning of the notice of a reset password";
    PasswordRemovedSubject "password_removed_subject" "Your {app} account has no password any more"
        "Ihr Konto bei {app} hat kein Passwort mehr",
        "the subject of the notice of a removed password";
    PasswordRemovedBefore "password_removed_before"
        "The password of your {app} account was removed."
        "Das Passwort Ihres Kontos bei {app} wurde entfernt.",
        "the beginning of the notice of a removed password";
    TwoFactorEnabledSubject "two_factor_enabled_subject" "Two-factor authentication is on for your {app} account"
        "Die Zwei-Faktor-Authentifizierung Ihres Kontos bei {app} ist an",
        "the subject of the notice of an enabled second factor";
    TwoFactorEnabledBefore "two_factor_enabled_before"
        "Two-factor authentication was enabled for your {app} account: signing in now takes a code of an authenticator app, \
             too."
        "Für Ihr Konto bei {app} wurde die Zwei-Faktor-Authentifizierung eingeschaltet: Zum Anmelden gehört jetzt auch ein Code \
             einer Authenticator-App.",
        "the beginning of the notice of an enabled second factor";
    TwoFactorDisabledSubject "two_factor_disabled_subject" "Two-factor authentication is off for your {app} account"
        "Die Zwei-Faktor-Authentifizierung Ihres Kontos bei {app} ist aus",
        "the subject of the notice of a disabled second factor";
    TwoFactorDisabledBefore "two_factor_disabled_before"
        "Two-factor authentication was disabled for your {app} account: signing in takes no second factor any more."
        "Für Ihr Konto bei {app} wurde die Zwei-Faktor-Authentifizierung ausgeschaltet: Zum Anmelden gehört kein zweiter Faktor \
             mehr.",
        "the beginning of the notice of a disabled second factor";
    TwoFactorSecretShownSubject "two_factor_secret_shown_subject" "The two-factor secret of your {app} account was shown"
        "Der Zwei-Faktor-Schlüssel Ihres Kontos bei {app} wurde angezeigt",
        "the subject of the notice of a secret that was shown";
    TwoFactorSecretShownBefore "two_factor_secret_shown_before"
        "Somebody who was signed in to your {app} account has had the secret of its second factor shown. Who knows the secret \
             can make your codes."
        "Jemand, der in Ihrem Konto bei {app} angemeldet war, hat sich den Schlüssel des zweiten Faktors zeigen lassen. Wer ihn \
             kennt, kann Ihre Codes erzeugen.",
        "the beginning of the notice of a secret that was shown";
    RecoveryCodeUsedSubject "recovery_code_used_subject" "A recovery code of your {app} account was used"
        "Ein Wiederherstellungscode Ihres Kontos bei {app} wurde verwendet",
        "the subject of the notice of a used recovery code";
    RecoveryCodeUsedBefore "recovery_code_used_before"
        "Somebody has used one of the recovery codes of your {app} account in place of a code of the authenticator app."
        "Jemand hat einen der Wiederherstellungscodes Ihres Kontos bei {app} anstelle eines Codes der Authenticator-App \
             verwendet.",
        "the beginning of the notice of a used recovery code";
    RecoveryCodesGeneratedSubject "recovery_codes_generated_subject" "Your {app} account has new recovery codes"
        "Ihr Konto bei {app} hat neue Wiederherstellungscodes",
        "the subject of the notice of new recovery codes";
    RecoveryCodesGeneratedBefore "recovery_codes_generated_before"
        "The recovery codes of your {app} account were replaced by new ones. The previous ones do not work any more."
        "Die Wiederherstellungscodes Ihres Kontos bei {app} wurden durch neue ersetzt. Die bisherigen gelten nicht mehr.",
        "the beginning of the notice of new recovery codes";
    PasskeyAddedSubject "passkey_added_subject" "A passkey was added to your {app} account"
        "Ihrem Konto bei {app} wurde ein Passkey hinzugefügt",
        "the subject of the notice of an added passkey";
    PasskeyAddedBefore "passkey_added_before"
        "A passkey was added to your {app} account. Whoever has the passkey can sign in with it."
        "Ihrem Konto bei {app} wurde ein Passkey hinzugefügt. Wer diesen Passkey hat, kann sich damit anmelden.",
        "the beginning of the notice of an added passkey";
    PasskeyRemovedSubject "passkey_removed_subject" "A passkey of your {app} account was removed"
        "Ein Passkey Ihres Kontos bei {app} wurde entfernt",
        "the subject of the notice of a removed passkey";
    PasskeyRemovedBefore "passkey_removed_before"
        "A passkey of your {app} account was removed. Nobody can sign in with it any more."
        "Ein Passkey Ihres Kontos bei {app} wurde entfernt. Niemand kann sich mehr damit anmelden.",
        "the beginning of the notice of a removed passkey";
    IdentityLinkedSubject "identity_linked_subject" "A sign-in was linked to your {app} account"
        "Mit Ihrem Konto bei {app} wurde eine Anmeldung verknüpft",
        "the subject of the notice of a linked identity";
    IdentityLinkedBefore "identity_linked_before"
        "An account at another provider was linked to your {app} account. Whoever has that account can sign in with it."
        "Mit Ihrem Konto bei {app} wurde ein Konto bei einem anderen Anbieter verknüpft. Wer dieses Konto hat, kann sich damit anmelden.",
        "the beginning of the notice of a linked identity";
    IdentityUnlinkedSubject "identity_unlinked_subject" "A sign-in was removed from your {app} account"
        "Eine Anmeldung wurde von Ihrem Konto bei {app} entfernt",
        "the subject of the notice of an unlinked identity";
    IdentityUnlinkedBefore "identity_unlinked_before"
        "An account at another provider was removed from your {app} account. Nobody can sign in with it any more."
        "Ein Konto bei einem anderen Anbieter wurde von Ihrem Konto bei {app} entfernt. Niemand kann sich mehr damit anmelden.",
        "the beginning of the notice of an unlinked identity";
    ApiTokenCreatedSubject "api_token_created_subject" "An API token was created for your {app} account"
        "Für Ihr Konto bei {app} wurde ein API-Token erstellt",
        "the subject of the notice of a new API token";
    ApiTokenCreatedBefore "api_token_created_before"
        "An API token was created for your {app} account. A program that has it can act for you."
        "Für Ihr Konto bei {app} wurde ein API-Token erstellt. Ein Programm, das es hat, kann für Sie handeln.",
        "the beginning of the notice of a new API token";
    DeviceTrustedSubject "device_trusted_subject" "A device is trusted by your {app} account"
        "Ihr Konto bei {app} vertraut einem Gerät",
        "the subject of the notice of a trusted device";
    DeviceTrustedBefore "device_trusted_before"
        "A device is trusted by your {app} account. Signing in on it no longer asks for a code."
        "Ihr Konto bei {app} vertraut einem Gerät. Bei der Anmeldung dort wird kein Code mehr verlangt.",
        "the beginning of the notice of a trusted device";
    ImpersonatedSubject "impersonated_subject" "The support of {app} has opened your account"
        "Der Support von {app} hat Ihr Konto geöffnet",
        "the subject of the notice of an impersonation";
    ImpersonatedBefore "impersonated_before"
        "Somebody of the support of {app} has opened your account and can see what you see there for up to an hour. Your password, your \
             ways to sign in and your e-mail address cannot be changed meanwhile."
        "Jemand vom Support von {app} hat Ihr Konto geöffnet und kann dort bis zu einer Stunde lang sehen, was Sie sehen. Ihr Passwort, \
             Ihre Anmeldewege und Ihre E-Mail-Adresse können dabei nicht geändert werden.",
        "the beginning of the notice of an impersonation";
    ImpersonatedAfter "impersonated_after"
        "The list of your sessions shows it, and you can end it there. If you have not asked for help, please ask us."
        "Die Liste Ihrer Sitzungen zeigt das, und Sie können es dort beenden. Wenn Sie nicht um Hilfe gebeten haben, fragen Sie uns bitte.",
        "the end of the notice of an impersonation";
    RefreshTokenReusedSubject "refresh_token_reused_subject" "A session of your {app} account was ended"
        "Eine Sitzung Ihres Kontos bei {app} wurde beendet",
        "the subject of the notice of a refresh token that was used twice";
    RefreshTokenReusedBefore "refresh_token_reused_before"
        "A session of your {app} account was used from two places, so it has ended. A program may have made a mistake, or \
             somebody has copied the session."
        "Eine Sitzung Ihres Kontos bei {app} wurde von zwei Stellen aus benutzt und ist deshalb beendet. Vielleicht hat ein \
             Programm einen Fehler gemacht, oder jemand hat die Sitzung kopiert.",
        "the beginning of the notice of a refresh token that was used twice";
    AccountReclaimedSubject "account_reclaimed_subject" "Your {app} account is yours alone"
        "Ihr Konto bei {app} gehört nur Ihnen",
        "the subject of the notice of the first proof of an address";
    AccountReclaimedBefore "account_reclaimed_before"
        "You have shown for the first time that this is your e-mail address at {app}. Whatever somebody else could have left on \
             the account before was removed."
        "Sie haben zum ersten Mal gezeigt, dass dies Ihre E-Mail-Adresse bei {app} ist. Was jemand anderes vorher in dem Konto \
             hinterlassen haben könnte, wurde entfernt.",
        "the beginning of the notice of the first proof of an address";
    NoticeLast "notice_last"
        "This was the fifth new sign-in of today. Further ones will not be mailed until tomorrow."
        "Das war heute die fünfte neue Anmeldung. Weitere werden erst morgen wieder gemeldet.",
        "in the last notice of a new sign-in of a day";
    HappenedAt "happened_at" "That was on {when}."
        "Das war am {when}.",
        "when something has happened to an account by a function for administrators";
    NoticeAction "notice_action" "It was not me"
        "Das war ich nicht",
        "the link that locks an account down, in HTML";
    NoticeLink "notice_link"
        "If this was you, you need not do anything. If it was not, open this link: the password and what was added to the account lately \
             are removed, every session ends, and a mail lets you in again."
        "Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, öffnen Sie diesen Link: Das Passwort und was zuletzt zu dem Konto hinzukam, \
             werden entfernt, alle Sitzungen enden, und eine Nachricht bringt Sie wieder hinein.",
        "before the link that locks an account down";
    NoticeAfter "notice_after"
        "The link works for {time}. Do not pass this mail on."
        "Der Link gilt {time}. Geben Sie diese Nachricht nicht weiter.",
        "the end of a notice with a link";
    PasswordResetAfter "password_reset_after"
        "If this was not you, somebody else reads your mails: change the password of your mailbox first, then ask for a new password here."
        "Wenn Sie das nicht waren, liest jemand anderes Ihre Mails: Ändern Sie zuerst das Passwort Ihres Postfachs, und fordern Sie dann hier \
             ein neues an.",
        "the end of the notice of a reset password";
    RefreshTokenReusedAfter "refresh_token_reused_after"
        "Sign in again. If you think that somebody else was in your account, change your password."
        "Melden Sie sich neu an. Wenn Sie glauben, dass jemand anderes in Ihrem Konto war, ändern Sie Ihr Passwort.",
        "the end of the notice of a refresh token that was used twice";
    AccountReclaimedAfter "account_reclaimed_after"
        "You need not do anything. If you had set up a second factor, set it up again."
        "Sie müssen nichts tun. Wenn Sie einen zweiten Faktor eingerichtet hatten, richten Sie ihn neu ein.",
        "the end of the notice of the first proof of an address";
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
