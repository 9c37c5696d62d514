//! Instances whose clocks differ (specification §10.3), and credentials that live longer than what they were checked against.

use crate::support::places::Place;
use crate::support::routers::{SESSION_COOKIE, on_both_routers};
use crate::support::{Account, App, Builder, EMAIL, memory_users, routers};
use axum_auth_module::StandardActions;
use axum_auth_module::clock::Clock;
use axum_auth_module::config::SessionOptions;
use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::repository::{MemorySessions, SessionKind, SessionRepository};
use axum_auth_module::testing::{Faults, MemoryUsers, MovableClock};
use std::time::Duration;

on_both_routers![
    claims_notice_within_fifteen_minutes_that_a_user_is_gone,
    claims_notice_it_also_if_uses_are_recorded_once_an_hour,
    claims_of_a_cookie_read_the_record_as_often_as_a_use_is_recorded,
];

/// Two instances, and by how many seconds the clock of the second is ahead.
async fn instances(place: &Place, ahead: u64) -> (App, App) {
    let clock = MovableClock::at(place.clock.now() + Duration::from_secs(ahead));
    (place.start().await, place.start_at(&clock, |config| config).await)
}

#[tokio::test]
async fn a_use_of_a_refresh_token_at_an_instance_whose_clock_is_ahead_is_repeatable_for_70_seconds_at_most() {
    for (ahead, seconds) in [(0, 10), (5, 15), (60, 70), (61, 0), (3600, 0)] {
        let place = Place::memory();
        let (one, other) = instances(&place, ahead).await;
        let tokens = one.register(EMAIL).await;
        other.refresh(&tokens.refresh).await.expect(200);
        if seconds > 0 {
            one.refresh(&tokens.refresh).await.expect(200);
            one.advance(seconds - 1);
            one.refresh(&tokens.refresh).await.expect(200);
            one.advance(1);
        }
        one.refresh(&tokens.refresh).await.refused(401, "refresh_token_reused");
    }
}

#[tokio::test]
async fn a_cookie_that_was_replaced_is_accepted_for_70_seconds_at_most_after_the_use_of_its_successor() {
    routers::on(RouterKind::Browser, async {
        for (ahead, seconds) in [(0, 10), (60, 70), (61, 0), (3600, 0)] {
            let place = Place::memory();
            let (one, other) = instances(&place, ahead).await;
            let tokens = one.register(EMAIL).await;
            one.confirm_password(&tokens.access).await;
            let replaced = async || {
                let call = one.get("/me").header("cookie", &format!("{SESSION_COOKIE}={}", tokens.access));
                call.await.status
            };
            assert_eq!(replaced().await, 200, "the response with the successor may be lost");
            // The support sends the newest cookie.
            other.me(&tokens.access).await.expect(200);
            if seconds > 0 {
                one.advance(seconds - 1);
                assert_eq!(replaced().await, 200);
                one.advance(1);
            }
            assert_eq!(replaced().await, 401, "{ahead}");
            one.me(&tokens.access).await.expect(200);
        }
    })
    .await;
}

/// What makes the sessions of a user useless without the library's knowledge.
const GONE: [fn(&MemoryUsers<Account>) -> bool; 3] = [
    |users| users.update(EMAIL, |user| user.active = false),
    |users| users.remove(EMAIL),
    |users| users.update(EMAIL, |user| user.password = "$2b$04$another hash".to_owned()),
];

async fn claims(app: &App, credential: &str) -> u16 {
    app.get("/claims").bearer(credential).await.status
}

async fn claims_notice_within_fifteen_minutes_that_a_user_is_gone() {
    for gone in GONE {
        let app = App::start().await;
        let credential = app.register(EMAIL).await.access;
        assert!(gone(&app.users));
        app.me(&credential).await.refused(401, "unauthenticated");
        assert_eq!(claims(&app, &credential).await, 200, "the record is not read");
        app.advance(299);
        assert_eq!(claims(&app, &credential).await, 200);
        app.advance(1);
        // A cookie lives longer than an access token, so the record is read when the next use is to be recorded.
        let expected = if app.is_for_browsers() { 401 } else { 200 };
        assert_eq!(claims(&app, &credential).await, expected);
        app.advance(600);
        assert_eq!(claims(&app, &credential).await, 401);
    }
}

async fn claims_notice_it_also_if_uses_are_recorded_once_an_hour() {
    let mut options = SessionOptions::default();
    options.touch_interval = Duration::from_secs(3600);
    let app = App::configured(|config| config.sessions(options)).await;
    let credential = app.register(EMAIL).await.access;
    app.users.update(EMAIL, |user| user.active = false);
    app.advance(899);
    assert_eq!(claims(&app, &credential).await, 200);
    app.advance(1);
    assert_eq!(claims(&app, &credential).await, 401);
}

async fn claims_of_a_cookie_read_the_record_as_often_as_a_use_is_recorded() {
    let (users, sessions) = (memory_users(), MemorySessions::new());
    let (faults, kept) = (Faults::new(), sessions.clone());
    let module = |module: Builder| module.registration(StandardActions).session_repo(kept);
    let app = App::on(faults.over(users.clone()), users, |config| config, module).await;
    let credential = app.register(EMAIL).await.access;
    for (seconds, read) in [(299, 0), (1, 1), (299, 0), (1, 1)] {
        app.advance(seconds);
        faults.clear_calls();
        assert_eq!(claims(&app, &credential).await, 200);
        let read = if app.is_for_browsers() { read } else { 0 };
        assert_eq!(faults.calls().len(), read, "after {seconds} more seconds");
        // The use is recorded in the background.
        while seconds == 1
            && sessions.find_by_user("1", SessionKind::ALL).await.unwrap()[0].last_used_at < last(&app)
        {
            tokio::task::yield_now().await;
        }
    }
}

/// The last use is recorded in whole milliseconds.
fn last(app: &App) -> std::time::SystemTime {
    app.clock.now() - Duration::from_millis(1)
}
