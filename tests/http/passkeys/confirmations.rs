//! Confirming in a session with a passkey.

use super::with_passkey;
use crate::support::passkeys::{passkey, proof};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL};
use axum_auth_module::config::TwoFactorOptions;
use serde_json::json;

on_both_routers![
    a_passkey_confirms,
    a_passkey_that_verifies_nobody_confirms_nothing,
    a_confirmation_is_of_its_session_and_user,
    a_user_without_a_passkey_gets_no_options,
    a_passkey_counts_as_the_code,
];

const OPTIONS: &str = "/auth/user/confirm-passkey/options";
const CONFIRM: &str = "/auth/user/confirm-passkey";

async fn a_passkey_confirms() {
    let (app, _, mut passkey, _) = with_passkey().await;
    let tokens = app.login(EMAIL).await;
    app.get("/confirmed").bearer(&tokens.access).await.refused(403, "password_confirmation_required");
    let begun = app.passkey_options(OPTIONS, Some(&tokens.access)).await;
    assert_eq!(begun["options"]["userVerification"], "required");
    assert_eq!(begun["options"]["allowCredentials"][0]["id"], passkey.credential_id());
    let body = proof(&begun, passkey.sign_in(&begun["options"]));
    let answer = app.post(CONFIRM).bearer(&tokens.access).json(&body).await.expect(200);
    assert_eq!(answer.body["confirmed"], true);
    app.get("/confirmed").bearer(&tokens.access).await.expect(200);
    app.get("/assured/phr/300").bearer(&tokens.access).await.expect(200);
    app.post(CONFIRM).bearer(&tokens.access).json(&body).await.refused(422, "invalid_flow_token");
    app.advance(899);
    let tokens = app.renew(&tokens).await;
    app.get("/confirmed").bearer(&tokens.access).await.expect(200);
    app.advance(1);
    app.get("/confirmed").bearer(&tokens.access).await.refused(403, "password_confirmation_required");
}

async fn a_passkey_that_verifies_nobody_confirms_nothing() {
    let (app, _, mut passkey, _) = with_passkey().await;
    let tokens = app.login(EMAIL).await;
    let begun = app.passkey_options(OPTIONS, Some(&tokens.access)).await;
    let touched = passkey.sign_in_altered(&begun["options"], |_, data| data[32] &= !4);
    let call = app.post(CONFIRM).bearer(&tokens.access).json(&proof(&begun, touched));
    call.await.refused(422, "invalid_passkey");
    app.get("/confirmed").bearer(&tokens.access).await.refused(403, "password_confirmation_required");
}

async fn a_confirmation_is_of_its_session_and_user() {
    let (app, _, mut own, _) = with_passkey().await;
    let (tokens, other) = (app.login(EMAIL).await, app.login(EMAIL).await);
    let begun = app.passkey_options(OPTIONS, Some(&tokens.access)).await;
    let body = proof(&begun, own.sign_in(&begun["options"]));
    app.post(CONFIRM).bearer(&other.access).json(&body).await.refused(422, "invalid_flow_token");
    let bob = super::user(&app, "bob@example.com").await;
    let mut bobs = passkey();
    app.add_passkey(&bob.access, &mut bobs).await;
    let body = proof(&begun, bobs.sign_in(&begun["options"]));
    app.post(CONFIRM).bearer(&tokens.access).json(&body).await.refused(422, "invalid_passkey");
    app.advance(300);
    let body = proof(&begun, own.sign_in(&begun["options"]));
    app.post(CONFIRM).bearer(&tokens.access).json(&body).await.refused(422, "invalid_flow_token");
}

async fn a_user_without_a_passkey_gets_no_options() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    app.get(OPTIONS).bearer(&tokens.access).await.refused(404, "not_found");
    app.get(OPTIONS).await.refused(401, "unauthenticated");
    let status = app.get("/auth/user/confirmed-password-status").bearer(&tokens.access).await.expect(200);
    assert_eq!(status.body["methods"], json!(["password"]));
}

async fn a_passkey_counts_as_the_code() {
    let mut options = TwoFactorOptions::default();
    options.confirm_with_code = true;
    let app = App::with_everything_and(|config| config.two_factor(options), |module| module).await;
    let enrolled = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    let mut passkey = passkey();
    app.next_step();
    let tokens = enrolled.tokens;
    app.confirm_password(&tokens.access).await;
    app.add_passkey(&tokens.access, &mut passkey).await;
    let token = app.challenge_token(EMAIL).await;
    let tokens = app.challenge(&token, &enrolled.authenticator.code(&app)).await.expect(200).tokens();
    app.advance(890);
    let tokens = app.renew(&tokens).await;
    app.advance(11);
    let call = app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access);
    call.await.refused(403, "password_confirmation_required");
    let begun = app.passkey_options(OPTIONS, Some(&tokens.access)).await;
    let body = proof(&begun, passkey.sign_in(&begun["options"]));
    app.post(CONFIRM).bearer(&tokens.access).json(&body).await.expect(200);
    app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).await.expect(200);
}
