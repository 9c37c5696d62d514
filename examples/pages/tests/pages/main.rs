//! The site from outside: the built program, and a browser without JavaScript that opens its pages, fills in their forms
//! and keeps its cookies.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "what cannot go on has failed, in what helps the tests as in the tests themselves"
)]

mod accounts;
mod addresses;
#[path = "../../../quickstart/tests/quickstart/authenticator.rs"]
mod authenticator;
mod browser;
mod deletions;
mod email_verification;
mod errors;
mod every_page;
mod html;
mod login;
mod mail_login;
mod notices;
mod password_reset;
mod providers;
mod sessions;
mod site;
mod two_factor;
mod user_names;
