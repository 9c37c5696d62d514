//! Rotation of the secrets: what was issued before it works, what has ended stays ended, and an old secret is not needed
//! for ever (specification §16.5).

mod credentials;
mod issued;
mod peppers;
mod rolling;
mod used;

use crate::support::providers::{Outbox, OvertakenUsers, faults};
use crate::support::{Account, App, Builder, memory_users};
use crate::with_every_feature;
use axum_auth_module::StandardActions;
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::{
    self, Faults, Faulty, MemoryPasswordResets, MemoryUsers, MovableClock, SharedMemoryStore,
};
use std::sync::Arc;

/// The two signing secrets of one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Secrets {
    pub(crate) jwt: &'static str,
    pub(crate) refresh: &'static str,
}

const A: Secrets =
    Secrets { jwt: "the first secret of access tokens", refresh: "the first secret of refresh tokens" };
const B: Secrets =
    Secrets { jwt: "the second secret of access tokens", refresh: "the second secret of refresh tokens" };
const C: Secrets =
    Secrets { jwt: "the third secret of access tokens", refresh: "the third secret of refresh tokens" };

/// What the instances of a host share, and what it keeps when it is restarted.
#[derive(Clone)]
struct Shared {
    users: MemoryUsers<Account>,
    repository: OvertakenUsers,
    sessions: MemorySessions,
    resets: Faulty<MemoryPasswordResets>,
    faults: Faults,
    store: SharedMemoryStore,
    outbox: Outbox,
    clock: MovableClock,
}

impl Shared {
    fn new() -> Self {
        let (clock, users, faults) = (MovableClock::new(), memory_users(), faults());
        Self {
            repository: OvertakenUsers::over(users.clone()),
            users,
            sessions: MemorySessions::new(),
            resets: faults.over(MemoryPasswordResets::new()),
            faults,
            store: SharedMemoryStore::new(MemoryStore::with(Arc::new(clock.clone()), 10_000)),
            outbox: Outbox::default(),
            clock,
        }
    }

    /// An instance with these secrets, the current one first.
    async fn start(&self, secrets: &[Secrets]) -> App {
        self.start_with(secrets, |config| config, |module| module).await
    }

    async fn start_with(
        &self,
        secrets: &[Secrets],
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
        module: impl FnOnce(Builder) -> Builder,
    ) -> App {
        let Self { users, repository, sessions, resets, store, outbox, clock, .. } = self.clone();
        let (current, previous) = secrets.split_first().unwrap();
        let base = testing::config_with_secrets(current.jwt, current.refresh)
            .relying_party(crate::support::passkeys::site())
            .previous_jwt_secrets(previous.iter().map(|secrets| secrets.jwt))
            .previous_refresh_secrets(previous.iter().map(|secrets| secrets.refresh))
            .trusted_proxies(["127.0.0.0/8".parse().unwrap()])
            .clock(clock.clone());
        let kept = |builder: Builder| {
            let every_feature = with_every_feature(builder, &MemoryPasswordResets::new(), &outbox);
            let kept = every_feature.reset_passwords(resets, StandardActions, outbox.clone());
            module(kept.session_repo(sessions).shared_store(store))
        };
        let mut app = App::on(repository, users, |_| config(base), kept).await;
        (app.clock, app.outbox) = (clock, outbox);
        app
    }
}
