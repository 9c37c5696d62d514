//! The library's repositories and its store over diesel.
//!
//! Each operation is one SQL statement, and each condition is in the statement that writes: between a `SELECT` and an `UPDATE` another
//! request could write the row.

mod accounts;
mod entries;
mod reset_tokens;
mod sessions;

pub(crate) use accounts::{Account, Accounts};
pub(crate) use entries::Entries;
pub(crate) use reset_tokens::ResetTokens;
pub(crate) use sessions::Sessions;
