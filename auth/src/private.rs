//! Everything that generated code may name. It is no part of the public interface and changes with the macros, in any
//! release.

pub mod completion;

/// The words and values that a host wrote in `auth_module!` and `#[auth(…)]`, for editors. A word becomes the import of an
/// item whose documentation describes it. The compiler sees none of it, because it would report unfinished words.
#[cfg(rust_analyzer)]
#[doc(hidden)]
#[macro_export]
macro_rules! __for_editors {
    (
        keys: [$($key:ident)*]
        actions: [$($action:ident)*]
        delivery: [$($delivery:ident)*]
        deployment: [$($deployment:ident)*]
        features: [$($feature:ident)*]
        values: [$({ $($value:tt)* })*]
    ) => {
        $(use $crate::private::completion::keys::$key as _;)*
        $(use $crate::private::completion::actions::$action as _;)*
        $(use $crate::private::completion::delivery::$delivery as _;)*
        $(use $crate::private::completion::deployment::$deployment as _;)*
        $(use $crate::private::completion::features::$feature as _;)*
        $(let _ = $($value)*;)*
    };
    (roles: [$($role:ident)*]) => {
        const _: () = {
            $(use $crate::private::completion::roles::$role as _;)*
        };
    };
}

/// The text of an optional password hash.
pub fn or_empty(text: Option<&str>) -> &str {
    text.unwrap_or_default()
}

/// The value of an optional password hash: an account without a password has none.
pub fn or_null(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// A user name that cannot be null.
pub fn not_null(username: Option<String>) -> Result<String, ChangeError> {
    username.ok_or(ChangeError::NotNullable(UserField::Username))
}

/// Nothing, for the compiler.
#[cfg(not(rust_analyzer))]
#[doc(hidden)]
#[macro_export]
macro_rules! __for_editors {
    ($($code:tt)*) => {};
}

/// For a bench.
#[cfg(feature = "testing")]
pub use crate::crypto::primitives;
pub use crate::module::{BuildChecked, expected};
pub use crate::user::{
    ChangeError, FieldNames, Flag, NullableText, NullableTimestamp, Text, UserChange, UserField, UserId,
    UsernameField,
};
pub use __for_editors as for_editors;

/// The traits that a host's values implement.
pub mod traits {
    pub use super::completion::providers::*;
    pub use crate::delivery::Delivers;
    pub use crate::events::EventSink;
    pub use crate::passwords::PasswordVerifier;
    pub use crate::policy::Policy;
    pub use crate::repository::SharedSessions;
    pub use crate::repository::UserRepository;
    pub use crate::store::{EphemeralStore, SharedStore};
    pub use crate::user::HasUsername;
}

/// The type of a repository's records, for what a feature asks of it.
#[must_use]
pub fn record_of<R: crate::repository::UserRepository + ?Sized>(
    _: &std::sync::Arc<R>,
) -> std::marker::PhantomData<R::User> {
    std::marker::PhantomData
}

pub use axum_auth_module_macros::{auth_module, empty_module};

/// Implemented for every type. A method call on a value of an erroneous type is itself of an erroneous type, so rustc reports
/// nothing further. The result of a function would still have a type.
pub trait Passed: Sized {
    /// The function's result. Hidden, because the trait is in scope where the host writes its values.
    #[doc(hidden)]
    fn passed_to<T>(self, function: impl FnOnce(Self) -> T) -> T {
        function(self)
    }
}

impl<T> Passed for T {}
