//! One folder a feature. Each opens with its contract: routes, needs, limits, events.
//!
//! A feature is a service, made of exactly what it needs, and the routes that call it; a service without its provider
//! cannot be written. Features never import each other.

pub(crate) mod email_verification;
pub(crate) mod password_confirmation;
pub(crate) mod registration;
pub(crate) mod reset_passwords;
pub(crate) mod session;
pub(crate) mod two_factor_authentication;
pub(crate) mod update_passwords;
pub(crate) mod update_profile_information;
