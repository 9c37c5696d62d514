//! A store that is given as shared is tested before it is used (specification §21.5).

use crate::support::{App, EMAIL, PASSWORD, logs};
use axum_auth_module::store::{EphemeralStore, MemoryStore, SharedStore, Slot, Window};
use axum_auth_module::{BoxError, StandardActions, async_trait};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// A store for several instances that a host has written: it works, cannot be reached, or never gives a slot back.
#[derive(Clone, Default)]
struct Homemade {
    store: MemoryStore,
    state: Arc<AtomicU8>,
}

const UNREACHABLE: u8 = 1;
const GIVES_NOTHING_BACK: u8 = 2;

impl Homemade {
    fn set(&self, state: u8) {
        self.state.store(state, Ordering::SeqCst);
    }

    fn store(&self) -> Result<&MemoryStore, BoxError> {
        match self.state.load(Ordering::SeqCst) {
            UNREACHABLE => Err("unreachable".into()),
            _ => Ok(&self.store),
        }
    }
}

impl SharedStore for Homemade {}

#[async_trait]
impl EphemeralStore for Homemade {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        self.store()?.get(key).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        self.store()?.put(key, value, ttl).await
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        self.store()?.swap(key, expected, value, ttl).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        self.store()?.delete(key).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        self.store()?.count(key, limit, window).await
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        match self.state.load(Ordering::SeqCst) {
            GIVES_NOTHING_BACK => Ok(()),
            _ => self.store()?.give_back(key, window).await,
        }
    }
}

#[tokio::test]
async fn a_store_that_does_something_wrong_is_not_used_and_the_log_says_what() {
    let store = Homemade::default();
    store.set(GIVES_NOTHING_BACK);
    let given = store.clone();
    let app = App::with_everything_and(|config| config, |module| module.shared_store(given)).await;
    for _ in 0..3 {
        app.login_call(EMAIL, PASSWORD).await.refused(503, "unavailable");
    }
    let sentence = "`give_back` does not take back an attempt of the current window";
    let errors = || {
        let log = logs::recorded();
        log.lines()
            .filter(|line| line.contains("ERROR") && line.contains(&format!("is not used: {sentence}")))
            .count()
    };
    // One of the test, and one of each response that names its cause.
    let (of_the_test, of_responses) = (1, 3);
    assert_eq!(errors(), of_the_test + of_responses);
    // Nobody tests it again.
    store.set(0);
    app.login_call(EMAIL, PASSWORD).await.refused(503, "unavailable");
    app.post("/auth/forgot-password")
        .json(&serde_json::json!({ "email": EMAIL }))
        .await
        .refused(503, "unavailable");
}

#[tokio::test]
async fn a_store_that_cannot_be_reached_at_first_is_tested_when_it_can() {
    let store = Homemade::default();
    store.set(UNREACHABLE);
    let given = store.clone();
    let with = |module: crate::support::Builder| module.registration(StandardActions).shared_store(given);
    let app = App::with(|config| config, with).await;
    for _ in 0..2 {
        app.login_call(EMAIL, PASSWORD).await.refused(503, "unavailable");
    }
    store.set(0);
    app.register(EMAIL).await;
    app.login(EMAIL).await;
    store.set(UNREACHABLE);
    app.login_call(EMAIL, PASSWORD).await.refused(503, "unavailable");
}
