//! `VerifiedUser` and `ConfirmedUser` on the host's own routes. `CurrentUser` and `Claims` are in `tokens`.

use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD};
use axum_auth_module::clock::Clock;
use axum_auth_module::delivery::EmailVerificationMessage;
use serde_json::json;
use std::time::{Duration, UNIX_EPOCH};

on_both_routers![
    a_route_for_verified_users_waits_for_the_verification,
    a_route_for_confirmed_users_waits_for_the_password,
    a_confirmation_counts_in_the_session_that_made_it,
    a_confirmation_counts_for_fifteen_minutes,
    a_host_can_take_a_confirmation_back_and_not_make_one_up,
    a_confirmation_of_before_an_end_of_the_session_is_gone_with_it,
    every_extractor_asks_who_it_is_first,
];

async fn a_route_for_verified_users_waits_for_the_verification() {
    let app = App::with_addresses_of_profiles().await;
    let tokens = app.register(EMAIL).await;
    let verified = || app.get("/verified").bearer(&tokens.access);
    verified().await.refused(403, "email_not_verified");
    app.post("/auth/email/verification-notification").bearer(&tokens.access).await.expect(200);
    let link = app.outbox.next::<EmailVerificationMessage>().await.data.path("/auth");
    app.get(&link).bearer(&tokens.access).await.expect(200);
    assert_eq!(verified().await.expect(200).text, EMAIL);
    let profile = json!({ "name": "Ada", "email": "lovelace@example.com" });
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&profile).await.expect(200);
    verified().await.refused(403, "email_not_verified");
}

async fn a_route_for_confirmed_users_waits_for_the_password() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    let confirmed = || app.get("/confirmed").bearer(&tokens.access);
    confirmed().await.refused(403, "password_confirmation_required");
    let wrong = app.post("/auth/user/confirm-password").bearer(&tokens.access);
    wrong.json(&json!({ "password": "wrong" })).await.refused(422, "incorrect_password");
    confirmed().await.refused(403, "password_confirmation_required");
    app.confirm_password(&tokens.access).await;
    assert_eq!(confirmed().await.expect(200).text, EMAIL);
    let renewed = app.renew(&tokens).await;
    app.get("/confirmed").bearer(&renewed.access).await.expect(200);
}

async fn a_confirmation_counts_in_the_session_that_made_it() {
    let app = App::start().await;
    let (first, second) = (app.register(EMAIL).await, app.login(EMAIL).await);
    app.confirm_password(&first.access).await;
    app.get("/confirmed").bearer(&second.access).await.refused(403, "password_confirmation_required");
    app.confirm_password(&second.access).await;
    app.get("/confirmed").bearer(&first.access).await.expect(200);
    app.get("/confirmed").bearer(&second.access).await.expect(200);
}

async fn a_confirmation_counts_for_fifteen_minutes() {
    let app = App::start().await;
    // Times are stored in whole seconds: begin with one.
    let second = app.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    app.clock.set(UNIX_EPOCH + Duration::from_secs(second));
    let tokens = app.register(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    app.clock.advance(Duration::from_millis(899_999));
    app.get("/confirmed").bearer(&tokens.access).await.expect(200);
    app.clock.advance(Duration::from_millis(1));
    let tokens = app.renew(&tokens).await;
    app.get("/confirmed").bearer(&tokens.access).await.refused(403, "password_confirmation_required");
    app.confirm_password(&tokens.access).await;
    app.get("/confirmed").bearer(&tokens.access).await.expect(200);
}

async fn a_host_can_take_a_confirmation_back_and_not_make_one_up() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    let confirmed = || app.get("/confirmed").bearer(&tokens.access);
    let now = app.clock.now();
    app.users.update(EMAIL, |user| user.password_confirmed_at = Some(now));
    confirmed().await.refused(403, "password_confirmation_required");
    app.confirm_password(&tokens.access).await;
    for taken_back in [None, Some(now + Duration::from_secs(3600)), Some(UNIX_EPOCH)] {
        app.users.update(EMAIL, |user| user.password_confirmed_at = taken_back);
        confirmed().await.refused(403, "password_confirmation_required");
    }
}

async fn a_confirmation_of_before_an_end_of_the_session_is_gone_with_it() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    app.post("/auth/logout").bearer(&tokens.access).await.expect(200);
    app.get("/confirmed").bearer(&tokens.access).await.refused(401, "unauthenticated");
    let next = app.login_call(EMAIL, PASSWORD).await.expect(200).tokens();
    app.get("/confirmed").bearer(&next.access).await.refused(403, "password_confirmation_required");
}

async fn every_extractor_asks_who_it_is_first() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    app.users.update(EMAIL, |user| user.email_verified_at = Some(UNIX_EPOCH));
    for path in ["/me", "/verified", "/confirmed", "/claims"] {
        app.get(path).await.refused(401, "unauthenticated");
        app.get(path).bearer("x").await.refused(401, "unauthenticated");
        app.get(path).bearer(&tokens.refresh).await.refused(401, "unauthenticated");
        app.get(path).bearer(&tokens.access).await.expect(200);
    }
    app.users.update(EMAIL, |user| user.active = false);
    for path in ["/me", "/verified", "/confirmed"] {
        app.get(path).bearer(&tokens.access).await.refused(401, "unauthenticated");
    }
    app.users.remove(EMAIL);
    for path in ["/me", "/verified", "/confirmed"] {
        app.get(path).bearer(&tokens.access).await.refused(401, "unauthenticated");
    }
}
