//! What the features share: who makes a request, which sessions live, what was confirmed, where events go.

mod attempts;
mod authentication;
mod background;
mod challenges;
mod claims;
mod confirmation;
mod core;
mod credential_change;
mod ended;
mod events;
mod rotation;
mod session_id;
mod sessions;

pub use authentication::Identity;
pub(crate) use background::{carry_through, spawn, tidy};
pub(crate) use challenges::ChallengeClaims;
pub use claims::SessionClaims;
pub(crate) use core::{Core, Parts};
pub(crate) use sessions::RefreshOutcome;
pub use sessions::TokenPair;
