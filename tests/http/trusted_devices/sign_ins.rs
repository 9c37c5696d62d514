//! What makes a device trusted, and what it is worth (specification §32.1, §32.2).

use super::{
    Trusted, challenge, host, is_challenged, is_trusted, list, login_on, post_on_device, trust, trusting,
    with_device,
};
use crate::change_emails::unlimited;
use crate::email_login;
use crate::support::passkeys::{passkey, proof, with_second_factor};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, forge};
use axum_auth_module::assurance::{Method, Methods};
use axum_auth_module::config::{PasskeyOptions, TwoFactorOptions, UserVerification};
use axum_auth_module::events::EventKind;
use axum_auth_module::feature::{Feature, FeatureSet};
use serde_json::json;

on_both_routers![
    a_device_takes_the_place_of_the_second_factor,
    a_device_becomes_trusted_only_if_the_client_says_so,
    another_type_is_an_error_and_costs_no_try,
    a_recovery_code_makes_none,
    a_wrong_code_makes_none,
    a_passkey_at_the_challenge_makes_one,
    a_sign_in_by_mail_counts_it,
    a_sign_in_with_a_passkey_counts_it,
    it_is_no_confirmation_and_raises_no_level,
    it_is_no_second_factor_of_a_confirmation,
    a_session_that_began_on_it_can_prove_the_second_factor,
    a_user_without_a_second_factor_has_none,
    without_the_feature_nothing_is_trusted,
    a_session_that_needed_none_did_not_begin_on_it,
];

async fn a_device_takes_the_place_of_the_second_factor() {
    let app = host().await;
    let enrolled = app.enrolled(EMAIL).await;
    app.event_names::<4>().await;
    let token = app.challenge_token(EMAIL).await;
    let answer = trusting(&app, &token, &enrolled.authenticator.code(&app)).await.expect(200);
    let members = answer.members_beside_the_session();
    assert_eq!(members.iter().filter(|member| **member != "deviceToken").count(), 1, "{members:?}");
    let device = answer.device().expect("a device");
    let begun = ["auth.two-factor-challenged", "auth.valid-two-factor-code", "auth.login"];
    assert_eq!(app.event_names().await, begun);
    let id = super::id(&list(&app, &answer.tokens()).await[0]).to_owned();
    assert_eq!(app.event().await.kind, EventKind::DeviceTrusted { device_id: id });

    let answer = login_on(&app, &device, EMAIL).await.expect(200);
    assert_eq!(answer.members_beside_the_session(), ["twoFactor"]);
    assert_eq!((answer.body["twoFactor"].as_bool(), answer.device()), (Some(false), None));
    let tokens = answer.tokens();
    assert_eq!(app.me(&tokens.access).await.expect(200).text, EMAIL);
    let session_id = forge::claims(&tokens.access)["sid"].as_str().unwrap().to_owned();
    let methods = Methods::from_iter([Method::Password, Method::Device]);
    assert_eq!(app.event().await.kind, EventKind::Login { session_id, methods });
    let sessions = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    assert_eq!(sessions.body["sessions"][0]["authenticatedBy"], json!(["pwd", "device"]));
    // Without it, the second factor is asked for.
    is_challenged(app.login_call(EMAIL, PASSWORD).await);
    login_on(&app, &device, EMAIL).json(&json!({ "email": EMAIL, "password": "wrong" })).await.expect(401);
}

async fn a_device_becomes_trusted_only_if_the_client_says_so() {
    let app = host().await;
    let enrolled = app.enrolled(EMAIL).await;
    for trusts in [None, Some(json!(false)), Some(json!(null))] {
        let token = app.challenge_token(EMAIL).await;
        let mut body = json!({ "code": enrolled.authenticator.code(&app) });
        if let Some(trusts) = trusts {
            body["trustDevice"] = trusts;
        }
        let answer = challenge(&app, &token, body).await.expect(200);
        assert_eq!(answer.device(), None);
        assert!(list(&app, &answer.tokens()).await.is_empty());
        app.next_step();
    }
}

async fn another_type_is_an_error_and_costs_no_try() {
    let app = host().await;
    let enrolled = app.enrolled(EMAIL).await;
    let (token, code) = (app.challenge_token(EMAIL).await, enrolled.authenticator.code(&app));
    for wrong in [json!("true"), json!(1), json!([true]), json!({})] {
        for _ in 0..2 {
            let body = json!({ "code": code, "trustDevice": wrong });
            let errors = challenge(&app, &token, body).await.field_errors();
            assert_eq!(errors, ["trustDevice: wrong_type"], "{wrong}");
        }
    }
    assert!(trusting(&app, &token, &code).await.expect(200).device().is_some());
}

async fn a_recovery_code_makes_none() {
    let app = host().await;
    let enrolled = app.enrolled(EMAIL).await;
    let codes = app.recovery_codes(&enrolled.tokens.access).await;
    let token = app.challenge_token(EMAIL).await;
    let body = json!({ "recoveryCode": codes[0], "trustDevice": true });
    let answer = challenge(&app, &token, body).await.expect(200);
    assert_eq!(answer.device(), None);
    assert!(list(&app, &answer.tokens()).await.is_empty());
}

async fn a_wrong_code_makes_none() {
    let app = host().await;
    let enrolled = app.enrolled(EMAIL).await;
    let token = app.challenge_token(EMAIL).await;
    let wrong = enrolled.authenticator.wrong_code(&app);
    assert_eq!(trusting(&app, &token, &wrong).await.refused(422, "invalid_two_factor_code").device(), None);
    assert!(list(&app, &enrolled.tokens).await.is_empty());
}

async fn a_passkey_at_the_challenge_makes_one() {
    let app = host().await;
    let mut passkey = passkey();
    with_second_factor(&app, EMAIL, &mut passkey).await;
    let token = app.challenge_token(EMAIL).await;
    let options = app.post("/auth/two-factor-challenge/passkey-options").challenge(&token, json!({}));
    let begun = options.await.expect(200).body;
    let mut body = proof(&begun, passkey.sign_in(&begun["options"]));
    body["trustDevice"] = true.into();
    let device = challenge(&app, &token, body).await.expect(200).device().expect("a device");
    assert!(is_trusted(&app, &device, EMAIL).await);
}

async fn a_sign_in_by_mail_counts_it() {
    let (app, Trusted { device, .. }) = with_device().await;
    is_challenged(email_login::sign_in(&app, EMAIL).await);
    let begun = email_login::begin(&app, EMAIL).await;
    let body = json!({ "flowToken": begun.flow, "code": begun.code() });
    let answer = post_on_device(&app, "/auth/login/email/verify", &device, body).await.expect(200);
    let tokens = answer.tokens();
    let sessions = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    assert_eq!(sessions.body["sessions"][0]["authenticatedBy"], json!(["email", "device"]));
}

async fn a_sign_in_with_a_passkey_counts_it() {
    let mut options = PasskeyOptions::default();
    options.user_verification = UserVerification::Preferred;
    let app = App::with_everything_and(|config| unlimited(config).passkeys(options), |module| module).await;
    let mut passkey = passkey().without_user_verification();
    let enrolled = with_second_factor(&app, EMAIL, &mut passkey).await;
    let (_, device) = trust(&app, EMAIL, &enrolled.authenticator).await;
    is_challenged(app.sign_in_with(&mut passkey).await);
    let proof = app.passkey_proof(&mut passkey).await;
    let answer = post_on_device(&app, "/auth/passkeys/login", &device, proof).await.expect(200);
    let tokens = answer.tokens();
    let sessions = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    assert_eq!(sessions.body["sessions"][0]["authenticatedBy"], json!(["pop", "device"]));
}

async fn it_is_no_confirmation_and_raises_no_level() {
    let (app, Trusted { device, .. }) = with_device().await;
    let tokens = login_on(&app, &device, EMAIL).await.expect(200).tokens();
    app.get("/assured/aal1").bearer(&tokens.access).await.expect(200);
    for level in ["aal2", "aal2/300", "phr", "optional"] {
        let refused = app.get(&format!("/assured/{level}")).bearer(&tokens.access).await;
        refused.refused(401, "insufficient_user_authentication");
    }
    app.get("/confirmed").bearer(&tokens.access).await.refused(403, "password_confirmation_required");
    let key = app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).await;
    key.refused(403, "password_confirmation_required");
}

async fn it_is_no_second_factor_of_a_confirmation() {
    let mut options = TwoFactorOptions::default();
    options.confirm_with_code = true;
    let config = |config| unlimited(config).two_factor(options);
    let app = App::with_everything_and(config, |module| module).await;
    let Trusted { device, .. } = super::trusted(&app, EMAIL).await;
    let tokens = login_on(&app, &device, EMAIL).await.expect(200).tokens();
    app.confirm_password(&tokens.access).await;
    for path in ["/auth/user/two-factor-secret-key", "/auth/user/two-factor-recovery-codes"] {
        let refused = app.get(path).bearer(&tokens.access).await;
        let refused = refused.refused(403, "password_confirmation_required");
        assert_eq!(refused.body["methods"], json!(["password", "code"]), "{path}");
    }
    let forgets = app.delete(super::PATH).bearer(&tokens.access).await;
    forgets.refused(403, "password_confirmation_required");
}

async fn a_session_that_began_on_it_can_prove_the_second_factor() {
    let (app, Trusted { device, enrolled, .. }) = with_device().await;
    let tokens = login_on(&app, &device, EMAIL).await.expect(200).tokens();
    let body = json!({ "code": enrolled.authenticator.code(&app) });
    app.post("/auth/user/confirm-two-factor").bearer(&tokens.access).json(&body).await.expect(200);
    app.get("/assured/aal2").bearer(&tokens.access).await.expect(200);
}

async fn a_user_without_a_second_factor_has_none() {
    let (app, Trusted { device, .. }) = with_device().await;
    app.register("grace@example.com").await;
    let answer = login_on(&app, &device, "grace@example.com").await.expect(200);
    let tokens = answer.tokens();
    let sessions = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    assert_eq!(sessions.body["sessions"][0]["authenticatedBy"], json!(["pwd"]));
    assert!(list(&app, &tokens).await.is_empty());
}

async fn without_the_feature_nothing_is_trusted() {
    let features = FeatureSet::all().difference(FeatureSet::from_iter([Feature::TRUSTED_DEVICES]));
    let off = App::with_everything_and(unlimited, |module| module.enabled(features).unwrap()).await;
    let enrolled = off.enrolled(EMAIL).await;
    let token = off.challenge_token(EMAIL).await;
    // The field is one of many that a request can have and nobody reads.
    let body = json!({ "code": enrolled.authenticator.code(&off), "trustDevice": "yes" });
    assert_eq!(challenge(&off, &token, body).await.expect(200).device(), None);
    off.get(super::PATH).bearer(&enrolled.tokens.access).await.expect(404);
}

async fn a_session_that_needed_none_did_not_begin_on_it() {
    let app = host().await;
    let mut passkey = passkey();
    let enrolled = with_second_factor(&app, EMAIL, &mut passkey).await;
    let (_, device) = trust(&app, EMAIL, &enrolled.authenticator).await;
    let proof = app.passkey_proof(&mut passkey).await;
    let answer = post_on_device(&app, "/auth/passkeys/login", &device, proof).await.expect(200);
    let tokens = answer.tokens();
    assert_eq!(list(&app, &tokens).await[0]["current"], false);
}
