//! All that generated code may name. No part of the public interface: it changes with the macros, in any release.

pub mod words;

/// What only editors are to see. The compiler would report it.
#[cfg(rust_analyzer)]
#[doc(hidden)]
#[macro_export]
macro_rules! __to_editors {
    ($($code:tt)*) => { $($code)* };
}

/// What only editors are to see. The compiler would report it.
#[cfg(not(rust_analyzer))]
#[doc(hidden)]
#[macro_export]
macro_rules! __to_editors {
    ($($code:tt)*) => {};
}

pub use crate::assembly::expected;
pub use crate::user::{
    FieldNames, NullableText, NullableTimestamp, Text, TimestampOutOfRange, UserChange, UserId,
};
pub use __to_editors as to_editors;
pub use auth_macros::auth_module;
