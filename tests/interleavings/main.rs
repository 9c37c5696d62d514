//! Explores what the library does when several requests arrive at the same time: its own code on shuttle's locks and threads,
//! in many orders of their steps.
//!
//! The modules below are the layers of `auth/src` up to `core`, compiled here with another `sync`. The published crate therefore
//! has neither a dependency nor a `cfg` for this. An order of steps that breaks a promise ends the program with the schedule
//! that shuttle's `replay` repeats, and so does one in which every thread waits.

#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "the layers above `core`, which use the rest, are not compiled here"
)]

#[path = "../../auth/src/actions/mod.rs"]
pub mod actions;
#[path = "../../auth/src/assurance.rs"]
pub mod assurance;
#[path = "../../auth/src/background.rs"]
mod background;
#[path = "../../auth/src/client.rs"]
pub mod client;
#[path = "../../auth/src/clock.rs"]
pub mod clock;
#[path = "../../auth/src/config/mod.rs"]
pub mod config;
#[path = "../../auth/src/core/mod.rs"]
mod core;
#[path = "../../auth/src/crypto/mod.rs"]
mod crypto;
#[path = "../../auth/src/delivery/mod.rs"]
pub mod delivery;
#[path = "../../auth/src/endpoint/mod.rs"]
pub mod endpoint;
#[path = "../../auth/src/erase.rs"]
mod erase;
#[path = "../../auth/src/error/mod.rs"]
pub mod error;
#[path = "../../auth/src/events/mod.rs"]
pub mod events;
#[path = "../../auth/src/feature.rs"]
pub mod feature;
#[path = "../../auth/src/languages/mod.rs"]
pub mod languages;
#[path = "../../auth/src/limits/mod.rs"]
mod limits;
#[path = "../../auth/src/notices.rs"]
mod notices;
#[path = "../../auth/src/origin.rs"]
mod origin;
#[path = "../../auth/src/outbound/mod.rs"]
pub mod outbound;
#[path = "../../auth/src/passwords.rs"]
pub mod passwords;
#[path = "../../auth/src/policy/mod.rs"]
pub mod policy;
#[path = "../../auth/src/provider/mod.rs"]
mod provider;
#[path = "../../auth/src/repository/mod.rs"]
pub mod repository;
#[path = "../../auth/src/request.rs"]
mod request;
#[path = "../../auth/src/store/mod.rs"]
pub mod store;
#[path = "../../auth/src/telemetry/mod.rs"]
pub mod telemetry;
#[path = "../../auth/src/uri.rs"]
mod uri;
#[path = "../../auth/src/user/mod.rs"]
pub mod user;
#[path = "../../auth/src/values.rs"]
pub mod values;
#[path = "../../auth/src/watch.rs"]
mod watch;

mod explore;
mod host;
mod models;
mod sync;

/// `interleavings [PART OF A NAME]`
fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    let chosen = models::all().into_iter().filter(|model| model.name.contains(&part)).collect();
    explore::all(chosen);
}
