//! The frozen list of error codes (specification §8.1).

/// Writes the enum and its three tables from one list, so that no code can lack a status or a sentence.
macro_rules! error_codes {
    ($($status:literal $variant:ident $code:literal $detail:literal)*) => {
        /// What a client sees of an error: a code that never changes, its HTTP status and a sentence.
        ///
        /// Clients go by [`as_str`](Self::as_str). The sentences may be reworded in any release.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $(#[doc = concat!("`", $code, "`, status ", $status, ": ", $detail)] $variant,)*
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

            /// A sentence for a person. It never holds input.
            #[must_use]
            pub const fn detail(self) -> &'static str {
                match self { $(Self::$variant => $detail,)* }
            }
        }
    };
}

error_codes! {
    400 MalformedRequest "malformed_request" "The request is not a JSON object in UTF-8 with each key once."
    401 Unauthenticated "unauthenticated" "A valid access token is required."
    401 InvalidCredentials "invalid_credentials" "The e-mail address or the password is wrong."
    401 InvalidRefreshToken "invalid_refresh_token" "The refresh token is not valid, or not any more."
    401 RefreshTokenReused "refresh_token_reused" "The refresh token was used before. Its session has ended; log in again."
    401 InvalidChallengeToken "invalid_challenge_token" "The challenge token is not valid, or not any more. Log in again."
    403 PasswordConfirmationRequired "password_confirmation_required" "Confirm your password first."
    403 EmailNotVerified "email_not_verified" "Verify your e-mail address first."
    403 VerificationLinkNotYours "verification_link_not_yours" "This verification link is for another account."
    404 NotFound "not_found" "There is nothing at this address."
    404 TwoFactorNotEnabled "two_factor_not_enabled" "Two-factor authentication is not enabled."
    405 MethodNotAllowed "method_not_allowed" "This address does not take that method."
    409 EmailTaken "email_taken" "This e-mail address belongs to another account."
    413 PayloadTooLarge "payload_too_large" "The request's body is too large."
    415 UnsupportedMediaType "unsupported_media_type" "The request's body has to be application/json."
    422 ValidationFailed "validation_failed" "Some fields do not hold what they have to."
    422 InvalidResetToken "invalid_reset_token" "The reset token is not valid, or not any more."
    422 ExpiredResetToken "expired_reset_token" "The reset token has expired. Ask for a new one."
    422 InvalidVerificationLink "invalid_verification_link" "The verification link is not valid."
    422 ExpiredVerificationLink "expired_verification_link" "The verification link has expired. Ask for a new one."
    422 InvalidTwoFactorCode "invalid_two_factor_code" "The code is wrong, or was used before."
    422 InvalidRecoveryCode "invalid_recovery_code" "The recovery code is wrong, or was used before."
    422 IncorrectPassword "incorrect_password" "The password is wrong."
    429 TooManyAttempts "too_many_attempts" "There were too many attempts. Wait before the next one."
    500 InternalError "internal_error" "Something went wrong on the server."
    503 Overloaded "overloaded" "The server has too much to do. Try again shortly."
    503 Unavailable "unavailable" "Something that the server needs cannot be reached. Try again shortly."
}
