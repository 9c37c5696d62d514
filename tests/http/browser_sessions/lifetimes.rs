//! How long sessions last, by the clock (specification §27.5).

use super::browser::Browser;
use super::host;
use crate::support::places::Place;
use crate::support::{App, EMAIL};
use axum_auth_module::clock::Clock;
use axum_auth_module::config::{AuthConfigBuilder, BrowserOptions, SessionOptions};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MINUTE: u64 = 60;
const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

/// 2026-01-01T00:00:00Z.
const START: Duration = Duration::from_secs(1_767_225_600);

/// A host that keeps its data, at the beginning of a second.
async fn host_with(config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> (Place, Arc<App>) {
    let place = Place::memory();
    place.clock.set(UNIX_EPOCH + START);
    let config = |base: AuthConfigBuilder| config(base.limits(host::no_limits()));
    let app = host::with_pages(place.start_with(config).await).await;
    (place, app)
}

async fn logged_in(app: &Arc<App>, remember: bool) -> Browser {
    let browser = Browser::new(app);
    if !app.users.all().iter().any(|user| user.email == EMAIL) {
        Browser::new(app).register(EMAIL).await;
    }
    match remember {
        true => browser.log_in_remembered(EMAIL).await,
        false => browser.log_in(EMAIL).await,
    };
    browser
}

/// Uses the session. If the last recorded use is old enough, this waits until the new one is recorded.
async fn used(place: &Place, browser: &Browser, interval: u64) -> bool {
    if !browser.is_logged_in().await {
        return false;
    }
    let id = browser.session_id();
    loop {
        let record = place.sessions().await.find(&id).await.ok().flatten().unwrap();
        let age = place.clock.now().duration_since(record.last_used_at).unwrap_or_default();
        if age < Duration::from_secs(interval) {
            return true;
        }
        tokio::task::yield_now().await;
    }
}

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + START + Duration::from_secs(seconds)
}

#[tokio::test]
async fn an_idle_session_ends_after_8_hours_and_a_remembered_one_after_7_days() {
    for (remember, idle) in [(false, 8 * HOUR), (true, 7 * DAY)] {
        let (place, app) = host_with(|config| config).await;
        let browser = logged_in(&app, remember).await;
        place.clock.set(at(idle) - Duration::from_millis(1));
        // Another browser, because a use would be recorded.
        let status = browser.call(reqwest::Method::GET, "/web/auth/session");
        let (place_two, app_two) = host_with(|config| config).await;
        let unused = logged_in(&app_two, remember).await;
        place_two.clock.set(at(idle));
        assert_eq!(status.await.body["authenticated"], json!(true), "{remember}");
        assert!(!unused.is_logged_in().await, "{remember}");
        place_two.clock.set(at(idle + DAY));
        assert!(!unused.is_logged_in().await, "{remember}");
    }
}

#[tokio::test]
async fn a_session_that_is_used_every_minute_ends_after_a_day() {
    let (place, app) = host_with(|config| config).await;
    let browser = logged_in(&app, false).await;
    for minute in 1..24 * 60 {
        place.clock.set(at(minute * MINUTE));
        let is_alive = browser.call(reqwest::Method::GET, "/claims").await.status == 200;
        assert!(is_alive, "after {minute} minutes");
        if minute % 60 == 0 {
            assert!(used(&place, &browser, 300).await);
            // Cookies that replace others do not make it longer.
            browser.confirm().await;
        }
    }
    place.clock.set(at(DAY) - Duration::from_millis(1));
    assert!(browser.is_logged_in().await);
    place.clock.set(at(DAY));
    assert!(!browser.is_logged_in().await);
}

#[tokio::test]
async fn a_remembered_session_that_is_used_every_day_ends_after_30_days() {
    let (place, app) = host_with(|config| config).await;
    let browser = logged_in(&app, true).await;
    for day in 1..30 {
        place.clock.set(at(day * DAY));
        assert!(used(&place, &browser, 300).await, "{day}");
        browser.restart();
        browser.confirm().await;
    }
    place.clock.set(at(30 * DAY) - Duration::from_millis(1));
    assert!(browser.is_logged_in().await);
    place.clock.set(at(30 * DAY));
    // The browser has dropped the cookie itself, and the row ends a copy of it.
    assert_eq!(browser.names(), [""; 0]);
    let copy = Browser::new(&app);
    copy.plant(super::browser::SESSION, &browser.session());
    assert!(!copy.is_logged_in().await);
}

#[tokio::test]
async fn a_session_that_is_not_remembered_is_gone_when_the_browser_closes() {
    let (_place, app) = host_with(|config| config).await;
    let (session, remembered) = (logged_in(&app, false).await, logged_in(&app, true).await);
    session.confirm().await;
    remembered.confirm().await;
    session.restart();
    remembered.restart();
    assert!(!session.is_logged_in().await && remembered.is_logged_in().await);
    remembered.change_password(crate::support::PASSWORD, "a new password for all").await;
    remembered.restart();
    assert!(remembered.is_logged_in().await);
}

/// The use is recorded after half of the idle lifetime, even if `touch_interval` is longer.
#[tokio::test]
async fn a_short_idle_lifetime_works_with_a_long_touch_interval() {
    let mut sessions = SessionOptions::default();
    sessions.touch_interval = Duration::from_secs(HOUR);
    let browsers = BrowserOptions::default().idle_lifetime(Duration::from_secs(15 * MINUTE));
    let (place, app) = host_with(|config| config.sessions(sessions).browser(browsers)).await;
    let browser = logged_in(&app, false).await;
    for minute in 1..=10 * 60 {
        place.clock.set(at(minute * MINUTE));
        assert!(used(&place, &browser, 450).await, "after {minute} minutes");
    }
    // The last use that was recorded is less than half of the idle lifetime ago.
    place.clock.set(at(10 * HOUR + 7 * MINUTE));
    assert!(browser.is_logged_in().await);
    place.clock.set(at(10 * HOUR + 23 * MINUTE));
    assert!(!browser.is_logged_in().await);
}

/// At the host's routes and at the module's.
#[tokio::test]
async fn every_use_counts_as_one() {
    for path in ["/me", "/claims", "/optional", "/page", "/web/auth/session", "/web/auth/user/sessions"] {
        let (place, app) = host_with(|config| config).await;
        let browser = logged_in(&app, false).await;
        place.clock.set(at(7 * HOUR));
        browser.get(path).await.expect(200);
        let id = browser.session_id();
        let used_at = place.clock.now();
        while place.sessions().await.find(&id).await.ok().flatten().unwrap().last_used_at < used_at {
            tokio::task::yield_now().await;
        }
        place.clock.set(at(14 * HOUR));
        assert!(browser.is_logged_in().await, "{path}");
    }
}

#[tokio::test]
async fn the_lifetimes_are_those_of_the_configuration() {
    let seconds = Duration::from_secs;
    let options = BrowserOptions::default()
        .idle_lifetime(seconds(HOUR))
        .session_lifetime(seconds(2 * HOUR))
        .remembered_idle_lifetime(seconds(3 * HOUR))
        .remembered_lifetime(seconds(4 * HOUR));
    for (remember, idle, lifetime) in [(false, HOUR, 2 * HOUR), (true, 3 * HOUR, 4 * HOUR)] {
        let (place, app) = host_with(|config| config.browser(options.clone())).await;
        let browser = logged_in(&app, remember).await;
        place.clock.set(at(idle - 1));
        assert!(used(&place, &browser, 300).await);
        place.clock.set(at(lifetime - 2));
        assert!(browser.is_logged_in().await);
        place.clock.set(at(lifetime));
        assert!(!browser.is_logged_in().await);

        let (place, app) = host_with(|config| config.browser(options.clone())).await;
        let browser = logged_in(&app, remember).await;
        place.clock.set(at(idle));
        assert!(!browser.is_logged_in().await);
    }
}

#[tokio::test]
async fn the_session_status_says_when_the_session_ends() {
    for (remember, after, expires_at) in [
        // The idle end is the earlier one, then the absolute end.
        (false, 0, "2026-01-01T08:00:00Z"),
        (false, 7 * HOUR, "2026-01-01T15:00:00Z"),
        (true, 0, "2026-01-08T00:00:00Z"),
        (true, 6 * DAY, "2026-01-14T00:00:00Z"),
    ] {
        let (place, app) = host_with(|config| config).await;
        let browser = logged_in(&app, remember).await;
        place.clock.set(at(after));
        assert!(used(&place, &browser, 300).await);
        let status = browser.session_status().await;
        assert_eq!(status["expiresAt"], json!(expires_at), "{remember} {after}");
        let list = browser.get("/web/auth/user/sessions").await.expect(200);
        assert_eq!(list.body["sessions"][0]["expiresAt"], json!(expires_at));
    }
    let (place, app) = host_with(|config| config).await;
    let browser = logged_in(&app, false).await;
    for hour in [7, 14, 20] {
        place.clock.set(at(hour * HOUR));
        assert!(used(&place, &browser, 300).await);
    }
    assert_eq!(browser.session_status().await["expiresAt"], json!("2026-01-02T00:00:00Z"));
}

/// Bearer sessions have their own lifetimes.
#[tokio::test]
async fn the_options_of_browsers_change_nothing_for_bearer_sessions() {
    let (place, app) = host_with(|config| config).await;
    let tokens = app.register(EMAIL).await;
    place.clock.set(at(2 * DAY));
    let tokens = app.refresh(&tokens.refresh).await.expect(200).tokens();
    app.me(&tokens.access).await.expect(200);
}
