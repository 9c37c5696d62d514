//! Several instances of one host, on one store (`deployment: many`).

use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, at_once, memory_users};
use axum_auth_module::StandardActions;
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::{MovableClock, SharedMemoryStore};
use std::sync::Arc;

on_both_routers![
    a_session_that_is_logged_out_at_one_is_over_at_the_other,
    failures_at_one_count_at_the_other,
];

on_both_routers![threads: a_burst_at_both_is_let_through_as_often_as_at_one];

/// Two instances: the same users, the same time, the same sessions, the same store.
async fn two_instances() -> (App, App) {
    let (users, clock) = (memory_users(), MovableClock::new());
    let store = SharedMemoryStore::new(MemoryStore::with(Arc::new(clock.clone()), 1000));
    let sessions = MemorySessions::new();
    let instance = || {
        let (users, clock) = (users.clone(), clock.clone());
        let (sessions, store) = (sessions.clone(), store.clone());
        App::on(
            users.clone(),
            users,
            |config| config.clock(clock),
            |module| module.registration(StandardActions).session_repo(sessions).shared_store(store),
        )
    };
    (instance().await, instance().await)
}

async fn a_session_that_is_logged_out_at_one_is_over_at_the_other() {
    let (one, another) = two_instances().await;
    let tokens = one.register(EMAIL).await;
    another.me(&tokens.access).await.expect(200);
    let refreshed = another.renew(&tokens).await;
    one.post("/auth/logout").bearer(&refreshed.access).await.expect(200);
    for instance in [&one, &another] {
        instance.is_over(&tokens).await;
        instance.is_over(&refreshed).await;
    }
}

async fn failures_at_one_count_at_the_other() {
    let (one, another) = two_instances().await;
    one.register(EMAIL).await;
    for instance in [&one, &another, &one, &another, &one] {
        instance.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    }
    for instance in [&one, &another] {
        instance.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    }
}

async fn a_burst_at_both_is_let_through_as_often_as_at_one() {
    let (one, another) = two_instances().await;
    one.register(EMAIL).await;
    let attempts = [&one, &another].into_iter().cycle().take(40);
    let statuses = at_once(attempts.map(|instance| {
        let call = instance.login_call(EMAIL, "wrong");
        async move { call.await.status }
    }))
    .await;
    let count = |wanted| statuses.iter().filter(|status| **status == wanted).count();
    assert_eq!((count(401), count(429)), (5, 35), "{statuses:?}");
}
