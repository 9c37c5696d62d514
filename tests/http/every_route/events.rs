//! The contents of events, and how they reach a sink (specification §19).

use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, Tokens, forge};
use axum_auth_module::assurance::Method;
use axum_auth_module::events::{Actor, AttemptKind, Event, EventChannel, EventKind, EventSink};
use axum_auth_module::{StandardActions, async_trait};
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

on_both_routers![
    a_session_is_named_alike_in_its_tokens_and_in_its_events,
    an_event_says_who_when_and_from_where,
    a_lockout_says_what_was_tried,
    a_channel_broadcasts_to_every_subscriber,
    nobody_can_fill_the_places_of_others_events,
    the_end_of_many_sessions_at_once_fits_into_the_share_of_a_user,
];

fn session_id(tokens: &Tokens) -> String {
    forge::claims(&tokens.access)["sid"].as_str().unwrap().to_owned()
}

async fn a_session_is_named_alike_in_its_tokens_and_in_its_events() {
    let app = App::start().await;
    app.register(EMAIL).await;
    let (first, second) = (app.login(EMAIL).await, app.login(EMAIL).await);
    app.post("/auth/logout").bearer(&second.access).await.expect(200);
    let methods = Method::Password.into();
    assert_eq!(app.event().await.kind, EventKind::Registered { methods });
    for tokens in [&first, &second] {
        assert_eq!(app.event().await.kind, EventKind::Login { session_id: session_id(tokens), methods });
    }
    assert_eq!(app.event().await.kind, EventKind::Logout { session_id: session_id(&second) });
}

#[tokio::test]
async fn a_refresh_token_that_was_reused_is_an_event_with_its_session() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    app.refresh(&tokens.refresh).await.expect(200);
    app.advance(10);
    app.refresh(&tokens.refresh).await.refused(401, "refresh_token_reused");
    assert_eq!(app.event().await.kind, EventKind::Registered { methods: Method::Password.into() });
    assert_eq!(app.event().await.kind, EventKind::RefreshTokenReused { session_id: session_id(&tokens) });
}

async fn an_event_says_who_when_and_from_where() {
    let app = App::start().await;
    app.register(EMAIL).await;
    let event = app.event().await;
    assert_eq!(event.user_id.as_deref(), Some("1"));
    assert_eq!(event.at, axum_auth_module::clock::Clock::now(&app.clock));
    assert_eq!(event.client, Some("192.0.2.1".parse().unwrap()));
}

async fn a_lockout_says_what_was_tried() {
    let app = App::start().await;
    for _ in 0..6 {
        app.login_call("unknown@example.com", "wrong").await;
    }
    let mut event = app.event().await;
    while event.kind == (EventKind::LoginFailed { method: Method::Password }) {
        event = app.event().await;
    }
    assert_eq!(event.kind, EventKind::Lockout { attempt: AttemptKind::Login });
}

async fn a_channel_broadcasts_to_every_subscriber() {
    let channel = EventChannel::new(16);
    let (mut one, mut other) = (channel.subscribe(), channel.subscribe());
    let app =
        App::with(|config| config, |module| module.registration(StandardActions).events(channel.clone()))
            .await;
    app.register(EMAIL).await;
    for subscriber in [&mut one, &mut other] {
        assert_eq!(subscriber.recv().await.unwrap().name(), "auth.registered");
    }
}

/// A sink that takes no event until it is told to, and keeps what it has taken.
#[derive(Clone, Default)]
struct Slow {
    taken: Arc<Mutex<Vec<Event>>>,
    is_open: Arc<AtomicBool>,
}

#[async_trait]
impl EventSink for Slow {
    async fn handle(&self, event: Event) {
        while !self.is_open.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
        self.taken.lock().unwrap().push(event);
    }
}

async fn with_slow_sink() -> (App, Slow) {
    let sink = Slow::default();
    let events = sink.clone();
    let app = App::with_everything_and(|config| config, |module| module.events(events)).await;
    (app, sink)
}

/// All events that the sink gets, after it has been opened.
async fn all(app: &App, sink: &Slow) -> Vec<Event> {
    sink.is_open.store(true, Ordering::SeqCst);
    app.auth.background_work_finished().await;
    sink.taken.lock().unwrap().clone()
}

async fn nobody_can_fill_the_places_of_others_events() {
    let (app, sink) = with_slow_sink().await;
    app.register(EMAIL).await;
    app.register("eve@example.com").await;
    for _ in 0..200 {
        let tokens = app.login("eve@example.com").await;
        app.post("/auth/logout").bearer(&tokens.access).await.expect(200);
    }
    assert!(app.auth.dropped_events() > 300);
    app.login(EMAIL).await;
    // Wrong passwords have Ada's id, and anybody can cause them: they take no place in Ada's share.
    for n in 0..100 {
        app.login_call(EMAIL, "wrong").from(&format!("203.0.113.{n}")).await;
    }
    app.login(EMAIL).await;
    app.auth.admin().end_all_sessions(&2).await.unwrap();
    let events = all(&app, &sink).await;
    let of = |user: &str, name: &str| {
        let is_it = |event: &&Event| event.user_id.as_deref() == Some(user) && event.name() == name;
        events.iter().filter(is_it).count()
    };
    assert_eq!((of("1", "auth.registered"), of("1", "auth.login")), (1, 2));
    assert_eq!(of("1", "auth.login-failed"), 30);
    let of_eve = events.iter().filter(|event| event.user_id.as_deref() == Some("2"));
    let (by_administrator, by_eve): (Vec<_>, Vec<_>) =
        of_eve.partition(|event| event.by == Actor::Administrator);
    assert_eq!(by_eve.len(), 66);
    assert_eq!(by_administrator.len(), 1, "of the session of the registration");
    // After that, Eve has places again.
    app.login("eve@example.com").await;
    assert_eq!(all(&app, &sink).await.len(), events.len() + 1);
}

async fn the_end_of_many_sessions_at_once_fits_into_the_share_of_a_user() {
    let (app, sink) = with_slow_sink().await;
    let tokens = app.register(EMAIL).await;
    for _ in 0..49 {
        app.login(EMAIL).await;
    }
    let before = all(&app, &sink).await.len();
    sink.is_open.store(false, Ordering::SeqCst);
    let new = "another good password";
    let body = json!({ "currentPassword": PASSWORD, "password": new, "passwordConfirmation": new });
    app.put("/auth/user/password").bearer(&tokens.access).json(&body).await.expect(200);
    assert_eq!(all(&app, &sink).await.len(), before + 1 + 49);
    assert_eq!(app.auth.dropped_events(), 0);
}

#[tokio::test]
async fn a_channel_without_subscribers_is_no_trouble() {
    let events = EventChannel::new(0);
    let app = App::with(|config| config, |module| module.registration(StandardActions).events(events)).await;
    app.register(EMAIL).await;
    app.login(EMAIL).await;
}
