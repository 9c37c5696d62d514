//! The adapters in memory. Those over SQL are tested where they are.

use super::Account;
use crate::repository::MemorySessions;
use crate::store::MemoryStore;
use crate::testing::conformance::{self, Failures};
use crate::testing::{
    MemoryApiTokens, MemoryDeletions, MemoryIdentities, MemoryPasskeys, MemoryPasswordResets, MemoryUsers,
    MovableClock, SharedMemorySessions, SharedMemoryStore,
};
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn users() -> Result<(), Failures> {
    conformance::users(MemoryUsers::<Account>::default()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn password_resets() -> Result<(), Failures> {
    conformance::password_resets(MemoryPasswordResets::new()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn passkeys() -> Result<(), Failures> {
    conformance::passkeys(MemoryPasskeys::new()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn identities() -> Result<(), Failures> {
    conformance::identities(MemoryIdentities::new()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn api_tokens() -> Result<(), Failures> {
    conformance::api_tokens(MemoryApiTokens::new()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn deletions() -> Result<(), Failures> {
    conformance::deletions(MemoryDeletions::new()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions() -> Result<(), Failures> {
    conformance::sessions(MemorySessions::new()).alone().await?;
    conformance::sessions(SharedMemorySessions::new()).alone().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn stores() -> Result<(), Failures> {
    let clock = MovableClock::new();
    let store = MemoryStore::with(Arc::new(clock.clone()), 10_000);
    conformance::store(store.clone(), clock.clone()).await?;
    conformance::store(SharedMemoryStore::new(store), clock).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_store_with_a_clock_of_its_own() -> Result<(), Failures> {
    conformance::store(MemoryStore::new(), conformance::Time::Real).await
}

#[cfg(feature = "redis")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_store_in_redis() -> Result<(), Failures> {
    let Some(url) = crate::testing::servers::REDIS.find() else { return Ok(()) };
    let store = crate::store::RedisStore::connect(&url).unwrap().prefix("auth-conformance:");
    conformance::store(store, conformance::Time::Real).await
}
