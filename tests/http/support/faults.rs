//! Providers that break at one call of one method.

use super::Account;
use super::providers::{CAUSE, failure};
use axum_auth_module::repository::{
    PasswordResetRepository, RepositoryError, Seen, SessionKind, SessionRecord, SessionRepository,
    SessionState, StoredResetToken, UserRepository, Whose,
};
use axum_auth_module::store::{EphemeralStore, Slot, Window};
use axum_auth_module::user::{NewUser, UserField, UserPatch};
use axum_auth_module::{BoxError, async_trait};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};
use tokio::sync::Notify;

/// What a provider does instead of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Fails,
    IsUnavailable,
    Panics,
    Hangs,
    /// The store hangs from this call on. Every provider but the store just hangs.
    IsGone,
}

impl Fault {
    pub(crate) const ALL: [Self; 5] =
        [Self::Fails, Self::IsUnavailable, Self::Panics, Self::Hangs, Self::IsGone];
}

/// A call: the provider's method, and how often it was called before.
pub(crate) type CallOf = (&'static str, usize);

/// The faults of the providers of one host. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Faults(Arc<(Mutex<Plan>, Notify)>);

#[derive(Default)]
struct Plan {
    calls: Vec<&'static str>,
    planned: Option<(CallOf, Fault)>,
    store_is_gone: bool,
}

impl Faults {
    /// Forgets the calls so far. The given call will break. Calls that hang fail now.
    pub(crate) fn plan(&self, planned: Option<(CallOf, Fault)>) {
        *self.plan_now() = Plan { calls: Vec::new(), planned, store_is_gone: false };
        self.0.1.notify_waiters();
    }

    /// Whether the planned fault has happened.
    pub(crate) fn have_happened(&self) -> bool {
        self.plan_now().planned.is_none()
    }

    /// The calls since the last plan.
    pub(crate) fn calls(&self) -> Vec<CallOf> {
        let calls = self.plan_now().calls.clone();
        let before = |at: usize| calls[..at].iter().filter(|earlier| **earlier == calls[at]).count();
        (0..calls.len()).map(|at| (calls[at], before(at))).collect()
    }

    fn plan_now(&self) -> MutexGuard<'_, Plan> {
        self.0.0.lock().unwrap()
    }

    async fn at(&self, method: &'static str) -> Result<(), RepositoryError> {
        // From here on, the next plan is noticed.
        let mut next_plan = pin!(self.0.1.notified());
        next_plan.as_mut().enable();
        let fault = {
            let mut plan = self.plan_now();
            let call = (method, plan.calls.iter().filter(|earlier| **earlier == method).count());
            plan.calls.push(method);
            let fault = plan.planned.take_if(|(planned, _)| *planned == call).map(|(_, fault)| fault);
            plan.store_is_gone |= fault == Some(Fault::IsGone);
            let is_gone = plan.store_is_gone && method.starts_with("store.");
            if is_gone { Some(Fault::IsGone) } else { fault }
        };
        match fault {
            None => Ok(()),
            Some(Fault::Fails) => Err(RepositoryError::Other(failure())),
            Some(Fault::IsUnavailable) => Err(RepositoryError::Unavailable(failure())),
            // Not `panic!`, which prints a backtrace each time.
            Some(Fault::Panics) => std::panic::resume_unwind(Box::new(CAUSE)),
            Some(Fault::Hangs | Fault::IsGone) => {
                next_plan.await;
                Err(RepositoryError::Other(failure()))
            }
        }
    }

    async fn at_store(&self, method: &'static str) -> Result<(), BoxError> {
        self.at(method).await.map_err(|_| failure())
    }
}

/// A provider with faults.
#[derive(Clone)]
pub(crate) struct Faulty<P> {
    pub(crate) provider: P,
    pub(crate) faults: Faults,
}

#[async_trait]
impl<R: UserRepository<User = Account>> UserRepository for Faulty<R> {
    type User = Account;

    async fn find_by_id(&self, id: &i64) -> Result<Option<Account>, RepositoryError> {
        self.faults.at("users.find_by_id").await?;
        self.provider.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        self.faults.at("users.find_by_field").await?;
        self.provider.find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        self.faults.at("users.save").await?;
        self.provider.save(patch).await
    }

    async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
        self.faults.at("users.create").await?;
        self.provider.create(user).await
    }
}

#[async_trait]
impl<R: PasswordResetRepository> PasswordResetRepository for Faulty<R> {
    async fn create_token(
        &self,
        email: &str,
        hashed_token: &str,
        created_at: SystemTime,
    ) -> Result<(), RepositoryError> {
        self.faults.at("resets.create_token").await?;
        self.provider.create_token(email, hashed_token, created_at).await
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        self.faults.at("resets.find_by_email").await?;
        self.provider.find_by_email(email).await
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        self.faults.at("resets.delete_by_email").await?;
        self.provider.delete_by_email(email).await
    }
}

#[async_trait]
impl<R: SessionRepository> SessionRepository for Faulty<R> {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        self.faults.at("sessions.create").await?;
        self.provider.create(session).await
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        self.faults.at("sessions.find").await?;
        self.provider.find(id).await
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        self.faults.at("sessions.find_by_user").await?;
        self.provider.find_by_user(user_id, kinds).await
    }

    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        self.faults.at("sessions.swap").await?;
        self.provider.swap(id, expected, state, expires_at).await
    }

    async fn touch(&self, id: &str, seen: &Seen) -> Result<(), RepositoryError> {
        self.faults.at("sessions.touch").await?;
        self.provider.touch(id, seen).await
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        self.faults.at("sessions.delete").await?;
        self.provider.delete(id).await
    }

    async fn delete_all(
        &self,
        whose: Whose<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        self.faults.at("sessions.delete_all").await?;
        self.provider.delete_all(whose, kinds, except).await
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        self.faults.at("sessions.delete_expired").await?;
        self.provider.delete_expired(now, at_most).await
    }
}

#[async_trait]
impl<S: EphemeralStore> EphemeralStore for Faulty<S> {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        self.faults.at_store("store.get").await?;
        self.provider.get(key).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        self.faults.at_store("store.put").await?;
        self.provider.put(key, value, ttl).await
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        self.faults.at_store("store.swap").await?;
        self.provider.swap(key, expected, value, ttl).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        // A method of its own: it is called beside the response, so its place among the other deletions varies.
        let is_kept_token = key.starts_with("reset-kept:");
        self.faults.at_store(if is_kept_token { "store.delete reset-kept" } else { "store.delete" }).await?;
        self.provider.delete(key).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        self.faults.at_store("store.count").await?;
        self.provider.count(key, limit, window).await
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        self.faults.at_store("store.give_back").await?;
        self.provider.give_back(key, window).await
    }
}
