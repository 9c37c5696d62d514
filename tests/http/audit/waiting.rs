//! Which responses wait for the log.

use super::{Host, on_each_database};
use crate::support::databases::Kind;
use crate::support::logs::OfThisThread;
use crate::support::{App, EMAIL, PASSWORD, at_once, registration};
use axum_auth_module::events::{Event, EventSink};
use axum_auth_module::sql::AuditQuery;
use axum_auth_module::{StandardActions, async_trait};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, Semaphore};

on_each_database![an_awaited_row_is_there_with_the_response];

async fn an_awaited_row_is_there_with_the_response(kind: Kind) {
    let Some(host) = Host::start(kind, |log| log.awaited(Duration::from_secs(30))).await else { return };
    host.app.register(EMAIL).await;
    for logins in 1..=5 {
        host.app.login(EMAIL).await;
        // Not `entries`, which waits for what is not written yet.
        let page = host.audit.find(&AuditQuery::new()).await.unwrap();
        assert_eq!(page.entries.len(), 1 + logins);
    }
}

/// A sink that takes an event only when the test lets it.
#[derive(Clone)]
struct Gate {
    open: Arc<Semaphore>,
    entered: Arc<Notify>,
    taken: Arc<AtomicUsize>,
    longest: Option<Duration>,
}

impl Gate {
    fn new(longest: Option<Duration>) -> Self {
        Self { open: Arc::new(Semaphore::new(0)), entered: Arc::default(), taken: Arc::default(), longest }
    }

    async fn host(&self) -> App {
        App::with(|config| config, |module| module.registration(StandardActions).events(self.clone())).await
    }
}

#[async_trait]
impl EventSink for Gate {
    async fn handle(&self, _event: Event) {
        self.entered.notify_one();
        self.open.acquire().await.unwrap().forget();
        self.taken.fetch_add(1, Ordering::SeqCst);
    }

    fn longest_wait(&self) -> Option<Duration> {
        self.longest
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_response_waits_for_a_sink_that_does_not_ask_for_it() {
    let gate = Gate::new(None);
    let app = gate.host().await;
    app.register(EMAIL).await;
    app.login(EMAIL).await;
    assert_eq!(gate.taken.load(Ordering::SeqCst), 0);
    gate.open.add_permits(2);
    app.auth.background_work_finished().await;
    assert_eq!(gate.taken.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_response_waits_until_its_sink_has_taken_the_event() {
    let gate = Gate::new(Some(Duration::from_secs(600)));
    let app = gate.host().await;
    let registering = tokio::spawn(app.post("/auth/register").json(&registration(EMAIL)).into_future());
    gate.entered.notified().await;
    // Other requests have their responses, and this one would have it, too.
    for _ in 0..5 {
        app.me("nobody").await.expect(401);
    }
    assert!(!registering.is_finished());
    gate.open.add_permits(1);
    registering.await.unwrap().expect(201);
    assert_eq!(gate.taken.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_response_waits_no_longer_than_its_sink_says_and_the_event_is_taken_later() {
    let logs = OfThisThread::record();
    let gate = Gate::new(Some(Duration::from_millis(20)));
    let app = gate.host().await;
    let began = Instant::now();
    app.register(EMAIL).await;
    assert!(began.elapsed() >= Duration::from_millis(20));
    assert_eq!(gate.taken.load(Ordering::SeqCst), 0);
    assert_eq!(logs.lines_with("the event sink has not taken an event in time"), 1);
    gate.open.add_permits(1);
    app.auth.background_work_finished().await;
    assert_eq!(gate.taken.load(Ordering::SeqCst), 1);
}

/// A sink that panics has not taken the event. Nobody waits for what will never be.
#[tokio::test]
async fn a_sink_that_panics_is_not_waited_for_and_fails_nobody() {
    struct Panics;

    #[async_trait]
    impl EventSink for Panics {
        async fn handle(&self, _event: Event) {
            panic!("on purpose");
        }

        fn longest_wait(&self) -> Option<Duration> {
            Some(Duration::from_secs(600))
        }
    }

    let app = App::with(|config| config, |module| module.registration(StandardActions).events(Panics)).await;
    app.register(EMAIL).await;
    app.login(EMAIL).await;
}

/// A response that was refused because of a sink would say that nothing has happened, and a wrong password would not count.
#[tokio::test]
async fn a_sink_that_hangs_makes_no_request_too_late() {
    let gate = Gate::new(Some(Duration::from_secs(600)));
    let app = App::with_everything_and(
        |config| config.request_timeout(Duration::from_secs(8)),
        |module| module.events(gate.clone()),
    );
    let app = app.await;
    gate.open.add_permits(9);
    let own = app.confirmed_session(EMAIL).await;
    for _ in 0..7 {
        app.login(EMAIL).await;
    }
    app.auth.background_work_finished().await;
    let taken = gate.taken.load(Ordering::SeqCst);
    gate.open.forget_permits(9);
    // Seven sessions end, and so do seven waits: at the same time.
    let answer = app.delete("/auth/user/sessions").bearer(&own.access).await.expect(200);
    assert_eq!(answer.body["ended"], 7, "{}", answer.text);
    // Wrong passwords wait, too, and all of them count.
    let wrong = [(); 5].map(|()| app.login_call(EMAIL, "a wrong password"));
    for answer in at_once(wrong.map(IntoFuture::into_future)).await {
        answer.refused(401, "invalid_credentials");
    }
    assert_eq!(gate.taken.load(Ordering::SeqCst), taken);
    app.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
}
