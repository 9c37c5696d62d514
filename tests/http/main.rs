//! Tests of the library over HTTP, on a real socket.
//!
//! Tests move the clock instead of sleeping, and races use real concurrency. Every response is also checked against the
//! rules for all responses ([`support::response`]).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::needless_pass_by_value,
    reason = "a panic fails the test, which is intended; clippy recognises only the functions marked #[test]"
)]

mod email_verification;
mod every_route;
mod password_confirmation;
mod registration;
mod reset_passwords;
mod session;
mod support;
mod two_factor_authentication;
mod update_passwords;
mod update_profile_information;
