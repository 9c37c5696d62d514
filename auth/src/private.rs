//! All that generated code may name. No part of the public interface: it changes with the macros, in any release.

pub use crate::user::{
    FieldNames, NullableText, NullableTimestamp, Text, TimestampOutOfRange, UserChange, UserId,
};
pub use auth_macros::auth_module;

use crate::module::AuthModule;
use crate::providers::UserRepository;

/// Stands where a module would, in a host that does not compile: the macro has reported why, and this keeps rustc
/// from reporting what follows from it.
pub fn unbuilt<R: UserRepository>(_: &R) -> AuthModule<R::User> {
    std::process::abort()
}
