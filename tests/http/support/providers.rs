//! Providers that record, and providers that break.

use super::Account;
use axum_auth_module::actions::{
    ActionContext, ActionError, DeletesUsers, PasswordUpdateData, ResetsUserPasswords, UpdatesUserPasswords,
};
use axum_auth_module::delivery::{Delivers, Message};
use axum_auth_module::events::{Event, EventSink};
use axum_auth_module::repository::{RepositoryError, UserRepository};
use axum_auth_module::testing::{Faults, MemoryUsers};
use axum_auth_module::user::{NewUser, UserField, UserPatch};
use axum_auth_module::values::NewPassword;
use axum_auth_module::{BoxError, StandardActions, async_trait};
use std::any::Any;
use std::error::Error;
use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
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

/// Faults of providers, none planned, whose cause is [`failure`].
pub(crate) fn faults() -> Faults {
    Faults::with_cause(failure)
}

/// The failure of a provider.
pub(crate) fn failure() -> BoxError {
    Box::new(Broken { row: "(canary.owner@example.com, Canary Lovelace, $2b$, canary-agent)" })
}

impl Behaviour {
    pub(crate) const WELL: u8 = 0;
    pub(crate) const FAIL: u8 = 1;
    pub(crate) const HANG: u8 = 2;
    pub(crate) const PANIC: u8 = 3;

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
            _ => Ok(()),
        }
    }
}

/// A repository in which something happens right before a patch is saved.
#[derive(Clone)]
pub(crate) struct OvertakenUsers {
    users: MemoryUsers<Account>,
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

impl OvertakenUsers {
    pub(crate) fn over(users: MemoryUsers<Account>) -> Self {
        Self { users, before_save: BeforeSave(Arc::new(Mutex::new(Box::new(|_| {})))) }
    }
}

#[async_trait]
impl UserRepository for OvertakenUsers {
    type User = Account;

    async fn find_by_id(&self, id: &i64) -> Result<Option<Account>, RepositoryError> {
        self.users.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        self.users.find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        (self.before_save.hook())(&patch);
        self.users.save(patch).await
    }

    async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
        self.users.create(user).await
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

/// Deletes users, and breaks before or after that when told to. Clones share what they are told.
#[derive(Clone, Default)]
pub(crate) struct Deletes {
    /// Where the users are. `None`: nothing is deleted.
    users: Option<Arc<dyn DeletesUsers<Account>>>,
    pub(crate) faults: FaultyActions,
    calls: Arc<AtomicUsize>,
}

impl Deletes {
    pub(crate) fn from(users: impl DeletesUsers<Account>) -> Self {
        Self { users: Some(Arc::new(users)), ..Self::default() }
    }

    /// How often it was called.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl DeletesUsers<Account> for Deletes {
    async fn delete(&self, user: &Account, context: &ActionContext<Account>) -> Result<(), ActionError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let delete = async {
            match &self.users {
                Some(users) => users.delete(user, context).await,
                None => Ok(()),
            }
        };
        self.faults.around(delete).await
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
