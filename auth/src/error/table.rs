//! The table of errors (specification §8.1): what a request can fail with, and the frozen code that the client sees.

use super::{BoxError, FieldErrors};
use crate::assurance::{Insufficient, Proof};
use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, SystemTime};

/// Generates tokens that errors carry, which have no `Debug` that shows them.
macro_rules! tokens {
    ($($(#[$doc:meta])* $Token:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $Token(pub(crate) String);

        impl $Token {
            /// The token, for the client alone: a client must never take one from a URL.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Debug for $Token {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($Token))
            }
        }
    )*};
}

tokens! {
    /// What links an identity of a provider to the account of its owner (specification §9.50). It is a secret.
    LinkToken;
    /// What restores an account that is going to be deleted, and starts the session of its user (specification §9.61). It is a secret.
    RestoreToken;
}

/// Generates the two enums from one list, so that no error can lack a code, and no code a status or a sentence.
///
/// A row is: status, variant of `ErrorCode`, code, the sentence for the client, when the code is returned, and after `=>`
/// the variant of `AuthError`. The codes that only the router returns have none.
macro_rules! errors {
    ($(
        $status:literal $variant:ident $code:literal $detail:literal, $when:literal
        $(=> $error:ident $(($($values:tt)*))? $({ $($fields:tt)* })?)?;
    )*) => {
        /// The error of a request.
        ///
        /// `Display` writes the sentence that the client sees. `source()` returns the cause of
        /// [`Internal`](Self::Internal) and [`Unavailable`](Self::Unavailable), which is for logs only.
        #[derive(Debug, thiserror::Error)]
        #[non_exhaustive]
        pub enum AuthError {
            $($(
                #[doc = concat!("`", $code, "`: ", $when, ".")]
                #[error("{}", ErrorCode::$variant.detail())]
                $error $(($($values)*))? $({ $($fields)* })?,
            )?)*
        }

        impl AuthError {
            /// The frozen code that a client sees.
            #[must_use]
            pub const fn code(&self) -> ErrorCode {
                match self { $($(Self::$error { .. } => ErrorCode::$variant,)?)* }
            }
        }

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

errors! {
    400 MalformedRequest "malformed_request" "The body must be a JSON object in UTF-8 without duplicate keys.",
        "the body is not a JSON object in UTF-8, or has a duplicate key"
        => MalformedRequest;
    401 Unauthenticated "unauthenticated" "A valid access token is required.",
        "the access token is missing, malformed, expired, revoked or of another kind, or its user does not exist or is inactive"
        => Unauthenticated;
    401 InsufficientUserAuthentication "insufficient_user_authentication" "This needs a stronger or more recent authentication.",
        "the extractor `Assured`: what was proven in the session is not enough, or too long ago; `acrValues` has the levels that are enough, `maxAge` the seconds, and `methods` what the user can prove (RFC 9470)"
        => InsufficientUserAuthentication(Insufficient);
    401 InvalidCredentials "invalid_credentials" "The e-mail address or the password is wrong.",
        "login: the address is unknown, the password is wrong, or the account is inactive"
        => InvalidCredentials;
    401 InvalidRefreshToken "invalid_refresh_token" "The refresh token is invalid or has expired.",
        "refresh: the token is invalid, expired or revoked"
        => InvalidRefreshToken;
    401 RefreshTokenReused "refresh_token_reused" "The refresh token was used before. Its session has ended; log in again.",
        "refresh: the token was used before, and `refresh_grace` has passed since; its session has ended"
        => RefreshTokenReused;
    401 InvalidChallengeToken "invalid_challenge_token" "The challenge token is invalid or has expired. Log in again.",
        "two-factor challenge: the token is invalid, expired, used, or was tried too often"
        => InvalidChallengeToken;
    401 InvalidApiToken "invalid_api_token" "The API token is invalid or has expired.",
        "the extractors `ApiUser` and `UserOrApi`: the bearer token is not a valid API token, or its user does not exist or is inactive"
        => InvalidApiToken;
    403 InsufficientScope "insufficient_scope" "The API token does not allow this.",
        "the extractors `ApiUser` and `UserOrApi`: the API token does not have the scope, which `WWW-Authenticate` names"
        => InsufficientScope {
            /// The scope that the API token needs.
            scope: &'static str,
        };
    403 PasswordConfirmationRequired "password_confirmation_required" "Confirm your password first.",
        "the password was not confirmed recently in this session; with `confirm_with_code` also the second factor, and then `methods` lists both; `confirmWith` has what the user can prove"
        => PasswordConfirmationRequired {
            /// Whether a code of the second factor is required besides the password.
            with_code: bool,
            /// What the user can prove, in the order in which clients see it.
            confirm_with: Vec<Proof>,
        };
    403 SecondFactorUnavailable "second_factor_unavailable" "Your second factor cannot be checked at the moment.",
        "login: the user has a second factor, and two-factor authentication is off (`two_factor.when_off`)"
        => SecondFactorUnavailable;
    403 AccountPendingDeletion "account_pending_deletion" "The account is going to be deleted. You can restore it.",
        "a sign-in that has proven everything: the deletion of the account is pending; `deletesAt` has its time, and `restoreToken` restores the account (browsers have it in a cookie)"
        => AccountPendingDeletion {
            /// From when on the account can be deleted.
            deletes_at: SystemTime,
            /// What restores it. Browsers have it in a cookie.
            restore_token: Option<RestoreToken>,
        };
    403 NotAllowed "not_allowed" "This is not allowed.",
        "the host's `policy` does not allow a login, or a request that registers, logs in or causes a mail; `reason` has its code, and `detail` its sentence"
        => NotAllowed {
            /// The policy's code for programs.
            reason: Cow<'static, str>,
            /// The policy's sentence for people.
            detail: Cow<'static, str>,
        };
    403 NotWhileImpersonating "not_while_impersonating" "This is not possible while you act for somebody else.",
        "somebody acts for the user in this session: an administrator changes nothing in an account, and confirms nothing"
        => NotWhileImpersonating;
    403 EmailNotVerified "email_not_verified" "Verify your e-mail address first.",
        "the extractor `VerifiedUser`, a new passkey, identity or API token: the address is not verified"
        => EmailNotVerified;
    403 ProviderEmailUnverified "provider_email_unverified" "The provider does not say that this e-mail address is yours.",
        "sign-in with a provider: the identity is not known, and the provider has not verified an address"
        => ProviderEmailUnverified;
    403 RegistrationClosed "registration_closed" "There is no account for this sign-in.",
        "sign-in with a provider: there is no account, and PASSWORDLESS_REGISTRATION is not enabled"
        => RegistrationClosed;
    403 CrossOriginRequest "cross_origin_request" "This request comes from a page of another origin.",
        "a request that a browser sent from a page of another origin, with a session cookie or to the browser router"
        => CrossOriginRequest;
    403 VerificationLinkNotYours "verification_link_not_yours" "This verification link is for another account.",
        "the id in the link is not the id of the access token's user"
        => VerificationLinkNotYours;
    404 NotFound "not_found" "There is no such route or resource.",
        "the path is unknown, its feature is not enabled, or it names something that does not exist"
        => NotFound;
    404 UnknownPasskey "unknown_passkey" "This passkey is not known here any more.",
        "login with a passkey: there is no such passkey; the page then calls `PublicKeyCredential.signalUnknownCredential`"
        => UnknownPasskey;
    404 TwoFactorNotEnabled "two_factor_not_enabled" "Two-factor authentication is not enabled.",
        "the user has no two-factor secret"
        => TwoFactorNotEnabled;
    405 MethodNotAllowed "method_not_allowed" "This route does not allow that method.",
        "the path does not allow the method; `Allow` lists those that it does";
    409 EmailTaken "email_taken" "This e-mail address belongs to another account.",
        "registration, profile and changes of the address: the address belongs to another account, or is kept for one that had it until lately"
        => EmailTaken;
    409 UsernameTaken "username_taken" "This user name belongs to another account.",
        "registration and profile with USERNAMES: the user name belongs to another account"
        => UsernameTaken;
    409 AccountExists "account_exists" "An account with this e-mail address exists. Sign in as always; then this sign-in can be linked.",
        "sign-in with a provider: an account has the address, and the identity is not linked to it; on the bearer router `linkToken` links it"
        => AccountExists {
            /// What links the identity to the account, for the account's owner alone.
            link_token: Option<LinkToken>,
        };
    409 IdentityTaken "identity_taken" "This sign-in is linked to another account.",
        "the identity belongs to another user"
        => IdentityTaken;
    409 LastSignInMethod "last_sign_in_method" "This is your only way to sign in.",
        "the user could not sign in any more"
        => LastSignInMethod;
    409 PasskeyTaken "passkey_taken" "This passkey is in use already.",
        "the passkey belongs to an account already"
        => PasskeyTaken;
    409 LimitReached "limit_reached" "There are too many of these. Remove one first.",
        "the user has as many passkeys or API tokens as there may be"
        => LimitReached;
    413 PayloadTooLarge "payload_too_large" "The request body is too large.",
        "the body is longer than `body_limit`";
    415 UnsupportedMediaType "unsupported_media_type" "The request body must be application/json.",
        "the content type is not JSON in UTF-8, or the body is compressed";
    422 ValidationFailed "validation_failed" "Some fields are invalid.",
        "some fields are invalid; `errors` lists them"
        => ValidationFailed(FieldErrors);
    422 InvalidResetToken "invalid_reset_token" "The reset token is invalid.",
        "the reset token is wrong, used, or not the newest"
        => InvalidResetToken;
    422 ExpiredResetToken "expired_reset_token" "The reset token has expired. Request a new one.",
        "the reset token is right but has expired"
        => ExpiredResetToken;
    422 InvalidVerificationLink "invalid_verification_link" "The verification link is invalid.",
        "a part of the link was changed, or the address has changed since"
        => InvalidVerificationLink;
    422 ExpiredVerificationLink "expired_verification_link" "The verification link has expired. Request a new one.",
        "the link has expired"
        => ExpiredVerificationLink;
    422 InvalidMailToken "invalid_mail_token" "This link is not valid any more.",
        "the token of a mail's link is invalid or for somebody else, or something has ended what it is for"
        => InvalidMailToken;
    422 ExpiredMailToken "expired_mail_token" "This link has expired.",
        "the token of a mail's link has expired"
        => ExpiredMailToken;
    422 InvalidFlowToken "invalid_flow_token" "This is not valid any more. Begin again.",
        "the flow token is invalid, expired, used, was tried too often, or something has ended what was begun"
        => InvalidFlowToken;
    422 InvalidLoginCode "invalid_login_code" "The code is wrong.",
        "sign-in or confirmation by mail: the code or the token of the link is wrong"
        => InvalidLoginCode;
    422 InvalidPasskey "invalid_passkey" "The passkey could not be verified.",
        "what the browser has returned of a passkey does not verify; the log has the reason"
        => InvalidPasskey;
    422 ProviderRefused "provider_refused" "The provider has not confirmed who you are. Begin again.",
        "sign-in with a provider: the provider has refused, what it has returned does not verify, or its user cannot sign in; the log has the reason"
        => ProviderRefused;
    422 InvalidTwoFactorCode "invalid_two_factor_code" "The code is wrong or was used before.",
        "the one-time code is wrong or was used before"
        => InvalidTwoFactorCode;
    422 InvalidRecoveryCode "invalid_recovery_code" "The code is wrong or was used before.",
        "the recovery code is wrong or was used before"
        => InvalidRecoveryCode;
    422 IncorrectPassword "incorrect_password" "The password is wrong.",
        "password confirmation and update: the current password is wrong"
        => IncorrectPassword;
    429 TooManyAttempts "too_many_attempts" "There were too many attempts. Try again later.",
        "a limit is reached; `Retry-After` says for how many seconds"
        => TooManyAttempts {
            /// The time until the next attempt is allowed.
            retry_after: Duration,
        };
    500 InternalError "internal_error" "Something went wrong on the server.",
        "a provider or an action of the host failed, or stored data cannot be read; the cause is in the log"
        => Internal(#[source] BoxError);
    503 Overloaded "overloaded" "The server is overloaded. Try again shortly.",
        "too many passwords wait to be hashed, or too many of this client; `Retry-After` is the estimated time for them"
        => Overloaded {
            /// The time in which the threads will have hashed what waits now.
            retry_after: Duration,
        };
    503 ProviderUnavailable "provider_unavailable" "The provider cannot be reached. Try again shortly.",
        "sign-in with a provider: the provider cannot be reached, or has failed"
        => ProviderUnavailable;
    503 Unavailable "unavailable" "A service that this request needs cannot be reached. Try again shortly.",
        "the store cannot be reached, or the request took longer than `request_timeout`"
        => Unavailable(#[source] BoxError);
}
