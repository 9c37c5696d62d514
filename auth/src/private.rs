//! All that generated code may name. No part of the public interface: it changes with the macros, in any release.

pub use crate::user::{
    FieldNames, Flag, NullableText, NullableTimestamp, Text, TimestampOutOfRange, UserChange, UserId,
};
pub use auth_macros::auth_module;
