//! A reset of the password against everything that somebody with a stolen session can do.

use super::{
    NEW, ROUNDS, address, change, host, nothing_works, race, racers, refresh, reset, reset_token, user_id,
};
use crate::support::places::{Place, in_every_place};
use crate::support::{App, Call, PASSWORD, Tokens};
use axum_auth_module::delivery::PasswordResetMessage;

in_every_place![
    on_both_routers:
    a_reset_leaves_no_session_of_a_password_change,
    a_reset_leaves_no_session_of_a_confirmed_second_factor,
    a_reset_leaves_no_session_of_a_disabled_second_factor,
    whatever_overlaps_an_administrator_who_requires_a_new_password_ends,
];

/// A session whose tokens are stolen, and the change of credentials that is made with them.
struct Attack<'a> {
    tokens: Tokens,
    change: Box<dyn Fn() -> Call + 'a>,
}

async fn a_reset_leaves_no_session_of_a_password_change(place: &Place) {
    let app = &host(place).await;
    for round in 0..place.rounds(ROUNDS) {
        let tokens = app.confirmed_session(&address(round)).await;
        let stolen = tokens.clone();
        let change = Box::new(move || change(app, &stolen, PASSWORD, "the thief's new password"));
        the_reset_wins(place, app, round, Attack { tokens, change }).await;
    }
}

async fn a_reset_leaves_no_session_of_a_confirmed_second_factor(place: &Place) {
    let app = &host(place).await;
    for round in 0..place.rounds(ROUNDS) {
        let tokens = app.confirmed_session(&address(round)).await;
        app.enable(&tokens.access).await.expect(200);
        let code = app.authenticator(&tokens.access).await.code(app);
        let access = tokens.access.clone();
        let change = Box::new(move || app.confirm_two_factor(&access, &code));
        the_reset_wins(place, app, round, Attack { tokens, change }).await;
    }
}

async fn a_reset_leaves_no_session_of_a_disabled_second_factor(place: &Place) {
    let app = &host(place).await;
    for round in 0..place.rounds(ROUNDS) {
        let tokens = app.enrolled(&address(round)).await.tokens;
        app.confirm_password(&tokens.access).await;
        let access = tokens.access.clone();
        let change = Box::new(move || app.disable(&access));
        the_reset_wins(place, app, round, Attack { tokens, change }).await;
    }
}

/// Whatever comes first, no session from before the reset remains. A change of the credentials that comes first deletes the
/// token; the next one ends what the change has left.
async fn the_reset_wins(place: &Place, app: &App, round: usize, Attack { tokens, change }: Attack<'_>) {
    let email = address(round);
    let token = reset_token(app, &email).await;
    let attacks = (1..racers(round)).map(|racer| match racer % 3 {
        1 => change(),
        2 => app.login_call(&email, PASSWORD),
        _ => refresh(app, &tokens),
    });
    let mut calls: Vec<_> = attacks.collect();
    calls.insert(round % 2 * (calls.len() - 1), reset(app, &email, &token));
    let mut responses = race(calls).await;
    let first = responses.remove(round % 2 * (responses.len() - 2));
    if first.status != 200 {
        first.refused(422, "invalid_reset_token");
        let mut changes = responses.iter().step_by(3);
        assert!(changes.any(|change| change.status == 200), "round {round}");
        reset(app, &email, &reset_token(app, &email).await).await.expect(200);
    }
    for response in &responses {
        assert!(response.status < 500, "{}", response.text);
    }
    nothing_works(app, &responses).await;
    app.is_over(&tokens).await;
    assert!(place.rows(&user_id(&tokens)).await.is_empty(), "round {round}");
}

/// Logins, a change of the password, a reset with a token of before and an administrator who requires a new password, at once. Afterwards
/// nobody has a session or knows a password, and the token in the newest mail sets one.
async fn whatever_overlaps_an_administrator_who_requires_a_new_password_ends(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(96) {
        let email = address(round);
        let stolen = app.confirmed_session(&email).await;
        let stolen_mail = reset_token(&app, &email).await;
        let (auth, id) = (app.auth.clone(), user_id(&stolen).parse().unwrap());
        let require = tokio::spawn(async move { auth.admin().require_new_password(&id).await });
        let mut calls: Vec<_> = (2..racers(round)).map(|_| app.login_call(&email, PASSWORD)).collect();
        calls.push(change(&app, &stolen, PASSWORD, NEW));
        calls.push(reset(&app, &email, &stolen_mail));
        let responses = race(calls).await;
        require.await.unwrap().unwrap();
        nothing_works(&app, &responses).await;
        app.is_over(&stolen).await;
        assert!(place.rows(&user_id(&stolen)).await.is_empty(), "round {round}");
        for password in [PASSWORD, NEW] {
            app.login_call(&email, password).await.refused(401, "invalid_credentials");
        }
        reset(&app, &email, &stolen_mail).await.refused(422, "invalid_reset_token");
        app.auth.background_work_finished().await;
        let mail = app.outbox.take::<PasswordResetMessage>().unwrap();
        reset(&app, &email, &mail.token).await.expect(200);
        app.login_call(&email, NEW).await.expect(200);
    }
}
