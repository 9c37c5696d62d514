//! Providers that record, and providers that break.

use super::Account;
use axum_auth_module::actions::{
    ActionContext, ActionError, PasswordUpdateData, ResetsUserPasswords, UpdatesUserPasswords,
};
use axum_auth_module::delivery::{Delivers, Message};
use axum_auth_module::events::{Event, EventSink};
use axum_auth_module::repository::{
    MemorySessions, PasswordResetRepository, RepositoryError, Seen, SessionKind, SessionRecord,
    SessionRepository, SessionState, StoredResetToken, UserRepository, Whose,
};
use axum_auth_module::store::{EphemeralStore, MemoryStore, Slot, Window};
use axum_auth_module::testing::{MemoryPasswordResets, MemoryUsers};
use axum_auth_module::user::{NewUser, UserField, UserPatch};
use axum_auth_module::values::NewPassword;
use axum_auth_module::{BoxError, StandardActions, async_trait};
use std::any::Any;
use std::error::Error;
use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::sync::Notify;
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

/// A delivery of every kind of message, whose post stays here until a test takes it out. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Outbox {
    /// What happens before something is put into it.
    pub(crate) behaviour: Behaviour,
    post: Arc<Mutex<Vec<Box<dyn Any + Send>>>>,
    arrived: Arc<Notify>,
}

impl Outbox {
    /// The next message of this type. It may still be on its way when the answer is there, so this waits, and not for ever.
    pub(crate) async fn next<M: 'static>(&self) -> M {
        tokio::time::timeout(Duration::from_secs(10), self.arrival()).await.expect("a message")
    }

    async fn arrival<M: 'static>(&self) -> M {
        loop {
            let mut arrived = pin!(self.arrived.notified());
            // From here on, what arrives is noticed.
            arrived.as_mut().enable();
            if let Some(message) = self.take() {
                return message;
            }
            arrived.await;
        }
    }

    /// The next message of this type that has arrived.
    pub(crate) fn take<M: 'static>(&self) -> Option<M> {
        let mut post = self.post.lock().unwrap();
        let first = post.iter().position(|message| message.is::<M>())?;
        post.remove(first).downcast().ok().map(|message| *message)
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.post.lock().unwrap().is_empty()
    }
}

#[async_trait]
impl<M: Message> Delivers<M> for Outbox {
    async fn deliver(&self, message: M) -> Result<(), BoxError> {
        self.behaviour.act().await?;
        self.post.lock().unwrap().push(Box::new(message));
        self.arrived.notify_waiters();
        Ok(())
    }
}

/// How a provider behaves at present.
#[derive(Clone, Default)]
pub(crate) struct Behaviour(Arc<AtomicU8>);

/// The text of every failure here. It must never be in an answer.
pub(crate) const CAUSE: &str = "the database at 10.1.2.3 says no";

/// An error as databases have them: its text is [`CAUSE`], and its `Debug` output has a row.
#[derive(Debug)]
struct Broken {
    #[expect(dead_code, reason = "`Debug` prints it")]
    row: &'static str,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(CAUSE)
    }
}

impl Error for Broken {}

/// The failure of a provider.
pub(crate) fn failure() -> BoxError {
    Box::new(Broken { row: "(canary.owner@example.com, Canary Lovelace, $2b$, canary-agent)" })
}

impl Behaviour {
    pub(crate) const WELL: u8 = 0;
    pub(crate) const FAIL: u8 = 1;
    pub(crate) const HANG: u8 = 2;
    pub(crate) const PANIC: u8 = 3;
    /// Waits until it is told something else.
    pub(crate) const WAIT: u8 = 4;

    pub(crate) fn set(&self, behaviour: u8) {
        self.0.store(behaviour, Ordering::SeqCst);
    }

    pub(crate) async fn act(&self) -> Result<(), BoxError> {
        match self.0.load(Ordering::SeqCst) {
            Self::FAIL => Err(failure()),
            Self::HANG => {
                tokio::time::sleep(Duration::from_secs(30)).await;
                Ok(())
            }
            Self::PANIC => panic!("{CAUSE}"),
            Self::WAIT => {
                while self.0.load(Ordering::SeqCst) == Self::WAIT {
                    tokio::task::yield_now().await;
                }
                Ok(())
            }
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
    pub(crate) before_save: BeforeSave,
}

/// What happens right before a patch is saved, as if another request did it: nothing, until it is set.
#[derive(Clone)]
pub(crate) struct BeforeSave(Arc<Mutex<Hook>>);

type Hook = Box<dyn Fn(&UserPatch<Account>) + Send>;

impl BeforeSave {
    pub(crate) fn set(&self, hook: impl Fn(&UserPatch<Account>) + Send + 'static) {
        *self.hook() = Box::new(hook);
    }

    /// A hook that panicked may be called again.
    fn hook(&self) -> MutexGuard<'_, Hook> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FaultyUsers {
    pub(crate) fn over(users: MemoryUsers<Account>) -> Self {
        let before_save = BeforeSave(Arc::new(Mutex::new(Box::new(|_| {}))));
        Self { users, behaviour: Behaviour::default(), asked: Arc::default(), before_save }
    }

    async fn act(&self) -> Result<(), RepositoryError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.behaviour.act().await.map_err(RepositoryError::Other)
    }
}

#[async_trait]
impl UserRepository for FaultyUsers {
    type User = Account;

    async fn find_by_id(&self, id: &i64) -> Result<Option<Account>, RepositoryError> {
        self.act().await?;
        self.users.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        self.act().await?;
        self.users.find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        self.act().await?;
        (self.before_save.hook())(&patch);
        self.users.save(patch).await
    }

    async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
        self.act().await?;
        self.users.create(user).await
    }
}

/// A repository of reset tokens, each method of which breaks when told to.
#[derive(Clone, Default)]
pub(crate) struct FaultyResets {
    pub(crate) resets: MemoryPasswordResets,
    pub(crate) create: Behaviour,
    pub(crate) find: Behaviour,
    pub(crate) delete: Behaviour,
}

#[async_trait]
impl PasswordResetRepository for FaultyResets {
    async fn create_token(
        &self,
        email: &str,
        hashed_token: &str,
        created_at: SystemTime,
    ) -> Result<(), RepositoryError> {
        self.create.act().await.map_err(RepositoryError::Other)?;
        self.resets.create_token(email, hashed_token, created_at).await
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        self.find.act().await.map_err(RepositoryError::Other)?;
        self.resets.find_by_email(email).await
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        self.delete.act().await.map_err(RepositoryError::Other)?;
        self.resets.delete_by_email(email).await
    }
}

/// The standard actions, which break before or after they have done their work when told to.
#[derive(Clone, Default)]
pub(crate) struct FaultyActions {
    pub(crate) before: Behaviour,
    pub(crate) after: Behaviour,
}

impl FaultyActions {
    async fn around(&self, work: impl Future<Output = Result<(), ActionError>>) -> Result<(), ActionError> {
        self.before.act().await.map_err(ActionError::Internal)?;
        work.await?;
        self.after.act().await.map_err(ActionError::Internal)
    }
}

#[async_trait]
impl ResetsUserPasswords<Account> for FaultyActions {
    async fn reset(
        &self,
        user: &Account,
        password: &NewPassword,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        self.around(StandardActions.reset(user, password, context)).await
    }
}

#[async_trait]
impl UpdatesUserPasswords<Account> for FaultyActions {
    async fn update(
        &self,
        user: &Account,
        data: PasswordUpdateData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        self.around(StandardActions.update(user, data, context)).await
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

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        self.behaviour.act().await?;
        self.store.give_back(key, window).await
    }
}

/// A repository of sessions, each method of which breaks when told to, and which counts the calls.
#[derive(Clone, Default)]
pub(crate) struct FaultySessions {
    pub(crate) sessions: MemorySessions,
    pub(crate) behaviour: Behaviour,
    /// The method that breaks. Without one all of them do.
    pub(crate) only: Option<&'static str>,
    pub(crate) calls: Arc<std::sync::Mutex<Vec<&'static str>>>,
}

impl FaultySessions {
    async fn act(&self, method: &'static str) -> Result<(), RepositoryError> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(method);
        match self.only {
            Some(only) if only != method => Ok(()),
            _ => self.behaviour.act().await.map_err(RepositoryError::Other),
        }
    }

    /// The methods that were called since the last time.
    pub(crate) fn take_calls(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl SessionRepository for FaultySessions {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        self.act("create").await?;
        self.sessions.create(session).await
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        self.act("find").await?;
        self.sessions.find(id).await
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        self.act("find_by_user").await?;
        self.sessions.find_by_user(user_id, kinds).await
    }

    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        self.act("swap").await?;
        self.sessions.swap(id, expected, state, expires_at).await
    }

    async fn touch(&self, id: &str, seen: &Seen) -> Result<(), RepositoryError> {
        self.act("touch").await?;
        self.sessions.touch(id, seen).await
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        self.act("delete").await?;
        self.sessions.delete(id).await
    }

    async fn delete_all(
        &self,
        whose: Whose<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        self.act("delete_all").await?;
        self.sessions.delete_all(whose, kinds, except).await
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        self.act("delete_expired").await?;
        self.sessions.delete_expired(now, at_most).await
    }
}
