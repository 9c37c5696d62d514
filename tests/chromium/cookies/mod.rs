//! The session cookie in a browser: what scripts can do with it, and how long it lasts.

mod lifetimes;
mod planted;
mod scripts;

/// The name of the session cookie.
const SESSION: &str = "__Host-Http-auth";
