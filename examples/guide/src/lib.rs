//! The code of the pages in `docs/guide` and of `docs/adapters.md`, a module for each page. `tests/architecture/guide.rs` compares the two.

#![allow(missing_docs, reason = "the pages say what each item is")]

pub mod actions;
pub mod adapters;
pub mod api_tokens;
pub mod captchas;
pub mod changes_of_the_address;
pub mod deleting_accounts;
pub mod deploying;
pub mod existing_user_table;
pub mod from_axum_login;
pub mod from_devise;
pub mod from_laravel_fortify;
pub mod from_nestbolt;
#[allow(clippy::print_stdout, dead_code, reason = "a whole host, whose `main` nothing calls")]
mod getting_started;
pub mod invitations;
pub mod languages;
pub mod mails;
pub mod more_than_a_password;
pub mod passkeys;
pub mod roles;
pub mod service_tokens;
pub mod sessions_and_stores;
pub mod several_user_types;
pub mod sign_in_by_mail;
pub mod sign_in_with_a_provider;
pub mod support_desk;
pub mod testing;
pub mod two_factor;
pub mod user_names;

#[cfg(test)]
mod migrated;
#[cfg(test)]
mod support;
