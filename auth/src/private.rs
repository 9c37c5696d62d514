//! All that generated code may name. No part of the public interface: it changes with the macros, in any release.

pub mod words;

/// What a host wrote in `auth_module!` and `#[auth(…)]`, for editors: each word as the name that says what it is, and each
/// value, whether it is an expression or may become one. The compiler would report what is unfinished, and sees none of
/// it.
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
        $(use $crate::private::words::keys::$key as _;)*
        $(use $crate::private::words::actions::$action as _;)*
        $(use $crate::private::words::delivery::$delivery as _;)*
        $(use $crate::private::words::deployment::$deployment as _;)*
        $(use $crate::private::words::features::$feature as _;)*
        $(let _ = $($value)*;)*
    };
    (roles: [$($role:ident)*]) => {
        const _: () = {
            $(use $crate::private::words::roles::$role as _;)*
        };
    };
}

/// What a host wrote, for editors.
#[cfg(not(rust_analyzer))]
#[doc(hidden)]
#[macro_export]
macro_rules! __for_editors {
    ($($code:tt)*) => {};
}

pub use crate::module::expected;
pub use crate::user::{
    FieldNames, Flag, NullableText, NullableTimestamp, Text, TimestampOutOfRange, UserChange, UserId,
};
pub use __for_editors as for_editors;

/// The traits that a host's values implement, by name.
pub mod traits {
    pub use crate::actions::{
        CreatesNewUsers, ResetsUserPasswords, UpdatesUserPasswords, UpdatesUserProfile,
    };
    pub use crate::delivery::{EmailVerificationDelivery, PasswordResetDelivery};
    pub use crate::events::EventSink;
    pub use crate::repository::{PasswordResetRepository, UserRepository};
    pub use crate::store::{EphemeralStore, SharedStore};
}

pub use axum_auth_module_macros::auth_module;
