//! The frozen list of error codes (specification §8.1).

/// Generates the enum and its tables from one list, so that no code can lack a status or a sentence.
///
/// A row is: status, variant, code, the sentence for the client, and when the code is returned.
macro_rules! error_codes {
    ($($status:literal $variant:ident $code:literal $detail:literal, $when:literal;)*) => {
        /// What a client sees of an error: a code that never changes, its HTTP status and a sentence.
        ///
        /// Programs must use [`as_str`](Self::as_str). The sentences may be reworded in any release.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $(#[doc = concat!("`", $code, "`, status ", $status, ": ", $when, ".")] $variant,)*
        }

        impl ErrorCode {
            /// All codes, by status.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The code on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }

            /// The HTTP status that the code goes with.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)* }
            }

            /// A sentence for a person. It never contains input.
            #[must_use]
            pub const fn detail(self) -> &'static str {
                match self { $(Self::$variant => $detail,)* }
            }

            /// When the code is returned.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $when,)* }
            }
        }
    };
}

error_codes! {
    400 MalformedRequest "malformed_request" "The body must be a JSON object in UTF-8 without duplicate keys.",
        "the body is not a JSON object in UTF-8, or has a duplicate key";
    401 Unauthenticated "unauthenticated" "A valid access token is required.",
        "the access token is missing, malformed, expired or revoked, or its user is gone or inactive";
    401 InvalidCredentials "invalid_credentials" "The e-mail address or the password is wrong.",
        "login: the address is unknown, the password is wrong, or the account is inactive";
    401 InvalidRefreshToken "invalid_refresh_token" "The refresh token is invalid or has expired.",
        "refresh: the token is invalid, expired or revoked";
    401 RefreshTokenReused "refresh_token_reused" "The refresh token was used before. Its session has ended; log in again.",
        "refresh: the token was used before; its session has ended";
    401 InvalidChallengeToken "invalid_challenge_token" "The challenge token is invalid or has expired. Log in again.",
        "two-factor challenge: the token is invalid, expired, used, or was tried too often";
    403 PasswordConfirmationRequired "password_confirmation_required" "Confirm your password first.",
        "the password was not confirmed recently in this session";
    403 EmailNotVerified "email_not_verified" "Verify your e-mail address first.",
        "the extractor `VerifiedUser`: the address is not verified";
    403 VerificationLinkNotYours "verification_link_not_yours" "This verification link is for another account.",
        "the id in the link is not the id of the access token's user";
    404 NotFound "not_found" "There is no such route.",
        "the path is unknown, or its feature is not enabled";
    404 TwoFactorNotEnabled "two_factor_not_enabled" "Two-factor authentication is not enabled.",
        "the user has no two-factor secret";
    405 MethodNotAllowed "method_not_allowed" "This route does not allow that method.",
        "the path does not allow the method; `Allow` lists those that it does";
    409 EmailTaken "email_taken" "This e-mail address belongs to another account.",
        "registration and profile: the address belongs to another account";
    413 PayloadTooLarge "payload_too_large" "The request body is too large.",
        "the body is longer than `body_limit`";
    415 UnsupportedMediaType "unsupported_media_type" "The request body must be application/json.",
        "the content type is not JSON in UTF-8, or the body is compressed";
    422 ValidationFailed "validation_failed" "Some fields are invalid.",
        "some fields are invalid; `errors` lists them";
    422 InvalidResetToken "invalid_reset_token" "The reset token is invalid.",
        "the reset token is wrong, used, or not the newest";
    422 ExpiredResetToken "expired_reset_token" "The reset token has expired. Request a new one.",
        "the reset token is right but has expired";
    422 InvalidVerificationLink "invalid_verification_link" "The verification link is invalid.",
        "a part of the link was changed, or the address has changed since";
    422 ExpiredVerificationLink "expired_verification_link" "The verification link has expired. Request a new one.",
        "the link has expired";
    422 InvalidTwoFactorCode "invalid_two_factor_code" "The code is wrong or was used before.",
        "the one-time code is wrong or was used before";
    422 InvalidRecoveryCode "invalid_recovery_code" "The code is wrong or was used before.",
        "the recovery code is wrong or was used before";
    422 IncorrectPassword "incorrect_password" "The password is wrong.",
        "password confirmation and update: the current password is wrong";
    429 TooManyAttempts "too_many_attempts" "There were too many attempts. Try again later.",
        "a limit is reached; `Retry-After` says for how many seconds";
    500 InternalError "internal_error" "Something went wrong on the server.",
        "a provider of the host failed, or stored data cannot be read; the cause is in the log";
    503 Overloaded "overloaded" "The server is overloaded. Try again shortly.",
        "too many passwords wait to be hashed";
    503 Unavailable "unavailable" "A service that this request needs cannot be reached. Try again shortly.",
        "the store cannot be reached, or the request took longer than `request_timeout`";
}
