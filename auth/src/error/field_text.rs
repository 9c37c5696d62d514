//! The table of sentences about single fields.

use super::texts;

/// Generates the enum from one list, so that no sentence can lack its code either.
///
/// A row is: variant, name, code, sentence, when it is said.
macro_rules! field_texts {
    ($($variant:ident $key:literal $code:literal $text:literal, $when:literal;)*) => {
        texts! {
            /// A sentence of the library about a field, as [`FieldErrors`](super::FieldErrors) has it.
            ///
            /// Languages have a text for each of them ([`languages`](crate::languages)). Releases can add further ones.
            pub enum FieldText;
            $($variant $key $text, $when;)*
        }

        impl FieldText {
            /// The code of the field error.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }
        }
    };
}

field_texts! {
    Required "required" "required" "The field is required.",
        "a field is missing, null or empty";
    NotAString "not_a_string" "wrong_type" "The field must be a string.",
        "a field has a value of another type than a string";
    NotABoolean "not_a_boolean" "wrong_type" "The field must be true or false.",
        "a field has a value of another type than a boolean";
    NotAnObject "not_an_object" "wrong_type" "The field must be an object.",
        "a field has a value of another type than an object";
    NotAList "not_a_list" "wrong_type" "The field must be a list of strings.",
        "a field has a value of another type than a list of strings";
    NotANumber "not_a_number" "wrong_type" "The field must be a number.",
        "a field has a value of another type than a number";
    TooLong "too_long" "too_long" "The field must have at most {number} characters.",
        "a text is too long";
    ControlCharacters "control_characters" "invalid" "The field must not have control characters.",
        "a text has control characters";
    NameRequired "name_required" "required" "The name is required.",
        "the name is empty or blank";
    NameTooLong "name_too_long" "too_long" "The name must have at most {number} characters.",
        "the name is too long";
    NameInvalid "name_invalid" "invalid" "The name must not have control characters or invisible ones.",
        "the name has characters that hide a part of it";
    UsernameTooShort "username_too_short" "too_short" "The user name must have at least {number} characters.",
        "a user name is too short";
    UsernameTooLong "username_too_long" "too_long" "The user name must have at most {number} characters.",
        "a user name is too long";
    UsernameInvalid "username_invalid" "invalid"
        "A user name begins with a letter, and has letters from A to Z, digits, dots, underscores and hyphens.",
        "a user name has another character, or does not begin with a letter";
    UsernameReserved "username_reserved" "reserved" "This user name is reserved.",
        "a user name is one of the option `reserved_usernames`";
    UsernameConflict "username_conflict" "conflict" "Send the e-mail address or the user name, not both.",
        "a login has both `email` and `username`";
    EmailRequired "email_required" "required" "The e-mail address is required.",
        "the address is blank";
    EmailTooLong "email_too_long" "too_long" "The e-mail address must have at most {number} bytes.",
        "the address is too long";
    EmailInvalid "email_invalid" "invalid" "This is not an e-mail address.",
        "the address is not one plain e-mail address";
    EmailUnchanged "email_unchanged" "unchanged" "This is your e-mail address already.",
        "a user asks for the address that the account has";
    EmailChangesElsewhere "email_changes_elsewhere" "use_email_change"
        "An e-mail address changes only after it was confirmed: ask for the change there.",
        "a profile update has another address (CHANGE_EMAILS)";
    PasswordRequired "password_required" "required" "The password is required.",
        "a new password is empty";
    PasswordTooShort "password_too_short" "too_short" "The password must have at least {number} characters.",
        "a new password is shorter than `password_min_characters`";
    PasswordTooLong "password_too_long" "too_long" "The password must have at most {number} bytes.",
        "a new password is too long";
    PasswordInvalid "password_invalid" "invalid" "The password must not have a NUL character.",
        "a new password has a NUL character";
    PasswordMismatch "password_mismatch" "mismatch" "The confirmation must be equal to the password.",
        "the two entries of a new password differ";
    PasswordEasyToGuess "password_easy_to_guess" "easy_to_guess"
        "This password is easy to guess: it is common, or like your name or your address.",
        "the policy `CommonPasswords` refuses a new password";
    PasswordBreached "password_breached" "breached"
        "This password is known from a leak of another service. Choose another one.",
        "the policy `BreachedPasswords` refuses a new password";
    NoCurrentPassword "no_current_password" "conflict" "You have no password yet, so leave this field out.",
        "a user without a password sends a current one";
    CodeRequired "code_required" "required" "Send a code or a recovery code.",
        "a request that needs a second factor has neither `code` nor `recoveryCode`";
    FlowTokenRequired "flow_token_required" "required" "Send the flow token that came with the options.",
        "a challenge has `credential` without `flowToken`";
    ChallengeConflict "challenge_conflict" "conflict" "Send one of a code, a recovery code and a passkey.",
        "a challenge has more than one of `code`, `recoveryCode` and `credential`";
    EmailProofRequired "email_proof_required" "required" "Send the code of the mail, or the token of its link.",
        "a sign-in by mail has neither `code` nor `token`";
    EmailProofConflict "email_proof_conflict" "conflict" "Send the code of the mail or the token of its link, not both.",
        "a sign-in by mail has both `code` and `token`";
    RedirectUriInvalid "redirect_uri_invalid" "invalid" "This is not a redirect URI of the provider.",
        "a sign-in with a provider names a redirect URI that the configuration does not have";
    NextInvalid "next_invalid" "invalid" "The field must be a path of this site, of at most {number} bytes.",
        "a sign-in with a provider names a page that is no path, or a long one";
    LinkRequired "link_required" "required" "Send the link token, or the flow token that linking began with.",
        "an identity is linked without `linkToken` and without `flowToken`";
    LinkConflict "link_conflict" "conflict" "Send the link token or the flow token, not both.",
        "an identity is linked with both `linkToken` and `flowToken`";
    CodeConflict "code_conflict" "conflict" "Send a code or a recovery code, not both.",
        "a request has both `code` and `recoveryCode`";
    ScopeUnknown "scope_unknown" "invalid" "There is no such scope.",
        "a new API token asks for a scope that the host does not have";
    AudienceUnknown "audience_unknown" "unknown" "There is no such service.",
        "a token for a service that is not among those of `ServiceKeys`";
    LifetimeInvalid "lifetime_invalid" "invalid" "The lifetime is a whole number of seconds, from 1 to {number}.",
        "a new API token asks for a lifetime that is not a whole number of seconds, or longer than `api_tokens.max_lifetime`";
    SecondsInvalid "seconds_invalid" "invalid" "The window is a whole number of seconds.",
        "the parameter `seconds` is not a whole number";
    Incomplete "incomplete" "required" "A field is missing.",
        "a request is incomplete, and no other error says which field is missing";
}
