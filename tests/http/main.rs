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

mod broken_providers;
mod email_verification;
mod encryption;
mod events;
mod extractors;
mod faults;
mod features_off;
mod forgotten_passwords;
mod instances;
mod limits;
mod login;
mod logout;
mod one_time_codes;
mod password_confirmation;
mod recovery_codes;
mod refresh;
mod registration;
mod requests;
mod reset_passwords;
mod secrets_stay_secret;
mod services;
mod step_up;
mod support;
mod tokens;
mod two_factor;
mod two_factor_challenge;
mod two_factor_limits;
mod update_passwords;
mod update_profile_information;
mod verification_links;
