//! The library from outside: over a socket, as its clients see it.
//!
//! Time is moved and never slept through; races are real. Whatever a test is about, every answer is also held against
//! the promises that all answers keep ([`support::answer`]).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::needless_pass_by_value,
    reason = "a test that cannot go on has failed; clippy knows only the functions marked #[test]"
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
