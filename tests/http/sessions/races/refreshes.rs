//! Refreshes against each other and against everything that ends their session.

use super::{address, host, nothing_works, race, racers, refresh, session_id, user_id};
use crate::support::places::{Place, in_every_place};
use crate::support::{App, Call, Tokens, at_once, forge};
use std::collections::BTreeSet;

in_every_place![thirty_refreshes_of_one_token_are_one_chain];
in_every_place![
    on_both_routers:
    a_refresh_that_overlaps_a_logout_brings_nothing_back,
    a_refresh_that_overlaps_a_revocation_brings_nothing_back,
    a_refresh_that_overlaps_the_revocation_of_all_others_brings_nothing_back,
    a_refresh_that_overlaps_an_administrator_brings_nothing_back,
];

async fn a_refresh_that_overlaps_a_logout_brings_nothing_back(place: &Place) {
    nothing_comes_back(place, |app, _, stolen| app.post("/auth/logout").bearer(&stolen.access)).await;
}

async fn a_refresh_that_overlaps_a_revocation_brings_nothing_back(place: &Place) {
    nothing_comes_back(place, |app, own, stolen| {
        app.delete(&format!("/auth/user/sessions/{}", session_id(stolen))).bearer(&own.access)
    })
    .await;
}

async fn a_refresh_that_overlaps_the_revocation_of_all_others_brings_nothing_back(place: &Place) {
    nothing_comes_back(place, |app, own, _| app.delete("/auth/user/sessions").bearer(&own.access)).await;
}

/// One request that ends the session, and refreshes of it.
async fn nothing_comes_back(place: &Place, revoke: impl Fn(&App, &Tokens, &Tokens) -> Call) {
    let app = host(place).await;
    for round in 0..place.rounds(96) {
        let email = address(round);
        let own = app.confirmed_session(&email).await;
        let stolen = app.login(&email).await;
        let mut calls: Vec<_> = (1..racers(round)).map(|_| refresh(&app, &stolen)).collect();
        let position = round % 2 * calls.len();
        calls.insert(position, revoke(&app, &own, &stolen));
        let mut responses = race(calls).await;
        responses.remove(position).expect(200);
        let refusal = if app.is_for_browsers() { "unauthenticated" } else { "invalid_refresh_token" };
        for response in responses.iter().filter(|response| response.status != 200) {
            assert_eq!(response.code(), refusal, "{}", response.text);
        }
        nothing_works(&app, &responses).await;
        app.is_over(&stolen).await;
        let rows = place.rows(&user_id(&own)).await;
        assert!(rows.iter().all(|row| row.id != session_id(&stolen)), "round {round}");
        app.me(&own.access).await.expect(200);
    }
}

async fn a_refresh_that_overlaps_an_administrator_brings_nothing_back(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(96) {
        let stolen = app.register(&address(round)).await;
        let (auth, id) = (app.auth.clone(), user_id(&stolen).parse().unwrap());
        let end = tokio::spawn(async move { auth.admin().end_all_sessions(&id).await.unwrap() });
        let refreshes = (1..racers(round)).map(|_| refresh(&app, &stolen).into_future());
        let responses = at_once(refreshes.collect::<Vec<_>>()).await;
        assert_eq!(end.await.unwrap(), 1);
        nothing_works(&app, &responses).await;
        app.is_over(&stolen).await;
        assert!(place.rows(&user_id(&stolen)).await.is_empty(), "round {round}");
    }
}

async fn thirty_refreshes_of_one_token_are_one_chain(place: &Place) {
    let app = host(place).await;
    let tokens = app.register(&address(0)).await;
    let mut newest = tokens;
    for _ in 0..place.rounds(32) {
        let mut successors: Vec<_> = Vec::new();
        for response in race((0..30).map(|_| refresh(&app, &newest))).await {
            successors.push(response.expect(200).tokens());
        }
        let number = |tokens: &Tokens| forge::claims(&tokens.refresh)["rotation"].as_u64();
        let numbers: BTreeSet<_> = successors.iter().map(number).collect();
        assert_eq!(numbers.len(), 1, "each is the successor of the same token");
        newest = successors.remove(0);
    }
    assert_eq!(place.rows("1").await.len(), 1);
}
