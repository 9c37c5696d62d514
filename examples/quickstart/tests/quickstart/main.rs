//! The quickstart from outside: the built program with an environment, over HTTP. And the README, whose commands and
//! examples are run here.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what cannot go on has failed, in what helps the tests as in the tests themselves"
)]

mod accounts;
mod admin;
mod api_tokens;
mod arguments;
mod authenticator;
mod configuration;
#[path = "../../../../auth/src/testing/databases.rs"]
#[expect(dead_code, reason = "other tests use SQLite files, too")]
mod databases;
mod demo_provider;
mod durability;
mod features;
mod host;
#[path = "../../src/demo_provider/kept.rs"]
mod kept;
mod languages;
mod mails;
mod outbox;
mod own_adapter;
mod page;
mod passkeys;
mod profile;
mod providers;
mod readme;
#[path = "../../../../auth/src/testing/servers.rs"]
#[expect(dead_code, reason = "other tests start servers, too")]
mod servers;
mod service_tokens;
mod shutdown;
mod social;
mod trusted_devices;
mod two_factor;
mod walk_through;
