//! Nobody cancels the owner's recovery: what somebody else can do in a session of the account, or without one, leaves the owner's
//! reset token alone.

use super::reset_password::{NEW, is_invalid, reset, token};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, forge};
use serde_json::json;

on_both_routers![
    disabling_a_second_factor_that_is_off_changes_ends_and_emits_nothing,
    the_credentials_of_a_change_that_changes_nothing_are_those_of_a_session_that_goes_on,
    a_change_of_the_second_factor_leaves_the_reset_token,
    a_change_of_the_password_ends_the_reset_token,
];

async fn disabling_a_second_factor_that_is_off_changes_ends_and_emits_nothing() {
    let app = App::with_everything().await;
    let (thief, owner) = (app.confirmed_session(EMAIL).await, app.login(EMAIL).await);
    let token = token(&app, &app.outbox, EMAIL).await;
    app.event_names::<2>().await;
    let mut thiefs = thief.clone();
    for _ in 0..3 {
        let answer = app.disable(&thiefs.access).await.expect(200);
        assert_eq!(answer.members_beside_the_session(), ["message"]);
        thiefs = answer.tokens();
    }
    app.me(&owner.access).await.expect(200);
    app.renew(&owner).await;
    reset(&app, EMAIL, &token, NEW).await.expect(200);
    app.is_over(&thiefs).await;
    assert_eq!(app.event().await.name(), "auth.password-reset");
}

/// The response has the members of a change. What it gives must work like the successor of a refresh, however often it is asked for,
/// and what the client has must not be taken for stolen at once.
async fn the_credentials_of_a_change_that_changes_nothing_are_those_of_a_session_that_goes_on() {
    let app = App::with_everything().await;
    let before = app.confirmed_session(EMAIL).await;
    let first = app.disable(&before.access).await.expect(200).tokens();
    // A client whose response was lost goes on with what it has.
    app.me(&before.access).await.expect(200);
    let renewed = app.renew(&before).await;
    let second = app.disable(&first.access).await.expect(200).tokens();
    for tokens in [&first, &renewed, &second] {
        app.me(&tokens.access).await.expect(200);
    }
    if !app.is_for_browsers() {
        assert_eq!(forge::claims(&second.access)["sid"], forge::claims(&before.access)["sid"]);
    }
    app.get("/confirmed").bearer(&second.access).await.expect(200);
    app.advance(11);
    let mut last = second;
    for _ in 0..3 {
        last = app.renew(&last).await;
        app.advance(11);
    }
    app.me(&last.access).await.expect(200);
    if !app.is_for_browsers() {
        // Its earlier tokens were used, as those before a refresh.
        app.refresh(&before.refresh).await.refused(401, "refresh_token_reused");
    }
}

async fn a_change_of_the_second_factor_leaves_the_reset_token() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    app.verify_address(EMAIL);
    let token = token(&app, &app.outbox, EMAIL).await;
    let thief = app.login(EMAIL).await;
    app.confirm_password(&thief.access).await;
    app.enable(&thief.access).await.expect(200);
    let code = app.authenticator(&thief.access).await.code(&app);
    let thief = app.confirm_two_factor(&thief.access, &code).await.expect(200).tokens();
    let thief = app.disable(&thief.access).await.expect(200).tokens();
    reset(&app, EMAIL, &token, NEW).await.expect(200);
    app.is_over(&thief).await;
}

async fn a_change_of_the_password_ends_the_reset_token() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    let token = token(&app, &app.outbox, EMAIL).await;
    let body = json!({ "currentPassword": PASSWORD, "password": PASSWORD, "passwordConfirmation": PASSWORD });
    app.put("/auth/user/password").bearer(&tokens.access).json(&body).await.expect(200);
    is_invalid(reset(&app, EMAIL, &token, NEW).await);
}
