//! The session cookie in a browser: what scripts can do with it, and how long it lasts. And the cookie of a visit to a provider.

mod flows;
mod lifetimes;
mod planted;
mod scripts;

/// The name of the session cookie.
const SESSION: &str = "__Host-Http-auth";

/// How the name of the cookie of a visit begins.
pub(crate) const FLOW: &str = "__Host-Http-auth-flow-";
