//! Errors of the server while a passkey is used: the flow token works again, unless what it was for may have happened.

use super::{PATH, user};
use crate::support::passkeys::{passkey, proof, with_second_factor};
use crate::support::places::Place;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, Tokens};
use axum_auth_module::testing::{Fault, Faults, ProviderMethod, SoftPasskey};
use serde_json::json;

on_both_routers![
    a_login_can_be_sent_again,
    an_addition_can_be_sent_again_until_the_passkey_is_written,
    a_confirmation_can_be_sent_again,
    an_answer_to_a_challenge_can_be_sent_again,
];

async fn start(passkey: &mut SoftPasskey) -> (App, Faults, Tokens) {
    let faults = Faults::new();
    let app = Place::memory().start_faulty(&faults, |config| config).await;
    let tokens = user(&app, EMAIL).await;
    app.add_passkey(&tokens.access, passkey).await;
    (app, faults, tokens)
}

async fn a_login_can_be_sent_again() {
    let mut passkey = passkey();
    let (app, faults, _) = start(&mut passkey).await;
    for method in [
        ProviderMethod::PasskeysFindByCredentialId,
        ProviderMethod::UsersFindById,
        ProviderMethod::PasskeysRecordUse,
        ProviderMethod::PasskeysFindByUser,
        ProviderMethod::SessionsCreate,
    ] {
        let proof = app.passkey_proof(&mut passkey).await;
        faults.nth(method, 1, Fault::IsUnavailable);
        app.passkey_login(&proof).await.expect(503);
        faults.heal();
        app.passkey_login(&proof).await.expect(200);
    }
}

async fn an_addition_can_be_sent_again_until_the_passkey_is_written() {
    let (app, faults, tokens) = start(&mut passkey()).await;
    let add = |body| app.post(PATH).bearer(&tokens.access).json(&body);
    for method in [ProviderMethod::PasskeysFindByUser, ProviderMethod::UsersFindById] {
        let body = app.new_passkey(&tokens.access, &mut passkey()).await;
        // The extractor reads the user first.
        let nth = if method == ProviderMethod::UsersFindById { 2 } else { 1 };
        faults.nth(method, nth, Fault::IsUnavailable);
        add(body.clone()).await.expect(503);
        faults.heal();
        add(body).await.expect(201);
    }
    let body = app.new_passkey(&tokens.access, &mut passkey()).await;
    faults.nth(ProviderMethod::PasskeysInsert, 1, Fault::FailsAfterwards);
    add(body.clone()).await.expect(503);
    faults.heal();
    add(body).await.refused(422, "invalid_flow_token");
    assert_eq!(app.passkeys(&tokens.access).await["passkeys"].as_array().unwrap().len(), 4);
}

async fn a_confirmation_can_be_sent_again() {
    for (mut passkey, again) in [(passkey(), 200), (passkey().counting_from(1), 422)] {
        let (app, faults, tokens) = start(&mut passkey).await;
        let begun = app.passkey_options("/auth/user/confirm-passkey/options", Some(&tokens.access)).await;
        let body = proof(&begun, passkey.sign_in(&begun["options"]));
        let confirm = || app.post("/auth/user/confirm-passkey").bearer(&tokens.access).json(&body);
        faults.nth(ProviderMethod::PasskeysRecordUse, 1, Fault::FailsAfterwards);
        confirm().await.expect(503);
        faults.heal();
        confirm().await.expect(again);
    }
}

async fn an_answer_to_a_challenge_can_be_sent_again() {
    let mut passkey = passkey();
    let faults = Faults::new();
    let app = Place::memory().start_faulty(&faults, |config| config).await;
    with_second_factor(&app, EMAIL, &mut passkey).await;
    let challenge = app.login_call(EMAIL, PASSWORD).await.expect(200).challenge().unwrap();
    let options = app.post("/auth/two-factor-challenge/passkey-options").challenge(&challenge, json!({}));
    let begun = options.await.expect(200).body;
    let body = proof(&begun, passkey.sign_in(&begun["options"]));
    let answer = || app.post("/auth/two-factor-challenge").challenge(&challenge, body.clone());
    faults.nth(ProviderMethod::PasskeysRecordUse, 1, Fault::FailsAfterwards);
    answer().await.expect(503);
    faults.heal();
    answer().await.expect(200);
}
