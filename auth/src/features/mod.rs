//! One folder a feature. Each opens with its contract: routes, needs, limits, events.
//!
//! A feature is a function whose parameters are what it needs and whose result are its routes, so that a feature
//! without its provider cannot be written. Features never import each other.

pub(crate) mod password_confirmation;
pub(crate) mod registration;
pub(crate) mod session;
