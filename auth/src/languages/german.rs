//! The German texts. A text without a German one does not compile: no `match` here has a wildcard, and the texts of
//! successes and of mails have the German one in their row.

use super::TextKey;
use crate::error::{ErrorCode, FieldText};

pub(super) const fn german(text: TextKey) -> &'static str {
    match text {
        TextKey::Error(code) => error(code),
        TextKey::Field(text) => field(text),
        TextKey::Success(text) => text.german(),
        TextKey::Mail(text) => text.german(),
    }
}

const fn error(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::MalformedRequest => {
            "Der Inhalt der Anfrage muss ein JSON-Objekt in UTF-8 ohne doppelte Schlüssel sein."
        }
        ErrorCode::InsufficientUserAuthentication => {
            "Dafür ist eine stärkere oder neuere Anmeldung nötig. Bitte bestätigen Sie, wer Sie sind."
        }
        ErrorCode::Unauthenticated => "Bitte melden Sie sich an.",
        ErrorCode::InvalidCredentials => "Die E-Mail-Adresse oder das Passwort ist falsch.",
        ErrorCode::InvalidRefreshToken => {
            "Ihre Sitzung ist ungültig oder abgelaufen. Bitte melden Sie sich wieder an."
        }
        ErrorCode::RefreshTokenReused => {
            "Ihre Sitzung wurde beendet, weil ihr Token schon verwendet wurde. Bitte melden Sie sich wieder an."
        }
        ErrorCode::InvalidChallengeToken => {
            "Die Anmeldung ist ungültig oder abgelaufen. Bitte melden Sie sich wieder an."
        }
        ErrorCode::PasswordConfirmationRequired => "Bitte bestätigen Sie zuerst Ihr Passwort.",
        ErrorCode::SecondFactorUnavailable => "Ihr zweiter Faktor kann zurzeit nicht geprüft werden.",
        ErrorCode::NotWhileImpersonating => "Das geht nicht, während Sie für jemand anderen handeln.",
        ErrorCode::NotAllowed => "Das ist nicht erlaubt.",
        ErrorCode::EmailNotVerified => "Bitte bestätigen Sie zuerst Ihre E-Mail-Adresse.",
        ErrorCode::CrossOriginRequest => "Diese Anfrage kommt von einer Seite mit anderer Herkunft.",
        ErrorCode::VerificationLinkNotYours => "Dieser Bestätigungslink gehört zu einem anderen Konto.",
        ErrorCode::NotFound => "Das gibt es hier nicht.",
        ErrorCode::TwoFactorNotEnabled => "Die Zwei-Faktor-Authentifizierung ist nicht eingeschaltet.",
        ErrorCode::MethodNotAllowed => "Diese Methode ist hier nicht erlaubt.",
        ErrorCode::EmailTaken => "Diese E-Mail-Adresse gehört zu einem anderen Konto.",
        ErrorCode::UsernameTaken => "Dieser Benutzername gehört zu einem anderen Konto.",
        ErrorCode::LastSignInMethod => "Das ist Ihre einzige Möglichkeit, sich anzumelden.",
        ErrorCode::PayloadTooLarge => "Der Inhalt der Anfrage ist zu groß.",
        ErrorCode::UnsupportedMediaType => "Der Inhalt der Anfrage muss vom Typ application/json sein.",
        ErrorCode::ValidationFailed => "Einige Angaben sind ungültig.",
        ErrorCode::InvalidResetToken => "Der Link zum Zurücksetzen des Passworts ist ungültig.",
        ErrorCode::ExpiredResetToken => {
            "Der Link zum Zurücksetzen des Passworts ist abgelaufen. Bitte fordern Sie einen neuen an."
        }
        ErrorCode::InvalidVerificationLink => "Der Bestätigungslink ist ungültig.",
        ErrorCode::ExpiredVerificationLink => {
            "Der Bestätigungslink ist abgelaufen. Bitte fordern Sie einen neuen an."
        }
        ErrorCode::InvalidMailToken => "Dieser Link gilt nicht mehr.",
        ErrorCode::ExpiredMailToken => "Dieser Link ist abgelaufen.",
        ErrorCode::InvalidFlowToken => "Das ist nicht mehr gültig. Bitte beginnen Sie noch einmal.",
        ErrorCode::UnknownPasskey => "Dieser Passkey ist hier nicht mehr bekannt.",
        ErrorCode::InvalidPasskey => "Der Passkey konnte nicht geprüft werden.",
        ErrorCode::PasskeyTaken => "Dieser Passkey wird schon verwendet.",
        ErrorCode::ProviderEmailUnverified => {
            "Der Anbieter bestätigt nicht, dass diese E-Mail-Adresse Ihnen gehört."
        }
        ErrorCode::RegistrationClosed => "Zu dieser Anmeldung gibt es kein Konto.",
        ErrorCode::AccountPendingDeletion => "Das Konto wird gelöscht. Sie können es wiederherstellen.",
        ErrorCode::AccountExists => {
            "Zu dieser E-Mail-Adresse gibt es ein Konto. Bitte melden Sie sich wie immer an; dann lässt sich diese Anmeldung verknüpfen."
        }
        ErrorCode::IdentityTaken => "Diese Anmeldung ist mit einem anderen Konto verknüpft.",
        ErrorCode::ProviderRefused => {
            "Der Anbieter hat nicht bestätigt, wer Sie sind. Bitte beginnen Sie noch einmal."
        }
        ErrorCode::ProviderUnavailable => {
            "Der Anbieter ist nicht erreichbar. Bitte versuchen Sie es gleich noch einmal."
        }
        ErrorCode::InvalidApiToken => "Das API-Token ist ungültig oder abgelaufen.",
        ErrorCode::InsufficientScope => "Das API-Token erlaubt das nicht.",
        ErrorCode::LimitReached => "Davon gibt es zu viele. Bitte entfernen Sie zuerst etwas.",
        ErrorCode::InvalidLoginCode => "Der Code ist falsch.",
        ErrorCode::InvalidTwoFactorCode | ErrorCode::InvalidRecoveryCode => {
            "Der Code ist falsch oder wurde schon verwendet."
        }
        ErrorCode::IncorrectPassword => "Das Passwort ist falsch.",
        ErrorCode::TooManyAttempts => {
            "Das waren zu viele Versuche. Bitte versuchen Sie es später noch einmal."
        }
        ErrorCode::InternalError => "Auf dem Server ist ein Fehler aufgetreten.",
        ErrorCode::Overloaded => "Der Server ist überlastet. Bitte versuchen Sie es gleich noch einmal.",
        ErrorCode::Unavailable => {
            "Ein benötigter Dienst ist nicht erreichbar. Bitte versuchen Sie es gleich noch einmal."
        }
    }
}

const fn field(text: FieldText) -> &'static str {
    match text {
        FieldText::Required => "Dieses Feld muss ausgefüllt werden.",
        FieldText::NotAString => "Dieses Feld muss ein Text sein.",
        FieldText::NotAnObject => "Dieses Feld muss ein Objekt sein.",
        FieldText::FlowTokenRequired => "Es fehlt das Token, das zu den Optionen gehört.",
        FieldText::ChallengeConflict => {
            "Bitte senden Sie entweder einen Code oder einen Wiederherstellungscode oder einen Passkey."
        }
        FieldText::RedirectUriInvalid => "Diese Adresse ist keine, zu der der Anbieter zurückführen darf.",
        FieldText::NextInvalid => {
            "Dieses Feld muss ein Pfad dieser Website mit höchstens {number} Bytes sein."
        }
        FieldText::LinkRequired => "Es fehlt das Token, mit dem verknüpft wird.",
        FieldText::LinkConflict => "Bitte senden Sie nur eines der beiden Token.",
        FieldText::NotAList => "Dieses Feld muss eine Liste von Texten sein.",
        FieldText::NotANumber => "Dieses Feld muss eine Zahl sein.",
        FieldText::NotABoolean => "Dieses Feld muss wahr oder falsch sein.",
        FieldText::TooLong => "Das Feld darf höchstens {number} Zeichen haben.",
        FieldText::ControlCharacters => "Das Feld darf keine Steuerzeichen haben.",
        FieldText::NameRequired => "Der Name fehlt.",
        FieldText::NameTooLong => "Der Name darf höchstens {number} Zeichen haben.",
        FieldText::UsernameTooShort => "Der Benutzername muss mindestens {number} Zeichen haben.",
        FieldText::UsernameTooLong => "Der Benutzername darf höchstens {number} Zeichen haben.",
        FieldText::UsernameInvalid => {
            "Ein Benutzername beginnt mit einem Buchstaben und hat Buchstaben von A bis Z, Ziffern, Punkte, Unterstriche und Bindestriche."
        }
        FieldText::UsernameReserved => "Dieser Benutzername ist reserviert.",
        FieldText::UsernameConflict => {
            "Bitte senden Sie die E-Mail-Adresse oder den Benutzernamen, nicht beides."
        }
        FieldText::NameInvalid => "Der Name darf keine Steuerzeichen und keine unsichtbaren Zeichen haben.",
        FieldText::EmailRequired => "Die E-Mail-Adresse fehlt.",
        FieldText::EmailTooLong => "Die E-Mail-Adresse darf höchstens {number} Bytes lang sein.",
        FieldText::EmailInvalid => "Das ist keine E-Mail-Adresse.",
        FieldText::EmailUnchanged => "Das ist schon Ihre E-Mail-Adresse.",
        FieldText::EmailChangesElsewhere => {
            "Eine E-Mail-Adresse ändert sich erst, wenn sie bestätigt wurde: Fordern Sie die Änderung dort an."
        }
        FieldText::PasswordRequired => "Das Passwort fehlt.",
        FieldText::PasswordTooShort => "Das Passwort muss mindestens {number} Zeichen haben.",
        FieldText::PasswordTooLong => "Das Passwort darf höchstens {number} Bytes lang sein.",
        FieldText::PasswordInvalid => "Das Passwort darf kein NUL-Zeichen haben.",
        FieldText::PasswordMismatch => "Die beiden Passwörter müssen gleich sein.",
        FieldText::PasswordEasyToGuess => {
            "Dieses Passwort ist leicht zu erraten: Es ist verbreitet oder ähnelt Ihrem Namen oder Ihrer Adresse."
        }
        FieldText::PasswordBreached => {
            "Dieses Passwort ist durch ein Datenleck bei einem anderen Dienst bekannt. Bitte wählen Sie ein anderes."
        }
        FieldText::NoCurrentPassword => "Sie haben noch kein Passwort. Lassen Sie dieses Feld weg.",
        FieldText::CodeRequired => "Bitte geben Sie einen Code oder einen Wiederherstellungscode ein.",
        FieldText::EmailProofRequired => "Bitte geben Sie den Code aus der E-Mail ein.",
        FieldText::EmailProofConflict => {
            "Bitte schicken Sie entweder den Code aus der E-Mail oder das Token ihres Links, nicht beides."
        }
        FieldText::CodeConflict => {
            "Bitte geben Sie entweder einen Code oder einen Wiederherstellungscode ein, nicht beides."
        }
        FieldText::ScopeUnknown => "Diese Berechtigung gibt es nicht.",
        FieldText::AudienceUnknown => "Diesen Dienst gibt es nicht.",
        FieldText::LifetimeInvalid => {
            "Die Gültigkeit muss eine ganze Zahl von Sekunden sein, von 1 bis {number}."
        }
        FieldText::SecondsInvalid => "Die Dauer muss eine ganze Zahl von Sekunden sein.",
        FieldText::Incomplete => "Es fehlt eine Angabe.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_german_and_has_the_placeholders_of_the_english_one() {
        for text in TextKey::all() {
            let (german, english) = (german(text), text.english());
            let end = |text: &'static str| text.chars().last().filter(|c| ['.', ',', ':'].contains(c));
            assert!(end(german) == end(english) && german.trim() == german, "{text}: {german}");
            assert_ne!(german, english, "{text}");
            for word in german.split(|c: char| !c.is_alphanumeric()) {
                assert!(
                    !["the", "is", "are", "and", "has", "been", "your", "must"].contains(&word),
                    "{text}: {german}"
                );
            }
            assert_eq!(placeholders(german), placeholders(english), "{text}");
        }
    }

    fn placeholders(text: &str) -> Vec<&str> {
        let mut found: Vec<_> = text.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
        found.sort_unstable();
        found
    }
}
