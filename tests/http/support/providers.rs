//! Providers that record, and providers that break.

use super::Account;
use auth::testing::MemoryUsers;
use auth::{
    BoxError, EphemeralStore, Event, EventSink, MemoryStore, NewUser, RepositoryError, Slot, UserField,
    UserPatch, UserRepository, async_trait,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A sink that hands every event to a test.
pub(crate) struct Channel(UnboundedSender<Event>);

impl Channel {
    pub(crate) fn new() -> (Self, UnboundedReceiver<Event>) {
        let (sender, receiver) = unbounded_channel();
        (Self(sender), receiver)
    }
}

#[async_trait]
impl EventSink for Channel {
    async fn handle(&self, event: Event) {
        let _ = self.0.send(event);
    }
}

/// How a provider behaves at present.
#[derive(Clone, Default)]
pub(crate) struct Behaviour(Arc<AtomicU8>);

/// The text of every failure here. It must never be in an answer.
pub(crate) const CAUSE: &str = "the database at 10.1.2.3 says no";

impl Behaviour {
    pub(crate) const WELL: u8 = 0;
    pub(crate) const FAIL: u8 = 1;
    pub(crate) const HANG: u8 = 2;
    pub(crate) const PANIC: u8 = 3;

    pub(crate) fn set(&self, behaviour: u8) {
        self.0.store(behaviour, Ordering::SeqCst);
    }

    async fn act(&self) -> Result<(), BoxError> {
        match self.0.load(Ordering::SeqCst) {
            Self::FAIL => Err(CAUSE.into()),
            Self::HANG => {
                tokio::time::sleep(Duration::from_secs(30)).await;
                Ok(())
            }
            Self::PANIC => panic!("{CAUSE}"),
            _ => Ok(()),
        }
    }
}

/// A repository that breaks when told to, and counts how often it is asked.
#[derive(Clone)]
pub(crate) struct FaultyUsers {
    pub(crate) users: MemoryUsers<Account>,
    pub(crate) behaviour: Behaviour,
    pub(crate) asked: Arc<AtomicUsize>,
}

impl FaultyUsers {
    pub(crate) fn over(users: MemoryUsers<Account>) -> Self {
        Self { users, behaviour: Behaviour::default(), asked: Arc::default() }
    }

    async fn act(&self) -> Result<(), RepositoryError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.behaviour.act().await.map_err(RepositoryError::Other)
    }
}

#[async_trait]
impl UserRepository for FaultyUsers {
    type User = Account;

    async fn find_by_id(&self, id: &u64) -> Result<Option<Account>, RepositoryError> {
        self.act().await?;
        self.users.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        self.act().await?;
        self.users.find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        self.act().await?;
        self.users.save(patch).await
    }

    async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
        self.act().await?;
        self.users.create(user).await
    }
}

/// A store that breaks when told to.
#[derive(Clone, Default)]
pub(crate) struct FaultyStore {
    pub(crate) store: MemoryStore,
    pub(crate) behaviour: Behaviour,
}

#[async_trait]
impl EphemeralStore for FaultyStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        self.behaviour.act().await?;
        self.store.get(key).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        self.behaviour.act().await?;
        self.store.put(key, value, ttl).await
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        self.behaviour.act().await?;
        self.store.swap(key, expected, value, ttl).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        self.behaviour.act().await?;
        self.store.delete(key).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        self.behaviour.act().await?;
        self.store.count(key, limit, window).await
    }

    async fn give_back(&self, key: &str) -> Result<(), BoxError> {
        self.behaviour.act().await?;
        self.store.give_back(key).await
    }
}
