//! Keys, tokens, passwords and random values. This module does not depend on users, requests or hosts.

pub(crate) mod encryption;
pub(crate) mod flow;
pub(crate) mod jwt;
mod jwt_backend;
pub(crate) mod keys;
pub(crate) mod links;
pub(crate) mod memo;
pub(crate) mod passwords;
#[cfg(feature = "testing")]
mod primitives;
pub(crate) mod random;
pub(crate) mod ring;
#[cfg(any(feature = "passkeys", feature = "service-tokens", feature = "social-login"))]
#[cfg_attr(
    not(any(feature = "passkeys", feature = "social-login")),
    allow(dead_code, reason = "service tokens check keys, and verify nothing")
)]
pub(crate) mod signatures;
#[cfg(feature = "service-tokens")]
pub(crate) mod signing;
pub(crate) mod totp;

pub use passwords::{BcryptImplementation, PasswordHash, Passwords};
#[cfg(feature = "testing")]
pub use primitives::primitives;
