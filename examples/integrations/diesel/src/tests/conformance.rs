//! The adapters do what the library requires, with ten connections that compete.

use super::postgres::TestDatabase;
use crate::adapters::{Accounts, Entries, ResetTokens, Sessions};
use axum_auth_module::testing::MovableClock;
use axum_auth_module::testing::conformance::{self, Failures};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn accounts_are_stored_as_the_library_requires() -> Result<(), Failures> {
    let Some(test) = TestDatabase::create().await else { return Ok(()) };
    conformance::users(Accounts::new(&test.database)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reset_tokens_are_stored_as_the_library_requires() -> Result<(), Failures> {
    let Some(test) = TestDatabase::create().await else { return Ok(()) };
    conformance::password_resets(ResetTokens::new(&test.database)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions_are_stored_as_the_library_requires() -> Result<(), Failures> {
    let Some(test) = TestDatabase::create().await else { return Ok(()) };
    conformance::sessions(Sessions::new(&test.database)).alone().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn entries_are_stored_as_the_library_requires() -> Result<(), Failures> {
    let Some(test) = TestDatabase::create().await else { return Ok(()) };
    let clock = MovableClock::new();
    conformance::store(Entries::new(&test.database, clock.clone()), clock).await
}
