//! Providers that fail or hang when a test wants it.

use crate::error::BoxError;
use crate::provider::{Intercepted, Interceptor, ProviderError};
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

pub use crate::provider::ProviderMethod;

/// What a provider does instead of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It returns an error: for a repository, [`RepositoryError::Other`](crate::repository::RepositoryError::Other), and for an HTTP client
    /// [`HttpError::Failed`](crate::http::HttpError::Failed).
    Fails,
    /// A repository returns [`RepositoryError::Unavailable`](crate::repository::RepositoryError::Unavailable), as one whose database cannot be reached,
    /// and an HTTP client [`HttpError::NotSent`](crate::http::HttpError::NotSent). Others fail.
    IsUnavailable,
    /// It does its work, and then returns an error: what was written stays written.
    FailsAfterwards,
    /// It panics. The panic prints nothing.
    Panics,
    /// It does not return until [`Faults::heal`] is called; then it fails.
    Hangs,
    /// It does nothing until [`Faults::heal`] is called; then it does its work, as if there was no fault.
    Waits,
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
    cause: Option<fn() -> BoxError>,
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

    /// Nothing is planned, and the calls with a fault fail with this error: one as the application's database returns it, for a test that
    /// it is in no response and in no log. Otherwise the error names the method.
    #[must_use]
    pub fn with_cause(cause: fn() -> BoxError) -> Self {
        Self(Arc::new(Shared { cause: Some(cause), ..Shared::default() }))
    }

    /// The provider, with these faults: a repository, a store, a delivery or an HTTP client.
    #[must_use]
    pub fn over<P>(&self, provider: P) -> Faulty<P> {
        Intercepted { provider, around: self.clone() }
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

    /// Every call of every method of this provider has the fault, until [`heal`](Self::heal): `users`, `resets`, `passkeys`,
    /// `identities`, `api_tokens`, `deletions`, `sessions`, `store`, `delivery` or `http`, as the names of [`ProviderMethod`] begin.
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
            panic!(
                "`{provider}` is not `users`, `resets`, `passkeys`, `identities`, `api_tokens`, `deletions`, `sessions`, `store`, \
                 `delivery` or `http`"
            );
        }
        for method in methods {
            self.always(*method, fault);
        }
    }

    /// Forgets all faults. Calls that hang fail now, and calls that wait do their work.
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
}

/// A call has the fault that is planned for it.
impl Interceptor for Faults {
    async fn around<T: Send, E: ProviderError>(
        &self,
        method: ProviderMethod,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        let mut healed = pin!(self.0.healed.notified());
        // From here on, `heal` is noticed.
        healed.as_mut().enable();
        let fault = self.plan().call(method);
        let cause = || match self.0.cause {
            Some(cause) => cause(),
            None => format!("a fault that the test has planned for {method}").into(),
        };
        match fault {
            None => call.await,
            Some(Fault::Fails) => Err(E::of(cause(), false)),
            Some(Fault::IsUnavailable) => Err(E::of(cause(), true)),
            Some(Fault::FailsAfterwards) => {
                call.await?;
                Err(E::of(cause(), false))
            }
            // Unlike `panic!`, it prints no backtrace.
            Some(Fault::Panics) => resume_unwind(Box::new(cause().to_string())),
            Some(Fault::Hangs) => {
                healed.await;
                Err(E::of(cause(), false))
            }
            Some(Fault::Waits) => {
                healed.await;
                call.await
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

/// A provider with faults. [`Faults::over`] returns it.
pub type Faulty<P> = Intercepted<P, Faults>;
