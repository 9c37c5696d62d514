//! The contents of events, and how they reach a sink (specification §19).

use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, Tokens, forge};
use axum_auth_module::StandardActions;
use axum_auth_module::events::{EventChannel, EventKind, LimitedAction};

on_both_routers![
    a_session_is_named_alike_in_its_tokens_and_in_its_events,
    an_event_says_who_when_and_from_where,
    a_lockout_says_what_was_tried,
    a_channel_broadcasts_to_every_subscriber,
];

fn session_id(tokens: &Tokens) -> String {
    forge::claims(&tokens.access)["sid"].as_str().unwrap().to_owned()
}

async fn a_session_is_named_alike_in_its_tokens_and_in_its_events() {
    let app = App::start().await;
    app.register(EMAIL).await;
    let (first, second) = (app.login(EMAIL).await, app.login(EMAIL).await);
    app.post("/auth/logout").bearer(&second.access).await.expect(200);
    assert_eq!(app.event().await.kind, EventKind::Registered);
    for tokens in [&first, &second] {
        assert_eq!(app.event().await.kind, EventKind::Login { session_id: session_id(tokens) });
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
    assert_eq!(app.event().await.kind, EventKind::Registered);
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
    while event.kind == EventKind::LoginFailed {
        event = app.event().await;
    }
    assert_eq!(event.kind, EventKind::Lockout { attempt: LimitedAction::Login });
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

#[tokio::test]
async fn a_channel_without_subscribers_is_no_trouble() {
    let events = EventChannel::new(0);
    let app = App::with(|config| config, |module| module.registration(StandardActions).events(events)).await;
    app.register(EMAIL).await;
    app.login(EMAIL).await;
}
