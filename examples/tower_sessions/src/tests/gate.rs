//! A store that stops at a write, or lets others go first.

use axum_auth_module::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tower_sessions::session::{Id, Record};
use tower_sessions::{MemoryStore, SessionStore, session_store};

/// How long a test waits at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// Stops each write before it is stored, from [`close`](Self::close) on.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    pub(super) store: MemoryStore,
    /// A permit for each write that may pass.
    may_pass: Arc<Semaphore>,
    /// A permit for each write that has come.
    has_come: Arc<Semaphore>,
    /// A permit for each deletion.
    has_deleted: Arc<Semaphore>,
}

impl Gate {
    pub(super) fn new() -> Self {
        let [has_come, has_deleted] = [0, 0].map(|none| Arc::new(Semaphore::new(none)));
        let may_pass = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
        Self { store: MemoryStore::default(), may_pass, has_come, has_deleted }
    }

    /// The next write waits.
    pub(super) fn close(&self) {
        for all in [&self.may_pass, &self.has_come, &self.has_deleted] {
            all.forget_permits(Semaphore::MAX_PERMITS);
        }
    }

    /// Waits until a write is at the closed gate.
    pub(super) async fn has_come(&self) {
        self.has_come.acquire().await.unwrap().forget();
    }

    /// Waits for a deletion. A test in which there is none fails.
    pub(super) async fn has_deleted(&self) {
        timeout(PATIENCE, self.has_deleted.acquire()).await.expect("a deletion").unwrap().forget();
    }

    /// Lets one write pass.
    pub(super) fn open(&self) {
        self.may_pass.add_permits(1);
    }
}

#[async_trait]
impl SessionStore for Gate {
    async fn save(&self, record: &Record) -> session_store::Result<()> {
        self.has_come.add_permits(1);
        self.may_pass.acquire().await.unwrap().forget();
        self.store.save(record).await
    }

    async fn load(&self, id: &Id) -> session_store::Result<Option<Record>> {
        let loaded = self.store.load(id).await;
        // Other requests that load can do so now.
        tokio::task::yield_now().await;
        loaded
    }

    async fn delete(&self, id: &Id) -> session_store::Result<()> {
        self.store.delete(id).await?;
        self.has_deleted.add_permits(1);
        Ok(())
    }
}
