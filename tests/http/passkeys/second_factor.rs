//! A passkey at the challenge after a sign-in.

use super::PATH;
use crate::support::passkeys::{passkey, proof, with_second_factor};
use crate::support::routers::on_both_routers;
use crate::support::{App, Call, EMAIL, PASSWORD, at_once};
use axum_auth_module::events::EventKind;
use serde_json::{Value, json};

on_both_routers![
    a_passkey_completes_a_challenge,
    a_key_without_a_pin_completes_a_challenge,
    a_user_without_a_passkey_is_not_asked_for_one,
    a_challenge_takes_one_of_a_code_and_a_passkey,
    a_wrong_passkey_is_a_try_and_a_wrong_flow_token_is_none,
    a_passkey_of_somebody_else_completes_no_challenge,
    the_options_are_of_one_challenge,
    a_passkey_that_was_removed_completes_no_challenge,
];

on_both_routers![threads: of_thirty_passkeys_at_one_challenge_one_signs_in];

const CHALLENGE: &str = "/auth/two-factor-challenge";
const OPTIONS: &str = "/auth/two-factor-challenge/passkey-options";

async fn begun(app: &App, challenge: &str) -> Value {
    app.post(OPTIONS).challenge(challenge, json!({})).await.expect(200).body
}

fn complete(app: &App, challenge: &str, body: Value) -> Call {
    app.post(CHALLENGE).challenge(challenge, body)
}

async fn a_passkey_completes_a_challenge() {
    let (app, mut passkey) = (App::with_everything().await, passkey());
    with_second_factor(&app, EMAIL, &mut passkey).await;
    let answer = app.login_call(EMAIL, PASSWORD).await.expect(200);
    assert_eq!(answer.body["methods"], json!(["totp", "recovery_code", "passkey"]));
    let challenge = answer.challenge().unwrap();
    let begun = begun(&app, &challenge).await;
    assert_eq!(begun["options"]["userVerification"], "discouraged");
    assert_eq!(begun["options"]["allowCredentials"][0]["id"], passkey.credential_id());
    assert_eq!(begun["expiresIn"], 300);
    let timeout = begun["options"]["timeout"].as_u64().unwrap();
    assert!((299_001..=300_000).contains(&timeout), "{timeout}");
    let body = proof(&begun, passkey.sign_in(&begun["options"]));
    let tokens = complete(&app, &challenge, body.clone()).await.expect(200).tokens();
    app.get("/assured/phr").bearer(&tokens.access).await.expect(200);
    complete(&app, &challenge, body).await.refused(401, "invalid_challenge_token");
    let methods = loop {
        if let EventKind::Login { methods, .. } = app.event().await.kind
            && methods.as_str().contains("pop")
        {
            break methods;
        }
    };
    assert_eq!(methods.as_str(), "pwd pop mfa");
}

async fn a_key_without_a_pin_completes_a_challenge() {
    let app = App::with_everything().await;
    let mut passkey = passkey();
    with_second_factor(&app, EMAIL, &mut passkey).await;
    let challenge = app.challenge_token(EMAIL).await;
    let begun = begun(&app, &challenge).await;
    let touched = passkey.sign_in_altered(&begun["options"], |_, data| data[32] &= !4);
    let tokens = complete(&app, &challenge, proof(&begun, touched)).await.expect(200).tokens();
    app.get("/assured/phr").bearer(&tokens.access).await.expect(200);
    app.get("/confirmed").bearer(&tokens.access).await.refused(403, "password_confirmation_required");
}

async fn a_user_without_a_passkey_is_not_asked_for_one() {
    let app = App::with_everything().await;
    app.enrolled(EMAIL).await;
    let answer = app.login_call(EMAIL, PASSWORD).await.expect(200);
    assert_eq!(answer.body["methods"], json!(["totp", "recovery_code"]));
    let challenge = answer.challenge().unwrap();
    app.post(OPTIONS).challenge(&challenge, json!({})).await.refused(404, "not_found");
    app.post(OPTIONS).challenge("text", json!({})).await.refused(401, "invalid_challenge_token");
}

async fn a_challenge_takes_one_of_a_code_and_a_passkey() {
    let (app, mut passkey) = (App::with_everything().await, passkey());
    let enrolled = with_second_factor(&app, EMAIL, &mut passkey).await;
    let challenge = app.challenge_token(EMAIL).await;
    let begun = begun(&app, &challenge).await;
    let right = proof(&begun, passkey.sign_in(&begun["options"]));
    let mut both = right.clone();
    both["code"] = enrolled.authenticator.code(&app).into();
    assert_eq!(complete(&app, &challenge, both).await.field_errors(), ["credential: conflict"]);
    let mut both = right.clone();
    both["recoveryCode"] = "a".into();
    assert_eq!(complete(&app, &challenge, both).await.field_errors(), ["credential: conflict"]);
    let alone = json!({ "credential": right["credential"] });
    assert_eq!(complete(&app, &challenge, alone).await.field_errors(), ["flowToken: required"]);
    let wrong = json!({ "credential": "text", "flowToken": right["flowToken"] });
    assert_eq!(complete(&app, &challenge, wrong).await.field_errors(), ["credential: wrong_type"]);
    assert_eq!(complete(&app, &challenge, json!({})).await.field_errors(), ["code: required"]);
    complete(&app, &challenge, right).await.expect(200);
}

async fn a_wrong_passkey_is_a_try_and_a_wrong_flow_token_is_none() {
    let (app, mut passkey) = (App::with_everything().await, passkey());
    with_second_factor(&app, EMAIL, &mut passkey).await;
    let challenge = app.challenge_token(EMAIL).await;
    let begun = begun(&app, &challenge).await;
    let right = proof(&begun, passkey.sign_in(&begun["options"]));
    for _ in 0..6 {
        let unopened = json!({ "flowToken": "fl1.", "credential": right["credential"] });
        complete(&app, &challenge, unopened).await.refused(422, "invalid_flow_token");
    }
    for _ in 0..5 {
        let wrong = json!({ "flowToken": right["flowToken"], "credential": {} });
        complete(&app, &challenge, wrong).await.refused(422, "invalid_passkey");
    }
    app.advance(60);
    complete(&app, &challenge, right).await.refused(401, "invalid_challenge_token");
    while app.event().await.name() != "auth.two-factor-failed" {}
}

async fn a_passkey_of_somebody_else_completes_no_challenge() {
    let (app, mut own, mut others) = (App::with_everything().await, passkey(), passkey());
    with_second_factor(&app, EMAIL, &mut own).await;
    with_second_factor(&app, "bob@example.com", &mut others).await;
    let challenge = app.challenge_token(EMAIL).await;
    let begun = begun(&app, &challenge).await;
    let mut unknown = passkey();
    unknown.register(&json!({ "challenge": "AA", "rp": { "id": "example.com" }, "user": { "id": "AQ" } }));
    for other in [&mut others, &mut unknown] {
        let body = proof(&begun, other.sign_in(&begun["options"]));
        complete(&app, &challenge, body).await.refused(422, "invalid_passkey");
    }
    let body = proof(&begun, own.sign_in(&begun["options"]));
    complete(&app, &challenge, body).await.expect(200);
}

async fn the_options_are_of_one_challenge() {
    let (app, mut passkey) = (App::with_everything().await, passkey());
    let enrolled = with_second_factor(&app, EMAIL, &mut passkey).await;
    let (one, other) = (app.challenge_token(EMAIL).await, app.challenge_token(EMAIL).await);
    let begun = begun(&app, &one).await;
    let body = proof(&begun, passkey.sign_in(&begun["options"]));
    complete(&app, &other, body.clone()).await.refused(422, "invalid_flow_token");
    app.passkey_login(&body).await.refused(422, "invalid_flow_token");
    app.advance(300);
    complete(&app, &one, body).await.refused(401, "invalid_challenge_token");
    app.post(OPTIONS).challenge(&one, json!({})).await.refused(401, "invalid_challenge_token");
    drop(enrolled);
}

async fn a_passkey_that_was_removed_completes_no_challenge() {
    let (app, mut passkey) = (App::with_everything().await, passkey());
    let enrolled = with_second_factor(&app, EMAIL, &mut passkey).await;
    let challenge = app.challenge_token(EMAIL).await;
    let begun = begun(&app, &challenge).await;
    let body = proof(&begun, passkey.sign_in(&begun["options"]));
    let listed = app.passkeys(&enrolled.tokens.access).await;
    let path = format!("{PATH}/{}", listed["passkeys"][0]["id"].as_str().unwrap());
    app.delete(&path).bearer(&enrolled.tokens.access).await.expect(200);
    // The removal of a way in ends what is under way.
    complete(&app, &challenge, body).await.refused(401, "invalid_challenge_token");
}

async fn of_thirty_passkeys_at_one_challenge_one_signs_in() {
    let (app, mut passkey) = (App::with_everything().await, passkey());
    with_second_factor(&app, EMAIL, &mut passkey).await;
    let challenge = app.challenge_token(EMAIL).await;
    let begun = begun(&app, &challenge).await;
    let body = proof(&begun, passkey.sign_in(&begun["options"]));
    let answers = at_once((0..30).map(|_| complete(&app, &challenge, body.clone()).into_future())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
}
