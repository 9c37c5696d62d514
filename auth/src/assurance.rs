//! What a session has proven, and what a route of the host requires of it (specification §12.3, RFC 9470).
//!
//! A route states the [`Level`] that it needs, and perhaps an age, as a type:
//!
//! ```
//! use axum_auth_module::assurance::{Assurance, Level};
//! use axum_auth_module::extract::Assured;
//! use std::time::Duration;
//! # use axum_auth_module::AuthUser;
//! # #[derive(Clone, AuthUser)] struct Account { id: i64, name: String, email: String, password: String,
//! #   email_verified_at: Option<std::time::SystemTime>, two_factor_secret: Option<String>,
//! #   two_factor_recovery_codes: Option<String>, two_factor_confirmed_at: Option<std::time::SystemTime>,
//! #   password_confirmed_at: Option<std::time::SystemTime> }
//!
//! /// Two factors, proven within the last five minutes.
//! struct Payout;
//!
//! impl Assurance for Payout {
//!     const LEVEL: Level = Level::TwoFactors;
//!     const MAX_AGE: Option<Duration> = Some(Duration::from_secs(300));
//! }
//!
//! async fn pay(Assured(account, ..): Assured<Account, Payout>) -> String {
//!     format!("Paid to {}", account.name)
//! }
//! ```

use std::sync::LazyLock;
use std::time::Duration;

/// Declares an enum whose variants have a frozen name each: the enum, `ALL` and `NAMES` in the order of the declaration, and
/// `as_str`.
macro_rules! named {
    ($(#[$about:meta])* enum $enum:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $enum {
            $($(#[$doc])* #[doc = concat!("\n\nIts name is `", $name, "`.")] $variant,)*
        }

        impl $enum {
            /// All of them, in this order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The names of all of them, in this order.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The frozen name, which clients see.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

named! {
    /// A method by which a user proves who they are. The order and the names are those of `amr` (RFC 8176); `email`, `fed` and
    /// `rec` are private names, and `amr` has `pop` for both kinds of passkeys.
    enum Method {
        /// The account's password.
        Password = "pwd",
        /// A code or a link in a mail to the account's address.
        Email = "email",
        /// An account at a provider, such as Google, that the user has linked.
        Provider = "fed",
        /// A passkey whose authenticator has not verified its user.
        Passkey = "pop",
        /// A passkey whose authenticator has verified its user, with a PIN or a fingerprint: these are two factors.
        VerifiedPasskey = "pop_uv",
        /// A one-time code of an authenticator app.
        OneTimeCode = "otp",
        /// A recovery code. It counts as much as a one-time code.
        RecoveryCode = "rec",
        /// A device on which the second factor was proven before (TRUSTED_DEVICES). It takes the place of the second factor at a sign-in,
        /// and is worth nothing anywhere else.
        Device = "device",
    }
}

impl Method {
    /// The method of this name. What the list does not have, such as `mfa`, is no method.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|method| method.as_str() == name)
    }

    /// The name in `amr` (RFC 8176).
    const fn amr(self) -> &'static str {
        match self {
            Self::VerifiedPasskey => Self::Passkey.as_str(),
            other => other.as_str(),
        }
    }

    /// Whether the method proves a second factor, which counts only beside another method.
    const fn is_second_factor(self) -> bool {
        match self {
            Self::OneTimeCode | Self::RecoveryCode => true,
            Self::Password
            | Self::Email
            | Self::Provider
            | Self::Passkey
            | Self::VerifiedPasskey
            | Self::Device => false,
        }
    }

    /// Whether a sign-in with the method counts as a recent confirmation, as a later proof of it does. A sign-in with a password does
    /// not.
    pub(crate) const fn confirms_at_sign_in(self) -> bool {
        match self {
            Self::Email | Self::Provider | Self::VerifiedPasskey => true,
            Self::Password | Self::Passkey | Self::OneTimeCode | Self::RecoveryCode | Self::Device => false,
        }
    }

    /// The methods of which one must have been proven recently where a route requires a recent confirmation.
    pub(crate) fn confirming() -> impl Iterator<Item = Self> {
        let confirms = |method: &Self| match method {
            Self::Password | Self::Email | Self::Provider | Self::VerifiedPasskey => true,
            Self::Passkey | Self::OneTimeCode | Self::RecoveryCode | Self::Device => false,
        };
        Self::ALL.iter().copied().filter(confirms)
    }

    /// The methods of a second factor, each of which is enough.
    pub(crate) fn second_factors() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|method| method.is_second_factor())
    }

    /// The methods of which one must have been proven recently where a route requires a code, too.
    pub(crate) fn confirming_as_code() -> impl Iterator<Item = Self> {
        Self::second_factors().chain([Self::VerifiedPasskey])
    }
}

/// More than one factor was proven (RFC 8176).
const SEVERAL_FACTORS: &str = "mfa";

named! {
    /// How much the methods that were proven are worth together. The levels are ordered. Their names, in `acr_values`, claim no
    /// conformance with NIST SP 800-63B; `phr` is one of OpenID Connect EAP ACR Values 1.0.
    enum Level {
        /// One factor: a password, a code or a link in a mail, a provider, or a passkey that has not verified its user.
        OneFactor = "aal1",
        /// Two factors: one of these, and a one-time code or a recovery code.
        TwoFactors = "aal2",
        /// Two factors of which one cannot be used on a page that only looks like the host's: a passkey that has verified its user, or
        /// any passkey beside a password, a mail or a provider.
        PhishingResistant = "phr",
    }
}

impl Level {
    /// The level of these methods together. Codes count only beside another method: alone they are no level.
    ///
    /// ```
    /// use axum_auth_module::assurance::{Level, Method};
    ///
    /// assert_eq!(Level::of([Method::Password]), Some(Level::OneFactor));
    /// assert_eq!(Level::of([Method::Password, Method::OneTimeCode]), Some(Level::TwoFactors));
    /// assert_eq!(Level::of([Method::OneTimeCode]), None);
    /// ```
    #[must_use]
    pub fn of(methods: impl IntoIterator<Item = Method>) -> Option<Self> {
        Methods::from_iter(methods).level()
    }

    /// The names of the levels that are enough where this one is required, the lowest first.
    pub(crate) fn accepted(self) -> Vec<&'static str> {
        Self::ALL.iter().filter(|level| **level >= self).map(|level| level.as_str()).collect()
    }
}

/// What a route requires of the session, as a type for [`Assured`](crate::extract::Assured).
pub trait Assurance {
    /// The level that the methods must reach together.
    const LEVEL: Level;

    /// How long ago each of these methods may have been proven; `None` for any time since the session began. It must be more than
    /// zero and at most 24 hours: otherwise the handler does not compile.
    ///
    /// ```compile_fail
    /// use axum_auth_module::assurance::{Assurance, Level};
    /// use axum_auth_module::{AuthModule, extract::Assured};
    /// # use axum_auth_module::AuthUser;
    /// # #[derive(Clone, AuthUser)] struct Account { id: i64, name: String, email: String, password: String,
    /// #   email_verified_at: Option<std::time::SystemTime>, two_factor_secret: Option<String>,
    /// #   two_factor_recovery_codes: Option<String>, two_factor_confirmed_at: Option<std::time::SystemTime>,
    /// #   password_confirmed_at: Option<std::time::SystemTime> }
    /// use std::time::Duration;
    ///
    /// struct Never;
    ///
    /// impl Assurance for Never {
    ///     const LEVEL: Level = Level::OneFactor;
    ///     const MAX_AGE: Option<Duration> = Some(Duration::ZERO);
    /// }
    ///
    /// async fn never(_: Assured<Account, Never>) {}
    ///
    /// let app = axum::Router::<AuthModule<Account>>::new().route("/never", axum::routing::get(never));
    /// # drop(app);
    /// ```
    const MAX_AGE: Option<Duration> = None;
}

/// Whether a maximum age is one that a session can have.
pub(crate) const fn is_possible(max_age: Option<Duration>) -> bool {
    match max_age {
        Some(age) => !age.is_zero() && age.as_nanos() <= Duration::from_secs(24 * 60 * 60).as_nanos(),
        None => true,
    }
}

named! {
    /// Something that a user can prove again in a session.
    enum Proof {
        /// The password, with `POST /user/confirm-password`.
        Password = "password",
        /// A passkey, with `POST /user/confirm-passkey`.
        Passkey = "passkey",
        /// The mailbox, with `POST /user/confirm-email`.
        Email = "email",
        /// An account at a provider that is linked, with `POST /user/confirm-provider/{provider}/authorize`.
        Provider = "provider",
        /// The second factor, with `POST /user/confirm-two-factor`.
        TwoFactor = "two_factor",
    }
}

named! {
    /// With what the challenge after a login can be completed.
    enum ChallengeMethod {
        /// A one-time code of the user's authenticator app.
        Totp = "totp",
        /// One of the user's recovery codes.
        RecoveryCode = "recovery_code",
        /// One of the user's passkeys.
        Passkey = "passkey",
    }
}

/// What a user can prove, and the methods that are proven by that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Provable {
    pub(crate) proof: Proof,
    pub(crate) methods: Methods,
}

/// Why a session is not enough for a route: the data of
/// [`AuthError::InsufficientUserAuthentication`](crate::AuthError::InsufficientUserAuthentication).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Insufficient {
    /// The level that the route requires.
    pub level: Level,
    /// How long ago it may have been proven.
    pub max_age: Option<Duration>,
    /// What the user can prove. Empty if nothing that the user has reaches the level.
    pub proofs: Vec<Proof>,
}

/// A set of methods, such as those that were proven at a sign-in.
///
/// ```
/// use axum_auth_module::assurance::{Method, Methods};
///
/// let proven = Methods::from_iter([Method::OneTimeCode, Method::Password]);
/// assert!(proven.contains(Method::Password));
/// assert_eq!(proven.as_str(), "pwd otp mfa");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Methods(u8);

impl Methods {
    /// The set of this method alone.
    pub(crate) const fn of(method: Method) -> Self {
        Self(1 << method as u8)
    }

    /// The set with another method.
    #[must_use]
    pub(crate) const fn and(self, method: Method) -> Self {
        Self(self.0 | Self::of(method).0)
    }

    /// Whether the method is in the set.
    #[must_use]
    pub const fn contains(self, method: Method) -> bool {
        self.0 & Self::of(method).0 != 0
    }

    /// The methods of the set, in the order of `amr`.
    pub fn iter(self) -> impl Iterator<Item = Method> {
        Method::ALL.iter().copied().filter(move |method| self.contains(*method))
    }

    /// Whether a second factor is in the set.
    pub(crate) fn has_second_factor(self) -> bool {
        self.iter().any(Method::is_second_factor)
    }

    /// How much the methods are worth together; `None` if they are no level, as codes alone.
    #[must_use]
    pub fn level(self) -> Option<Level> {
        let has_passkey = self.contains(Method::Passkey) || self.contains(Method::VerifiedPasskey);
        let has_other = [Method::Password, Method::Email, Method::Provider]
            .into_iter()
            .any(|method| self.contains(method));
        if self.contains(Method::VerifiedPasskey) || (has_passkey && has_other) {
            return Some(Level::PhishingResistant);
        }
        match (has_passkey || has_other, self.has_second_factor()) {
            (false, _) => None,
            (true, false) => Some(Level::OneFactor),
            (true, true) => Some(Level::TwoFactors),
        }
    }

    /// Whether who has proven these methods must still prove the second factor, if there is one.
    pub(crate) fn need_second_factor(self) -> bool {
        let has_proven = self.has_second_factor() || self.contains(Method::Device);
        !has_proven && self.level() < Some(Level::PhishingResistant)
    }

    /// The claim `amr` (RFC 8176): the names of the methods, and `mfa` if they are two factors.
    pub(crate) fn amr(self) -> Vec<&'static str> {
        let several = (self.level() >= Some(Level::TwoFactors)).then_some(SEVERAL_FACTORS);
        let mut names: Vec<_> = self.iter().map(Method::amr).chain(several).collect();
        names.dedup();
        names
    }

    /// The claim `amr` (RFC 8176) as a text, with blanks between the names: `pwd otp mfa`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        static TEXTS: LazyLock<Vec<String>> =
            LazyLock::new(|| (0..=u8::MAX).map(|bits| Methods(bits).amr().join(" ")).collect());
        TEXTS.get(usize::from(self.0)).map_or("", String::as_str)
    }
}

impl From<Method> for Methods {
    fn from(method: Method) -> Self {
        Self::of(method)
    }
}

impl FromIterator<Method> for Methods {
    fn from_iter<T: IntoIterator<Item = Method>>(methods: T) -> Self {
        methods.into_iter().fold(Self::default(), Self::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_methods_has_the_level_of_the_table() {
        for bits in 0..1_u16 << Method::ALL.len() {
            let set = Methods(u8::try_from(bits).unwrap());
            let has = |name| set.iter().any(|method| method.as_str() == name);
            let is_one = has("pwd") || has("email") || has("fed");
            let level = match (is_one, has("pop"), has("pop_uv"), has("otp") || has("rec")) {
                (_, _, true, _) | (true, true, _, _) => Some("phr"),
                (false, false, false, _) => None,
                (_, _, _, false) => Some("aal1"),
                (_, _, _, true) => Some("aal2"),
            };
            assert_eq!(Level::of(set.iter()).map(Level::as_str), level, "{:?}", set.amr());
            assert_eq!(set.amr().contains(&"mfa"), level > Some("aal1"), "{:?}", set.amr());
            assert_eq!(
                set.amr().iter().filter(|name| **name == "pop").count() == 1,
                has("pop") || has("pop_uv")
            );
            assert_eq!(set.as_str(), set.amr().join(" "));
            let is_proven = has("otp") || has("rec") || has("device") || level == Some("phr");
            assert_eq!(set.need_second_factor(), !is_proven, "{:?}", set.amr());
        }
    }

    #[test]
    fn a_level_is_enough_where_a_lower_one_is_required() {
        assert_eq!(Level::OneFactor.accepted(), ["aal1", "aal2", "phr"]);
        assert_eq!(Level::TwoFactors.accepted(), ["aal2", "phr"]);
        assert_eq!(Level::PhishingResistant.accepted(), ["phr"]);
    }

    #[test]
    fn an_age_is_more_than_zero_and_at_most_a_day() {
        let (second, day) = (Duration::from_secs(1), Duration::from_secs(86_400));
        for possible in [None, Some(Duration::from_nanos(1)), Some(second), Some(day)] {
            assert!(is_possible(possible), "{possible:?}");
        }
        for impossible in [Duration::ZERO, day + Duration::from_nanos(1), Duration::MAX] {
            assert!(!is_possible(Some(impossible)), "{impossible:?}");
        }
    }

    #[test]
    fn the_methods_of_a_set_are_listed_in_one_order_and_two_factors_are_named() {
        let password = Methods::of(Method::Password);
        assert_eq!(password.amr(), ["pwd"]);
        assert_eq!(password.and(Method::OneTimeCode).amr(), ["pwd", "otp", "mfa"]);
        assert_eq!(Methods::of(Method::Email).and(Method::Password).amr(), ["pwd", "email"], "one factor");
        let (code, recovery_code) = (Methods::of(Method::OneTimeCode), Methods::of(Method::RecoveryCode));
        assert_eq!(recovery_code.and(Method::Password).amr(), ["pwd", "rec", "mfa"]);
        assert_eq!(code.and(Method::RecoveryCode).amr(), ["otp", "rec"], "one factor");
        assert!(Methods::default().amr().is_empty());
        let (passkey, verified) = (Methods::of(Method::Passkey), Methods::of(Method::VerifiedPasskey));
        assert_eq!((passkey.amr(), verified.amr()), (vec!["pop"], vec!["pop", "mfa"]));
        assert_eq!(verified.and(Method::Passkey).and(Method::Password).amr(), ["pwd", "pop", "mfa"]);
    }

    #[test]
    fn a_set_has_room_for_every_method() {
        assert!(Method::ALL.len() <= u8::BITS as usize);
    }
}
