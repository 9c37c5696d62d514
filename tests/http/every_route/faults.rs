//! Actions and sinks that break, and password threads that are too few. `broken_providers` has repositories and stores.

use crate::support::providers::CAUSE;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, at_once, registration};
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::config::{AuthConfigBuilder, RateLimit, RateLimits};
use axum_auth_module::events::{Event, EventSink};
use axum_auth_module::{AuthUser, StandardActions, async_trait};
use std::num::NonZeroUsize;
use std::time::Duration;

on_both_routers![
    an_action_that_fails_answers_no_tokens_and_emits_nothing,
    a_sink_that_panics_and_hangs_delays_and_fails_nobody,
];

on_both_routers![
    threads:
    the_end_of_the_password_queue_is_a_503_and_everything_else_answers,
    one_client_cannot_fill_the_password_queue,
    clients_that_hang_up_give_their_places_back,
];

const SECOND: Duration = Duration::from_secs(1);

/// Fails after it has done its work.
struct CreatesAndFails;

#[async_trait]
impl<U: AuthUser> CreatesNewUsers<U> for CreatesAndFails {
    async fn create(&self, data: RegistrationData, context: &ActionContext<U>) -> Result<U, ActionError> {
        StandardActions.create(data, context).await?;
        Err(ActionError::internal(CAUSE))
    }
}

async fn an_action_that_fails_answers_no_tokens_and_emits_nothing() {
    let app = App::with(|config| config, |module| module.registration(CreatesAndFails)).await;
    let answer = app.post("/auth/register").json(&registration(EMAIL)).await.refused(500, "internal_error");
    assert!(!answer.text.contains(CAUSE) && !answer.has_credentials());
    app.login(EMAIL).await;
    assert_eq!(app.event().await.name(), "auth.login", "no auth.registered before it");
}

/// Panics at the first event and hangs at the second.
struct BadSink(std::sync::atomic::AtomicUsize);

#[async_trait]
impl EventSink for BadSink {
    async fn handle(&self, event: Event) {
        match self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => panic!("{}", event.name()),
            _ => std::future::pending().await,
        }
    }
}

async fn a_sink_that_panics_and_hangs_delays_and_fails_nobody() {
    let sink = BadSink(std::sync::atomic::AtomicUsize::new(0));
    let app = App::with(
        |config| config.request_timeout(SECOND),
        |module| module.registration(StandardActions).events(sink),
    );
    let app = app.await;
    app.register(EMAIL).await;
    for _ in 0..4 {
        app.login(EMAIL).await;
    }
}

/// One thread that hashes passwords. It has a low priority: on a busy machine a hash takes seconds, and a request that waits for
/// one must not take longer than it may.
fn one_password_thread(config: AuthConfigBuilder) -> AuthConfigBuilder {
    config.request_timeout(Duration::from_secs(300)).bcrypt_cost(9).password_threads(NonZeroUsize::MIN)
}

async fn the_end_of_the_password_queue_is_a_503_and_everything_else_answers() {
    // Cost 9 is some fifteen milliseconds: long enough for a hundred calls to meet in a queue of ten.
    let app = App::configured(|config| one_password_thread(config).password_queue(10));
    let app = app.await;
    let token = app.register(EMAIL).await.access;
    let calls =
        (0..100).map(|n| app.login_call(EMAIL, PASSWORD).from(&format!("198.51.100.{n}")).into_future());
    let logins = tokio::spawn(at_once(calls.collect::<Vec<_>>()));
    app.me(&token).await.expect(200);
    let answers = logins.await.unwrap();
    let mut counts = std::collections::BTreeMap::<_, usize>::new();
    for answer in answers {
        *counts.entry((answer.status, answer.code().to_owned())).or_default() += 1;
    }
    let of = |status: u16, code: &str| counts.get(&(status, code.to_owned())).copied().unwrap_or_default();
    // Thirty at once may be under way for one account; the others wait for them.
    assert!(of(503, "overloaded") > 0, "{counts:?}");
    assert!(of(200, "") > 0, "{counts:?}");
    assert_eq!(of(200, "") + of(503, "overloaded") + of(429, "too_many_attempts"), 100, "{counts:?}");
    app.login(EMAIL).await;
}

async fn one_client_cannot_fill_the_password_queue() {
    let mut limits = RateLimits::default();
    limits.login_client = RateLimit::per_seconds(1000, 60);
    let app = App::configured(|config| one_password_thread(config.limits(limits)).password_queue(8));
    let app = app.await;
    app.register(EMAIL).await;
    let flood = (0..60).map(|n| app.login_call(&format!("u{n}@example.com"), "wrong").from("198.51.100.1"));
    let flood = tokio::spawn(at_once(flood.map(IntoFuture::into_future).collect::<Vec<_>>()));
    for n in 2..6 {
        app.login_call(EMAIL, PASSWORD).from(&format!("198.51.100.{n}")).await.expect(200);
    }
    let refused: Vec<_> =
        flood.await.unwrap().into_iter().filter(|answer| answer.code() == "overloaded").collect();
    assert!(!refused.is_empty());
    for answer in refused {
        let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&seconds), "{seconds}");
    }
}

async fn clients_that_hang_up_give_their_places_back() {
    let app = App::configured(|config| one_password_thread(config).password_queue(20));
    let app = app.await;
    let token = app.register(EMAIL).await.access;
    let calls = (0..100).map(|n| {
        let call = app.login_call(&format!("u{n}@example.com"), "wrong").from(&format!("198.51.100.{n}"));
        tokio::time::timeout(Duration::from_millis(10), call.into_future())
    });
    at_once(calls).await;
    app.me(&token).await.expect(200);
    let came_free = async {
        while app.login_call(EMAIL, PASSWORD).await.status != 200 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), came_free).await.expect("the password threads come free");
}
