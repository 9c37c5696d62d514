//! What a client does with an account.

mod guesses;
mod login;
mod passwords;
mod profile;
mod sessions;
mod two_factor;

pub(super) use guesses::guess;
