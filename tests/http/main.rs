//! The library from outside: over a socket, as its clients see it.
//!
//! Time is moved and never slept through; races are real. Whatever a test is about, every answer is also held against
//! the promises that all answers keep ([`support::answer`]).

mod faults;
mod limits;
mod login;
mod logout;
mod password_confirmation;
mod refresh;
mod registration;
mod requests;
mod secrets_stay_secret;
mod support;
mod tokens;
