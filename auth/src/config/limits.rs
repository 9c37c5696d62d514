//! The rate limits (specification §17.1): one table, from which everything that depends on the list of limits is
//! generated.

use std::time::Duration;

/// How many attempts are allowed in how much time. The window starts with the first attempt.
///
/// ```
/// use axum_auth_module::config::RateLimit;
/// use std::time::Duration;
///
/// assert_eq!(RateLimit::new(5, Duration::from_secs(60)), RateLimit::per_seconds(5, 60));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimit {
    /// How many attempts are allowed in a window; at least 1.
    pub limit: u32,
    /// The length of a window; one second to ten years.
    pub window: Duration,
}

impl RateLimit {
    /// `limit` attempts in each `window`.
    #[must_use]
    pub const fn new(limit: u32, window: Duration) -> Self {
        Self { limit, window }
    }

    /// `limit` attempts in `seconds` seconds.
    #[must_use]
    pub const fn per_seconds(limit: u32, seconds: u64) -> Self {
        Self { limit, window: Duration::from_secs(seconds) }
    }
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitUnit {
    /// Attempts that failed. An attempt that succeeds gives its slot back.
    Failures,
    /// Attempts that succeeded. An attempt that fails or changes nothing gives its slot back.
    Successes,
    /// All calls.
    Calls,
}

/// Whose attempts a limit counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitKey {
    /// Those that concern one account or one e-mail address, from any client.
    PerAccount,
    /// Those of one client, for any account.
    PerClient,
    /// Those of one client that concern one account.
    PerAccountAndClient,
    /// Those of one kind (login, password, code, code of a mail) that concern one account, from any client.
    PerKindAndAccount,
    /// Those of one kind (login, password, code) of one client that concern one account.
    PerKindAndAccountAndClient,
}

/// The clients that a limit is for.
///
/// A client is known to an account if the account has logged in from it within 30 days. Over a longer time, guesses from known
/// clients have counters of their own, so that strangers' guesses do not lock out the owner of an account. The short limits are
/// those of all clients: they do not tell anybody whether a client is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientScope {
    /// All clients.
    All,
    /// Clients that the account knows.
    Known,
    /// Clients that the account does not know.
    Unknown,
}

/// The value of a limit that is gone.
const NOT_SET: RateLimit = RateLimit::per_seconds(0, 0);

/// Generates [`RateLimits`] with its documentation and defaults, and [`Limit`] with its names, from one list.
///
/// A row is: variant, option, what is counted, from which clients, by what, the default, and for whom.
macro_rules! limits {
    ($(
        $variant:ident $option:ident $counts:ident of $clients:ident by $by:ident, $limit:literal in $seconds:literal s:
        $of:literal;
    )*) => {
        /// Every limit of the module. A limit counts failed attempts unless its documentation says "all calls" or "those that succeed".
        ///
        /// ```
        /// use axum_auth_module::config::{RateLimit, RateLimits};
        ///
        /// let mut limits = RateLimits::default();
        /// limits.register = RateLimit::per_seconds(100, 60);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct RateLimits {
            $(
                #[doc = concat!($of, ": ", $limit, " in ", $seconds, " s.")]
                pub $option: RateLimit,
            )*
            /// This limit is gone: known clients have the short limits of all clients. To set it is a
            /// [`ConfigError`](crate::config::ConfigError).
            #[deprecated(note = "it is a configuration error to set it: known clients have the short limits of all clients, which are \
                                 `login_account_and_client`, `confirm_password` and `two_factor`")]
            pub known_client: RateLimit,
        }

        #[expect(deprecated, reason = "a limit that is gone is not set")]
        impl Default for RateLimits {
            fn default() -> Self {
                Self { $($option: RateLimit::per_seconds($limit, $seconds),)* known_client: NOT_SET }
            }
        }

        #[expect(deprecated, reason = "a limit that is gone is not set")]
        impl RateLimits {
            /// One limit for everything, for tests that must not reach any.
            #[must_use]
            pub const fn all(limit: RateLimit) -> Self {
                Self { $($option: limit,)* known_client: NOT_SET }
            }

            /// Whether the host sets the limit that is gone.
            pub(crate) fn sets_known_client(&self) -> bool {
                self.known_client != NOT_SET
            }

            /// The configured value of a limit.
            #[must_use]
            pub const fn of(&self, limit: Limit) -> RateLimit {
                match limit { $(Limit::$variant => self.$option,)* }
            }
        }

        /// The name of a limit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Limit {
            $(#[doc = concat!("`limits.", stringify!($option), "`: ", $of, ".")] $variant,)*
        }

        impl Limit {
            /// All limits.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The limit's name as an option: `limits.register`.
            #[must_use]
            pub const fn option(self) -> &'static str {
                match self { $(Self::$variant => concat!("limits.", stringify!($option)),)* }
            }

            /// The limit's name in the store.
            pub(crate) const fn key(self) -> &'static str {
                match self { $(Self::$variant => stringify!($option),)* }
            }

            /// What the limit counts.
            #[must_use]
            pub const fn counts(self) -> LimitUnit {
                match self { $(Self::$variant => LimitUnit::$counts,)* }
            }

            /// The clients whose attempts the limit counts.
            #[must_use]
            pub const fn from_clients(self) -> ClientScope {
                match self { $(Self::$variant => ClientScope::$clients,)* }
            }

            /// Whose attempts the limit counts together.
            #[must_use]
            pub const fn counted_by(self) -> LimitKey {
                match self { $(Self::$variant => LimitKey::$by,)* }
            }

            /// What the limit counts, in a few words: `Registrations from one client, all calls`.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $of,)* }
            }
        }
    };
}

limits! {
    LoginAccountAndClient login_account_and_client Failures of All by PerAccountAndClient, 5 in 60 s:
        "Logins to one account from one client";
    LoginAccount login_account Failures of Unknown by PerAccount, 30 in 3600 s:
        "Logins to one account from any client";
    LoginClient login_client Failures of All by PerClient, 60 in 60 s:
        "Logins from one client to any account";
    ConfirmPassword confirm_password Failures of All by PerAccountAndClient, 5 in 60 s:
        "Password confirmations and password changes of one account from one client";
    ConfirmPasswordLong confirm_password_long Failures of Unknown by PerAccount, 30 in 3600 s:
        "The same passwords from any client, over a longer time";
    PasswordChange password_change Successes of All by PerAccount, 5 in 3600 s:
        "Password changes of one account in sessions, those that succeed";
    PasswordChoice password_choice Calls of All by PerAccount, 10 in 60 s:
        "Password changes of one account with the right current password, all calls";
    TwoFactor two_factor Failures of All by PerAccountAndClient, 5 in 60 s:
        "Two-factor codes of one account from one client, at the challenge and when two-factor authentication is confirmed";
    TwoFactorLong two_factor_long Failures of Unknown by PerAccount, 30 in 3600 s:
        "The same codes from any client, over a longer time";
    TwoFactorCalls two_factor_calls Calls of All by PerAccount, 20 in 60 s:
        "Requests of one account to the seven two-factor routes, all calls";
    KnownClientLong known_client_long Failures of Known by PerKindAndAccountAndClient, 30 in 3600 s:
        "Logins, passwords or codes of one account from a client that it has logged in from, each counted by itself, over a longer \
         time";
    ConsecutiveFailures consecutive_failures Failures of Unknown by PerKindAndAccount, 100 in 2592000 s:
        "Logins, passwords, codes or codes of mails of one account without a success in between, each counted by itself; then only \
         known clients can try, for 24 hours";
    ResetPasswordClient reset_password_client Calls of All by PerClient, 20 in 60 s:
        "Password resets from one client, all calls";
    ResetPassword reset_password Failures of All by PerAccountAndClient, 5 in 60 s:
        "Password resets of one address from one client";
    ResetPasswordLong reset_password_long Failures of Unknown by PerAccount, 30 in 3600 s:
        "Password resets of one address from any client";
    ForgotPasswordClient forgot_password_client Calls of All by PerClient, 20 in 60 s:
        "Requests for a reset token from one client, all calls";
    ForgotPasswordAddress forgot_password_address Calls of Unknown by PerAccount, 3 in 60 s:
        "Requests for a reset token for one address, all calls";
    ForgotPasswordKnownClient forgot_password_known_client Calls of Known by PerAccountAndClient, 3 in 60 s:
        "Requests for a reset token for one address from a client that it has logged in from, all calls";
    EmailLoginClient email_login_client Calls of All by PerClient, 20 in 60 s:
        "Requests for a login code from one client, all calls";
    EmailLoginAddress email_login_address Calls of Unknown by PerAccount, 5 in 600 s:
        "Requests for a login code for one address, all calls";
    EmailLoginKnownClient email_login_known_client Calls of Known by PerAccountAndClient, 5 in 600 s:
        "Requests for a login code for one address from a client that it has logged in from, all calls";
    EmailCodeClient email_code_client Failures of All by PerClient, 60 in 60 s:
        "Codes and links of mails from one client";
    SocialClient social_client Failures of All by PerClient, 60 in 60 s:
        "Sign-ins with a provider from one client that do not verify";
    SocialClientCalls social_client_calls Calls of All by PerClient, 120 in 60 s:
        "Returns from a provider and ID tokens of one client, all calls";
    PasskeyClient passkey_client Failures of All by PerClient, 60 in 60 s:
        "Passkeys from one client that do not verify, in a login, a confirmation or when one is added";
    ApiTokenClient api_token_client Failures of All by PerClient, 60 in 60 s:
        "API tokens from one client that are invalid";
    ApiTokenCreate api_token_create Calls of All by PerAccount, 10 in 3600 s:
        "Requests of one account for a new API token, all calls";
    ServiceToken service_token Calls of All by PerAccount, 60 in 60 s:
        "Requests of one account for a token for another service, all calls";
    ConfirmEmail confirm_email Calls of All by PerAccount, 5 in 600 s:
        "Requests of one account for a code by mail in a session, all calls";
    EmailChange email_change Calls of All by PerAccount, 5 in 3600 s:
        "Requests of one account for another address, all calls";
    EmailChangeAddress email_change_address Calls of All by PerAccount, 3 in 3600 s:
        "Accounts that have asked for one address, all calls";
    MailTokens mail_tokens Calls of All by PerClient, 20 in 60 s:
        "Links of mails that need no session, from one client, all calls";
    VerificationNotification verification_notification Calls of All by PerAccount, 6 in 60 s:
        "Requests for a verification link by one account, all calls";
    Profile profile Calls of All by PerAccount, 60 in 60 s:
        "Profile updates of one account, all calls";
    ProfileEmail profile_email Calls of All by PerAccount, 10 in 3600 s:
        "Profile updates of one account with another e-mail address or user name, all calls";
    Register register Calls of All by PerClient, 20 in 60 s:
        "Registrations from one client, and its profile updates with another e-mail address, all calls";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(deprecated, reason = "a host may still set it")]
    fn to_set_the_limit_that_is_gone_is_a_configuration_error_that_says_what_to_set_instead() {
        let build = |limits| crate::testing::config().limits(limits).build();
        assert!(build(RateLimits::all(RateLimit::per_seconds(7, 60))).is_ok());
        let limits = RateLimits { known_client: RateLimit::per_seconds(10, 60), ..RateLimits::default() };
        let error = build(limits).err().unwrap().to_string();
        assert!(error.contains("limits.known_client") && error.contains("limits.two_factor"), "{error}");
    }
}
