//! What a client does with an account.

mod login;
mod passwords;
mod profile;
mod sessions;
mod two_factor;
