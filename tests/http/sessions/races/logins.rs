//! Logins against changes of the password, against each other, and against the limit of sessions.

use super::{NEW, ROUNDS, address, change, host, host_with, nothing_works, race, racers, refresh, user_id};
use crate::support::places::{Place, in_every_place};
use crate::support::{EMAIL, PASSWORD};
use axum_auth_module::config::SessionOptions;

in_every_place![
    on_both_routers:
    a_login_that_overlaps_a_change_never_starts_a_session_under_the_old_password,
    hashing_a_password_again_ends_no_session,
];
in_every_place![
    parallel_logins_respect_a_maximum_of_one_session,
    parallel_logins_respect_a_maximum_of_fifty_sessions,
];

async fn a_login_that_overlaps_a_change_never_starts_a_session_under_the_old_password(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(ROUNDS) {
        let email = address(round);
        let tokens = app.register(&email).await;
        let mut calls: Vec<_> = (1..racers(round)).map(|_| app.login_call(&email, PASSWORD)).collect();
        // Either can be sent first.
        let position = round % 2 * calls.len();
        calls.insert(position, change(&app, &tokens, PASSWORD, NEW));
        let mut responses = race(calls).await;
        let changed = responses.remove(position).expect(200).tokens();
        nothing_works(&app, &responses).await;
        app.me(&changed.access).await.expect(200);
        assert_eq!(place.rows(&user_id(&tokens)).await.len(), 1, "round {round}");
    }
}

/// The host raises the cost of its hashes and is restarted.
async fn hashing_a_password_again_ends_no_session(place: &Place) {
    let before = host_with(place, |config| config.bcrypt_cost(4)).await;
    let after = host_with(place, |config| config.bcrypt_cost(5)).await;
    for round in 0..place.rounds(40) {
        let email = address(round);
        let mut alive = vec![before.register(&email).await, before.login(&email).await];
        for response in race((0..racers(round)).map(|_| after.login_call(&email, PASSWORD))).await {
            alive.push(response.expect(200).tokens());
        }
        let hash = place.user(&email).await.password;
        assert!(hash.starts_with("$2b$05$"), "{hash}");
        for tokens in &alive {
            after.me(&tokens.access).await.expect(200);
            refresh(&after, tokens).await.expect(200);
        }
    }
}

async fn parallel_logins_respect_a_maximum_of_one_session(place: &Place) {
    parallel_logins_respect(place, 1).await;
}

async fn parallel_logins_respect_a_maximum_of_fifty_sessions(place: &Place) {
    parallel_logins_respect(place, 50).await;
}

async fn parallel_logins_respect(place: &Place, max_per_user: usize) {
    let mut options = SessionOptions::default();
    options.max_per_user = max_per_user;
    let app = host_with(place, |config| config.sessions(options)).await;
    let first = app.register(EMAIL).await;
    for _ in 0..place.rounds(16).max(3) {
        app.advance(1);
        for response in race((0..30).map(|_| app.login_call(EMAIL, PASSWORD))).await {
            response.expect(200);
        }
        let alive = place.rows("1").await.len();
        assert!((1..=max_per_user).contains(&alive), "{alive} sessions");
    }
    app.is_over(&first).await;
    // One after the other, each login ends exactly one other session.
    let alive = place.rows("1").await.len();
    app.advance(1);
    let newest = app.login(EMAIL).await;
    assert_eq!(place.rows("1").await.len(), max_per_user.min(alive + 1));
    app.me(&newest.access).await.expect(200);
}
