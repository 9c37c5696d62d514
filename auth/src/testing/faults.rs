//! Providers that fail or hang when a test wants it.

use crate::delivery::{AddressChanged, Channel, Delivers, Message};
use crate::error::BoxError;
use crate::repository::{
    PasswordResetRepository, RepositoryError, Seen, SessionKind, SessionRecord, SessionRepository,
    SessionState, SharedSessions, StoredResetToken, UserRepository, Whose,
};
use crate::store::{EphemeralStore, SharedStore, Slot, Window};
use crate::user::{AuthUser, NewUser, UserField, UserPatch};
use async_trait::async_trait;
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::sync::Notify;

/// Generates the methods of providers and their names.
macro_rules! provider_methods {
    ($($variant:ident: $name:literal, $of:literal;)*) => {
        /// A method of a provider, as [`Faults`] name it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ProviderMethod {
            $(#[doc = concat!("`", $name, "`: ", $of, ".")] $variant,)*
        }

        impl ProviderMethod {
            /// All methods.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The provider and the method: `users.save`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

provider_methods! {
    UsersFindById: "users.find_by_id", "`UserRepository::find_by_id`";
    UsersFindByField: "users.find_by_field", "`UserRepository::find_by_field`";
    UsersSave: "users.save", "`UserRepository::save`";
    UsersCreate: "users.create", "`UserRepository::create`";
    ResetsCreateToken: "resets.create_token", "`PasswordResetRepository::create_token`";
    ResetsFindByEmail: "resets.find_by_email", "`PasswordResetRepository::find_by_email`";
    ResetsDeleteByEmail: "resets.delete_by_email", "`PasswordResetRepository::delete_by_email`";
    SessionsCreate: "sessions.create", "`SessionRepository::create`";
    SessionsFind: "sessions.find", "`SessionRepository::find`";
    SessionsFindByUser: "sessions.find_by_user", "`SessionRepository::find_by_user`";
    SessionsSwap: "sessions.swap", "`SessionRepository::swap`";
    SessionsTouch: "sessions.touch", "`SessionRepository::touch`";
    SessionsDelete: "sessions.delete", "`SessionRepository::delete`";
    SessionsDeleteAll: "sessions.delete_all", "`SessionRepository::delete_all`";
    SessionsDeleteExpired: "sessions.delete_expired", "`SessionRepository::delete_expired`";
    StoreGet: "store.get", "`EphemeralStore::get`";
    StorePut: "store.put", "`EphemeralStore::put`";
    StoreSwap: "store.swap", "`EphemeralStore::swap`";
    StoreDelete: "store.delete", "`EphemeralStore::delete`";
    StoreCount: "store.count", "`EphemeralStore::count`";
    StoreGiveBack: "store.give_back", "`EphemeralStore::give_back`";
    StoreDeleteExpired: "store.delete_expired", "`EphemeralStore::delete_expired`";
    Deliver: "delivery.deliver", "`Delivers::deliver`";
    DeliverAddressChanged: "delivery.address_changed", "`Delivers::address_changed`";
}

/// The name.
impl fmt::Display for ProviderMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a provider does instead of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It returns an error: for a repository, [`RepositoryError::Other`].
    Fails,
    /// A repository returns [`RepositoryError::Unavailable`], as one whose database cannot be reached. Others fail.
    IsUnavailable,
    /// It does its work, and then returns an error: what was written stays written.
    FailsAfterwards,
    /// It does not return until [`Faults::heal`] is called; then it fails.
    Hangs,
}

/// Faults of providers, for tests of how a host behaves when its database or its mail server does. [`over`](Self::over) wraps a
/// provider. A fault is planned for a method; everything else works. Clones share the plan.
///
/// ```
/// use axum_auth_module::testing::{self, Client, Fault, Faults, MemoryUsers, ProviderMethod};
/// use axum_auth_module::{AuthModule, StandardActions, auth_module};
/// # use axum_auth_module::AuthUser;
/// # use std::time::SystemTime;
/// # #[derive(Clone, Default, AuthUser)]
/// # struct Account { id: u32, name: String, email: String, password: String, email_verified_at: Option<SystemTime>,
/// #   two_factor_secret: Option<String>, two_factor_recovery_codes: Option<String>,
/// #   two_factor_confirmed_at: Option<SystemTime>, password_confirmed_at: Option<SystemTime> }
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), axum_auth_module::BoxError> {
/// let faults = Faults::new();
/// let auth: AuthModule<Account> = auth_module! {
///     config: testing::config().build()?,
///     features: [REGISTRATION],
///     user_repo: faults.over(MemoryUsers::<Account>::default()),
///     actions: StandardActions,
/// };
/// let client = Client::new(axum::Router::new().nest("/auth", auth.router()));
/// let password = "correct horse battery";
/// let ada = json!({
///     "name": "Ada", "email": "ada@example.com", "password": password, "passwordConfirmation": password,
/// });
/// faults.next(ProviderMethod::UsersCreate, Fault::IsUnavailable);
/// client.post("/auth/register").json(&ada).await.expect(503);
/// client.post("/auth/register").json(&ada).await.expect(201);
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct Faults(Arc<Shared>);

#[derive(Default)]
struct Shared {
    plan: Mutex<Plan>,
    healed: Notify,
}

#[derive(Default)]
struct Plan {
    calls: Vec<ProviderMethod>,
    faults: Vec<Planned>,
}

/// A fault that has not happened, or that happens at every call.
struct Planned {
    method: ProviderMethod,
    fault: Fault,
    /// How many calls work before it. `None`: none works.
    after: Option<usize>,
}

impl Faults {
    /// Nothing is planned.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The provider, with these faults: a repository, a store or a delivery.
    #[must_use]
    pub fn over<P>(&self, provider: P) -> Faulty<P> {
        Faulty { provider, faults: self.clone() }
    }

    /// The next call of this method has the fault, and those after it work.
    pub fn next(&self, method: ProviderMethod, fault: Fault) {
        self.nth(method, 1, fault);
    }

    /// The `n`th call of this method from now on has the fault, and all others work. `1` is the next one.
    pub fn nth(&self, method: ProviderMethod, n: usize, fault: Fault) {
        self.plan().faults.push(Planned { method, fault, after: Some(n.saturating_sub(1)) });
    }

    /// Every call of this method has the fault, until [`heal`](Self::heal).
    pub fn always(&self, method: ProviderMethod, fault: Fault) {
        self.plan().faults.push(Planned { method, fault, after: None });
    }

    /// Every call of every method of this provider has the fault, until [`heal`](Self::heal): `users`, `resets`, `sessions`,
    /// `store` or `delivery`, as the names of [`ProviderMethod`] begin.
    ///
    /// # Panics
    /// If there is no such provider.
    #[track_caller]
    #[allow(clippy::panic, reason = "it is a mistake in a test")]
    pub fn everywhere(&self, provider: &str, fault: Fault) {
        let is_of =
            |method: &&ProviderMethod| method.name().split_once('.').is_some_and(|(of, _)| of == provider);
        let methods: Vec<_> = ProviderMethod::ALL.iter().filter(is_of).collect();
        if methods.is_empty() {
            panic!("`{provider}` is not `users`, `resets`, `sessions`, `store` or `delivery`");
        }
        for method in methods {
            self.always(*method, fault);
        }
    }

    /// Forgets all faults. Calls that hang fail now.
    pub fn heal(&self) {
        self.plan().faults.clear();
        self.0.healed.notify_waiters();
    }

    /// Whether no fault is left that was planned for one call: all of them have happened.
    #[must_use]
    pub fn have_happened(&self) -> bool {
        self.plan().faults.iter().all(|planned| planned.after.is_none())
    }

    /// The calls so far, in their order, also those with a fault.
    #[must_use]
    pub fn calls(&self) -> Vec<ProviderMethod> {
        self.plan().calls.clone()
    }

    /// Forgets the calls so far.
    pub fn clear_calls(&self) {
        self.plan().calls.clear();
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.0.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work of a provider, or the fault that is planned for this call.
    async fn around<T, E: From<Injected>>(
        &self,
        method: ProviderMethod,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let mut healed = pin!(self.0.healed.notified());
        // From here on, `heal` is noticed.
        healed.as_mut().enable();
        let fault = self.plan().call(method);
        let injected = |is_unavailable| Injected { method, is_unavailable };
        match fault {
            None => work.await,
            Some(Fault::Fails) => Err(injected(false).into()),
            Some(Fault::IsUnavailable) => Err(injected(true).into()),
            Some(Fault::FailsAfterwards) => {
                work.await?;
                Err(injected(false).into())
            }
            Some(Fault::Hangs) => {
                healed.await;
                Err(injected(false).into())
            }
        }
    }
}

impl Plan {
    /// Counts a call, and returns its fault.
    fn call(&mut self, method: ProviderMethod) -> Option<Fault> {
        self.calls.push(method);
        let mut found = None;
        self.faults.retain_mut(|planned| {
            if planned.method != method {
                return true;
            }
            match &mut planned.after {
                None => found = found.or(Some(planned.fault)),
                Some(0) if found.is_none() => {
                    found = Some(planned.fault);
                    return false;
                }
                Some(after) => *after = after.saturating_sub(1),
            }
            true
        });
        found
    }
}

/// The error of a fault.
struct Injected {
    method: ProviderMethod,
    is_unavailable: bool,
}

impl From<Injected> for BoxError {
    fn from(Injected { method, .. }: Injected) -> Self {
        format!("a fault that the test has planned for {method}").into()
    }
}

impl From<Injected> for RepositoryError {
    fn from(injected: Injected) -> Self {
        match injected.is_unavailable {
            true => Self::Unavailable(injected.into()),
            false => Self::Other(injected.into()),
        }
    }
}

/// A provider with faults. [`Faults::over`] returns it.
#[derive(Clone)]
pub struct Faulty<P> {
    provider: P,
    faults: Faults,
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser, R: UserRepository<User = U>> UserRepository for Faulty<R> {
    type User = U;

    async fn find_by_id(&self, id: &U::Id) -> Result<Option<U>, RepositoryError> {
        self.faults.around(ProviderMethod::UsersFindById, self.provider.find_by_id(id)).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<U>, RepositoryError> {
        let work = self.provider.find_by_field(field, value);
        self.faults.around(ProviderMethod::UsersFindByField, work).await
    }

    async fn save(&self, patch: UserPatch<U>) -> Result<U, RepositoryError> {
        self.faults.around(ProviderMethod::UsersSave, self.provider.save(patch)).await
    }

    async fn create(&self, user: NewUser) -> Result<U, RepositoryError> {
        self.faults.around(ProviderMethod::UsersCreate, self.provider.create(user)).await
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<R: PasswordResetRepository> PasswordResetRepository for Faulty<R> {
    async fn create_token(
        &self,
        email: &str,
        hashed_token: &str,
        created_at: SystemTime,
    ) -> Result<(), RepositoryError> {
        let work = self.provider.create_token(email, hashed_token, created_at);
        self.faults.around(ProviderMethod::ResetsCreateToken, work).await
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        self.faults.around(ProviderMethod::ResetsFindByEmail, self.provider.find_by_email(email)).await
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        self.faults.around(ProviderMethod::ResetsDeleteByEmail, self.provider.delete_by_email(email)).await
    }
}

#[diagnostic::do_not_recommend]
impl<R: SharedSessions> SharedSessions for Faulty<R> {}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<R: SessionRepository> SessionRepository for Faulty<R> {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        self.faults.around(ProviderMethod::SessionsCreate, self.provider.create(session)).await
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        self.faults.around(ProviderMethod::SessionsFind, self.provider.find(id)).await
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        let work = self.provider.find_by_user(user_id, kinds);
        self.faults.around(ProviderMethod::SessionsFindByUser, work).await
    }

    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let work = self.provider.swap(id, expected, state, expires_at);
        self.faults.around(ProviderMethod::SessionsSwap, work).await
    }

    async fn touch(&self, id: &str, seen: &Seen) -> Result<(), RepositoryError> {
        self.faults.around(ProviderMethod::SessionsTouch, self.provider.touch(id, seen)).await
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        self.faults.around(ProviderMethod::SessionsDelete, self.provider.delete(id)).await
    }

    async fn delete_all(
        &self,
        whose: Whose<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        let work = self.provider.delete_all(whose, kinds, except);
        self.faults.around(ProviderMethod::SessionsDeleteAll, work).await
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        let work = self.provider.delete_expired(now, at_most);
        self.faults.around(ProviderMethod::SessionsDeleteExpired, work).await
    }
}

#[diagnostic::do_not_recommend]
impl<S: SharedStore> SharedStore for Faulty<S> {}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<S: EphemeralStore> EphemeralStore for Faulty<S> {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        self.faults.around(ProviderMethod::StoreGet, self.provider.get(key)).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        self.faults.around(ProviderMethod::StorePut, self.provider.put(key, value, ttl)).await
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        self.faults.around(ProviderMethod::StoreSwap, self.provider.swap(key, expected, value, ttl)).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        self.faults.around(ProviderMethod::StoreDelete, self.provider.delete(key)).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        self.faults.around(ProviderMethod::StoreCount, self.provider.count(key, limit, window)).await
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        self.faults.around(ProviderMethod::StoreGiveBack, self.provider.give_back(key, window)).await
    }

    async fn delete_expired(&self, at_most: u32) -> Result<u64, BoxError> {
        self.faults.around(ProviderMethod::StoreDeleteExpired, self.provider.delete_expired(at_most)).await
    }

    fn warnings(&self) -> Vec<String> {
        self.provider.warnings()
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<M: Message, D: Delivers<M>> Delivers<M> for Faulty<D> {
    async fn deliver(&self, message: M) -> Result<(), BoxError> {
        self.faults.around(ProviderMethod::Deliver, self.provider.deliver(message)).await
    }

    async fn address_changed(&self, notice: AddressChanged) -> Result<(), BoxError> {
        let work = self.provider.address_changed(notice);
        self.faults.around(ProviderMethod::DeliverAddressChanged, work).await
    }

    fn channel(&self) -> Channel {
        self.provider.channel()
    }
}
