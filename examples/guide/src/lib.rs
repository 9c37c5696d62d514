//! The code of the pages in `docs/guide`, a module for each page. `tests/architecture/guide.rs` compares the two.

#![allow(missing_docs, reason = "the pages say what each item is")]

pub mod deploying;
pub mod from_axum_login;
pub mod from_devise;
pub mod from_laravel_fortify;
pub mod from_nestbolt;
pub mod testing;

#[cfg(test)]
mod migrated;
