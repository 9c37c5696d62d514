//! The methods by which a user proves who they are, and sets of them.

/// Generates [`Method`] from one list: variant, name in `amr`, and whether the method is a second factor.
macro_rules! methods {
    ($($(#[$doc:meta])* $variant:ident $name:literal $($second:ident $factor:ident)?;)*) => {
        /// A method by which a user proves who they are. The list has the order of `amr`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Method {
            $($(#[$doc])* $variant,)*
        }

        impl Method {
            /// All methods, in the order of `amr`.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in `amr` and in the state of a session. It is frozen.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Whether the method proves a second factor, which counts only beside another method.
            const fn is_second_factor(self) -> bool {
                match self { $(Self::$variant => !stringify!($($second)?).is_empty(),)* }
            }
        }
    };
}

impl Method {
    /// The methods that prove a second factor, each of which is enough.
    pub(crate) fn second_factors() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|method| method.is_second_factor())
    }
}

// `pwd` and `otp` are names of RFC 8176, `rec` is a private one.
methods! {
    /// The account's password.
    Password "pwd";
    /// A one-time code of an authenticator app.
    OneTimeCode "otp" second factor;
    /// A recovery code. It counts as much as a one-time code.
    RecoveryCode "rec" second factor;
}

/// More than one factor was proven (RFC 8176).
const SEVERAL_FACTORS: &str = "mfa";

/// A set of methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Methods(u8);

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
    pub(crate) const fn contains(self, method: Method) -> bool {
        self.0 & Self::of(method).0 != 0
    }

    /// The methods of the set, in the order of `amr`.
    pub(crate) fn iter(self) -> impl Iterator<Item = Method> {
        Method::ALL.iter().copied().filter(move |method| self.contains(*method))
    }

    /// Whether a second factor is in the set.
    pub(crate) fn has_second_factor(self) -> bool {
        self.iter().any(Method::is_second_factor)
    }

    /// The claim `amr` (RFC 8176): the names of the methods, and `mfa` if they are two factors.
    pub(crate) fn amr(self) -> Vec<&'static str> {
        let has_first_factor = self.iter().any(|method| !method.is_second_factor());
        let several = (has_first_factor && self.has_second_factor()).then_some(SEVERAL_FACTORS);
        self.iter().map(Method::name).chain(several).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_methods_of_a_set_are_listed_in_one_order_and_two_factors_are_named() {
        let password = Methods::of(Method::Password);
        assert_eq!(password.amr(), ["pwd"]);
        assert_eq!(password.and(Method::OneTimeCode).amr(), ["pwd", "otp", "mfa"]);
        let (code, recovery_code) = (Methods::of(Method::OneTimeCode), Methods::of(Method::RecoveryCode));
        assert_eq!(recovery_code.and(Method::Password).amr(), ["pwd", "rec", "mfa"]);
        assert_eq!(code.and(Method::RecoveryCode).amr(), ["otp", "rec"], "one factor");
        assert!(Methods::default().amr().is_empty());
    }

    #[test]
    fn a_set_has_room_for_every_method() {
        assert!(Method::ALL.len() <= u8::BITS as usize);
    }
}
