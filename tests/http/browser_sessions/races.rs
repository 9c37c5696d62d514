//! Requests of one browser at once, while its cookie is replaced: in memory and in each kind of database, on all
//! threads.

use super::browser::{Browser, SESSION};
use super::host::{no_limits, with_pages};
use crate::support::authenticator::Enrolled;
use crate::support::places::{Place, in_every_place};
use crate::support::{App, Call, PASSWORD, at_once};
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::events::{EventKind, SessionEnd};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

in_every_place![
    thirty_tabs_stay_logged_in_across_the_replacement_of_the_cookie,
    thirty_confirmations_at_once_leave_a_session_that_works,
    a_confirmation_that_overlaps_a_password_change_leaves_no_cookie_from_before,
    a_confirmation_that_overlaps_a_reset_leaves_no_session,
    a_confirmation_that_overlaps_a_logout_brings_nothing_back,
    thirty_first_uses_of_a_cookie_end_its_predecessor_once,
    thirty_logins_of_one_browser_end_its_session_once,
    thirty_uses_of_one_challenge_start_one_session,
];

const TABS: usize = 30;
const NEW: &str = "a new password for all";

async fn host(place: &Place) -> Arc<App> {
    let app = place.start_with(|config| config.limits(no_limits()).password_queue(1000));
    with_pages(app.await).await
}

/// Every round has its own account.
async fn registered(app: &Arc<App>, round: usize) -> Browser {
    let browser = Browser::new(app);
    browser.register(&address(round)).await;
    browser
}

fn address(round: usize) -> String {
    format!("user{round}@example.com")
}

/// Sends all of these at once, and keeps the cookies of each response when it arrives.
async fn race(browser: &Browser, calls: impl IntoIterator<Item = Call>) -> Vec<u16> {
    let send = |call: Call| {
        let browser = browser.clone();
        async move {
            let answer = browser.keep(call.await);
            assert!(answer.status < 500, "{}", answer.text);
            answer.status
        }
    };
    at_once(calls.into_iter().map(send).collect::<Vec<_>>()).await
}

async fn thirty_tabs_stay_logged_in_across_the_replacement_of_the_cookie(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(48) {
        let browser = registered(&app, round).await;
        let tab = |index: usize| {
            let (browser, confirms) = (browser.clone(), index == round % TABS);
            async move {
                let mut statuses = Vec::new();
                for request in 0..4 {
                    if confirms && request == 1 {
                        browser.confirm().await;
                    }
                    let path =
                        ["/me", "/claims", "/web/auth/user/sessions", "/optional"][(index + request) % 4];
                    let answer = browser.get(path).await;
                    statuses.push((answer.status, answer.text == "nobody"));
                }
                statuses
            }
        };
        let statuses = at_once((0..TABS).map(tab).collect::<Vec<_>>()).await.concat();
        assert!(statuses.iter().all(|status| *status == (200, false)), "{statuses:?}");
        assert_eq!(browser.number(), 1);
        assert!(browser.is_logged_in().await);
        app.advance(11);
        assert!(browser.is_logged_in().await);
        browser.get("/confirmed").await.expect(200);
    }
}

async fn thirty_confirmations_at_once_leave_a_session_that_works(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(24) {
        let browser = registered(&app, round).await;
        let first = browser.session();
        let calls: Vec<_> = (0..TABS).map(|_| browser.confirm_call()).collect();
        let statuses = race(&browser, calls).await;
        assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
        // Whichever response was the last one: its cookie works, and so does the next confirmation.
        assert_ne!(browser.session(), first);
        assert!(browser.is_logged_in().await);
        app.advance(11);
        assert!(browser.is_logged_in().await);
        browser.confirm().await;
        browser.get("/confirmed").await.expect(200);
        app.advance(11);
        assert!(browser.is_logged_in().await);
    }
}

/// Whoever has the previous cookie and the previous password: no cookie from that works after the change.
async fn a_confirmation_that_overlaps_a_password_change_leaves_no_cookie_from_before(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(200) {
        let owner = registered(&app, round).await;
        let thief = owner.copy();
        let crowd = if round.is_multiple_of(10) { TABS } else { 4 };
        let confirm = |index: usize| {
            // Each in a browser of its own, so that every cookie is kept.
            let thief = thief.copy();
            let call = thief.confirm_call();
            (index, thief, call)
        };
        let confirmations: Vec<_> = (1..crowd).map(confirm).collect();
        let thieves: Vec<_> = confirmations.iter().map(|(_, thief, _)| thief.clone()).collect();
        let mut calls: Vec<_> = confirmations.into_iter().map(|(_, thief, call)| (thief, call)).collect();
        let change = (owner.clone(), owner.change_password_call(PASSWORD, NEW));
        calls.insert(round % 2 * calls.len(), change);
        let send = |(browser, call): (Browser, Call)| async move { browser.keep(call.await).status };
        let statuses = at_once(calls.into_iter().map(send).collect::<Vec<_>>()).await;
        assert!(statuses.iter().all(|status| [200, 401, 422].contains(status)), "{statuses:?}");
        for thief in &thieves {
            assert!(!thief.is_logged_in().await, "round {round}: number {}", thief.number());
        }
        assert!(!thief.is_logged_in().await && owner.is_logged_in().await, "round {round}");
        let list = owner.get("/web/auth/user/sessions").await.expect(200);
        assert_eq!(list.body["sessions"].as_array().unwrap().len(), 1);
    }
}

async fn a_confirmation_that_overlaps_a_reset_leaves_no_session(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(100) {
        let email = address(round);
        let thief = registered(&app, round).await;
        app.post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
        let token = app.outbox.next::<PasswordResetMessage>().await.token;
        let body = json!({ "email": email, "token": token, "password": NEW, "passwordConfirmation": NEW });
        let mut calls = vec![
            thief.confirm_call(),
            thief.change_password_call(PASSWORD, "the thief's new password"),
            thief.confirm_call(),
        ];
        let reset = app.post("/web/auth/reset-password").header("sec-fetch-site", "none").json(&body);
        calls.insert(round % 4, reset);
        let statuses = race(&thief, calls).await;
        if statuses[round % 4] != 200 {
            // The thief's change came first and has deleted the token. The next one ends what the change has left.
            let change = if round % 4 <= 1 { 2 } else { 1 };
            assert_eq!((statuses[round % 4], statuses[change]), (422, 200), "{statuses:?}");
            app.post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
            let token = app.outbox.next::<PasswordResetMessage>().await.token;
            let body =
                json!({ "email": email, "token": token, "password": NEW, "passwordConfirmation": NEW });
            app.post("/auth/reset-password").json(&body).await.expect(200);
        }
        assert!(!thief.is_logged_in().await, "round {round}");
        let id = place.user(&email).await.id.to_string();
        assert!(place.rows(&id).await.is_empty(), "round {round}");
    }
}

async fn a_confirmation_that_overlaps_a_logout_brings_nothing_back(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(100) {
        let browser = registered(&app, round).await;
        let copy = browser.copy();
        let mut calls: Vec<_> = (0..3).map(|_| copy.confirm_call()).collect();
        let logout = browser.call(reqwest::Method::POST, "/web/auth/logout").json(&json!({}));
        calls.insert(round % 4, logout);
        race(&copy, calls).await;
        // A response that came after the logout may have set a cookie again. It is worthless.
        assert!(!copy.is_logged_in().await && !browser.is_logged_in().await, "round {round}");
        let id = place.user(&address(round)).await.id.to_string();
        assert!(place.rows(&id).await.is_empty(), "round {round}");
    }
}

async fn thirty_first_uses_of_a_cookie_end_its_predecessor_once(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(24) {
        let browser = registered(&app, round).await;
        let before = browser.copy();
        browser.confirm().await;
        let calls: Vec<_> = (0..TABS)
            .map(|index| {
                let of = if index % 3 == 0 { &before } else { &browser };
                of.call(reqwest::Method::GET, ["/me", "/claims"][index % 2])
            })
            .collect();
        let statuses = race(&browser, calls).await;
        assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
        app.advance(9);
        assert!(before.is_logged_in().await);
        app.advance(1);
        assert!(!before.is_logged_in().await && browser.is_logged_in().await);
    }
}

async fn thirty_logins_of_one_browser_end_its_session_once(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(16) {
        let browser = registered(&app, round).await;
        let before = browser.copy();
        let body = json!({ "email": address(round), "password": PASSWORD });
        let calls: Vec<_> =
            (0..TABS).map(|_| browser.call(reqwest::Method::POST, "/web/auth/login").json(&body)).collect();
        let statuses = race(&browser, calls).await;
        assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
        assert!(!before.is_logged_in().await && browser.is_logged_in().await);
        let (mut ended, mut started) = (Vec::new(), 0);
        while started < TABS {
            match app.event().await.kind {
                EventKind::Login { .. } => started += 1,
                EventKind::SessionEnded { session_id, reason } => ended.push((session_id, reason)),
                _ => {}
            }
        }
        assert_eq!(ended, [(before.session_id(), SessionEnd::Superseded)]);
    }
}

async fn thirty_uses_of_one_challenge_start_one_session(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(16) {
        let email = address(round);
        let Enrolled { authenticator, .. } = app.enrolled(&email).await;
        let browser = Browser::new(&app);
        browser.log_in(&email).await;
        let code = json!({ "code": authenticator.code(&app) });
        let calls: Vec<_> = (0..TABS)
            .map(|_| browser.call(reqwest::Method::POST, "/web/auth/two-factor-challenge").json(&code))
            .collect();
        let statuses = race(&browser, calls).await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(browser.names(), [SESSION]);
        let id = place.user(&email).await.id.to_string();
        let kinds: BTreeSet<_> = place.rows(&id).await.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!((place.rows(&id).await.len(), kinds.len()), (2, 2));
        app.next_step();
    }
}
