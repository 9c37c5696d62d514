//! Routes of the host that require more than a login, and what raises the level of a session (specification §12.3).

use crate::support::answer::Answer;
use crate::support::authenticator::Enrolled;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, Tokens};
use serde_json::{Value, json};

on_both_routers![
    a_login_with_a_password_is_one_factor,
    a_challenge_makes_two_factors,
    the_refusal_has_what_rfc_9470_says,
    methods_are_what_the_user_can_prove,
    each_method_must_be_recent,
    a_proof_of_the_second_factor_raises_its_session_and_no_other,
    a_proof_of_the_second_factor_confirms_no_password,
    a_proof_of_the_second_factor_is_checked,
    what_puts_a_second_factor_in_force_proves_it,
    who_it_is_is_asked_first,
];

const PROVE: &str = "/auth/user/confirm-two-factor";

/// What a host requires, as the routes are named.
async fn open(app: &App, tokens: &Tokens, what: &str) -> Answer {
    app.get(&format!("/assured/{what}")).bearer(&tokens.access).await
}

async fn is_refused(app: &App, tokens: &Tokens, what: &str) -> Answer {
    open(app, tokens, what).await.refused(401, "insufficient_user_authentication")
}

async fn prove(app: &App, tokens: &Tokens, body: &Value) -> Answer {
    app.post(PROVE).bearer(&tokens.access).json(body).await
}

/// The code that is displayed now.
fn code(app: &App, enrolled: &Enrolled) -> Value {
    json!({ "code": enrolled.authenticator.code(app) })
}

/// A user with a second factor, in a session that began with the password and the code.
async fn challenged(app: &App) -> (Tokens, Enrolled) {
    let enrolled = app.enrolled(EMAIL).await;
    let token = app.challenge_token(EMAIL).await;
    let tokens = app.challenge(&token, &enrolled.authenticator.code(app)).await.expect(200).tokens();
    (tokens, enrolled)
}

async fn a_login_with_a_password_is_one_factor() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    for tokens in [&tokens, &app.login(EMAIL).await] {
        assert_eq!(open(&app, tokens, "aal1").await.expect(200).text, EMAIL);
        open(&app, tokens, "aal1/300").await.expect(200);
        for more in ["aal2", "aal2/300", "phr", "phr/300", "optional"] {
            is_refused(&app, tokens, more).await;
        }
    }
}

async fn a_challenge_makes_two_factors() {
    let app = App::with_everything().await;
    let (tokens, _) = challenged(&app).await;
    for enough in ["aal1", "aal1/300", "aal2", "aal2/300"] {
        assert_eq!(open(&app, &tokens, enough).await.expect(200).text, EMAIL);
    }
    assert_eq!(open(&app, &tokens, "optional").await.expect(200).text, "true");
    for more in ["phr", "phr/300"] {
        is_refused(&app, &tokens, more).await;
    }
}

async fn the_refusal_has_what_rfc_9470_says() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    let start = "Bearer error=\"insufficient_user_authentication\", \
                 error_description=\"This needs a stronger or more recent authentication.\", acr_values=";
    for (what, rest) in [
        ("aal2", "\"aal2 phr\""),
        ("aal2/300", "\"aal2 phr\", max_age=\"300\""),
        ("phr", "\"phr\""),
        ("phr/300", "\"phr\", max_age=\"300\""),
    ] {
        let refused = is_refused(&app, &tokens, what).await;
        assert_eq!(refused.header("www-authenticate"), Some(&*format!("{start}{rest}")));
        let (level, age) = what.split_once('/').unwrap_or((what, ""));
        let levels = if level == "phr" { json!(["phr"]) } else { json!(["aal2", "phr"]) };
        assert_eq!(refused.body["acrValues"], levels);
        assert_eq!(refused.body.get("maxAge"), (!age.is_empty()).then_some(&json!(300)));
        assert!(refused.body["methods"].is_array());
    }
    app.advance(300);
    let tokens = app.renew(&tokens).await;
    let refused = is_refused(&app, &tokens, "aal1/300").await;
    assert_eq!(refused.body["acrValues"], json!(["aal1", "aal2", "phr"]));
    // What is for people is in their language; a header has only ASCII.
    let german = app.get("/assured/aal1/300").bearer(&tokens.access).header("accept-language", "de");
    let german = german.await.refused(401, "insufficient_user_authentication");
    assert_eq!(german.header("www-authenticate"), refused.header("www-authenticate"));
}

async fn methods_are_what_the_user_can_prove() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    // Nothing that the user has reaches two factors.
    assert_eq!(is_refused(&app, &tokens, "aal2").await.body["methods"], json!([]));
    let status = app.get("/auth/user/confirmed-password-status").bearer(&tokens.access).await.expect(200);
    assert_eq!(status.body["methods"], json!(["password"]));
    let confirmed = app.get("/confirmed").bearer(&tokens.access);
    let refused = confirmed.await.refused(403, "password_confirmation_required");
    assert_eq!(refused.body["confirmWith"], json!(["password"]));
    app.advance(300);
    let tokens = app.renew(&tokens).await;
    assert_eq!(is_refused(&app, &tokens, "aal1/300").await.body["methods"], json!(["password"]));

    let app = App::with_everything().await;
    let (tokens, _) = challenged(&app).await;
    app.advance(300);
    let tokens = app.renew(&tokens).await;
    let both = json!(["password", "two_factor"]);
    assert_eq!(is_refused(&app, &tokens, "aal2/300").await.body["methods"], both);
    assert_eq!(is_refused(&app, &tokens, "phr").await.body["methods"], json!([]));
    let status = app.get("/auth/user/confirmed-password-status").bearer(&tokens.access).await.expect(200);
    assert_eq!(status.body["methods"], both);
    let refused =
        app.get("/confirmed").bearer(&tokens.access).await.refused(403, "password_confirmation_required");
    assert_eq!(refused.body["confirmWith"], both);
}

/// A code of now and a password of long ago are not two factors of now.
async fn each_method_must_be_recent() {
    let app = App::with_everything().await;
    let (tokens, enrolled) = challenged(&app).await;
    app.advance(299);
    open(&app, &tokens, "aal2/300").await.expect(200);
    app.advance(1);
    for old in ["aal1/300", "aal2/300"] {
        is_refused(&app, &tokens, old).await;
    }
    open(&app, &tokens, "aal2").await.expect(200);
    prove(&app, &tokens, &code(&app, &enrolled)).await.expect(200);
    for old in ["aal1/300", "aal2/300"] {
        is_refused(&app, &tokens, old).await;
    }
    app.confirm_password(&tokens.access).await;
    open(&app, &tokens, "aal2/300").await.expect(200);
    app.advance(299);
    open(&app, &tokens, "aal2/300").await.expect(200);
    app.advance(1);
    let tokens = app.renew(&tokens).await;
    for old in ["aal1/300", "aal2/300"] {
        is_refused(&app, &tokens, old).await;
    }
}

async fn a_proof_of_the_second_factor_raises_its_session_and_no_other() {
    let app = App::with_everything().await;
    let (first, enrolled) = challenged(&app).await;
    app.next_step();
    let token = app.challenge_token(EMAIL).await;
    let second = app.challenge(&token, &enrolled.authenticator.code(&app)).await.expect(200).tokens();
    app.advance(300);
    for session in [&first, &second] {
        app.confirm_password(&session.access).await;
        is_refused(&app, session, "aal2/300").await;
    }
    let proven = prove(&app, &first, &code(&app, &enrolled)).await.expect(200);
    assert_eq!(proven.text, r#"{"confirmed":true}"#);
    open(&app, &first, "aal2/300").await.expect(200);
    is_refused(&app, &second, "aal2/300").await;
    let second = app.renew(&second).await;
    is_refused(&app, &second, "aal2/300").await;
    // A recovery code counts as much.
    let recovery_code = app.recovery_codes(&second.access).await.swap_remove(0);
    prove(&app, &second, &json!({ "recoveryCode": recovery_code })).await.expect(200);
    open(&app, &second, "aal2/300").await.expect(200);
}

async fn a_proof_of_the_second_factor_confirms_no_password() {
    let app = App::with_everything().await;
    let (tokens, enrolled) = challenged(&app).await;
    app.next_step();
    prove(&app, &tokens, &code(&app, &enrolled)).await.expect(200);
    let status = app.get("/auth/user/confirmed-password-status").bearer(&tokens.access).await.expect(200);
    assert_eq!(status.body["confirmed"], false);
    app.get("/confirmed").bearer(&tokens.access).await.refused(403, "password_confirmation_required");
}

async fn a_proof_of_the_second_factor_is_checked() {
    let app = App::with_everything().await;
    let (tokens, enrolled) = challenged(&app).await;
    app.advance(300);
    let (right, wrong) = (code(&app, &enrolled), enrolled.authenticator.wrong_code(&app));
    let errors = prove(&app, &tokens, &json!({})).await.field_errors();
    assert_eq!(errors, ["code: required"]);
    let both = json!({ "code": right["code"], "recoveryCode": "x" });
    assert_eq!(prove(&app, &tokens, &both).await.field_errors(), ["recoveryCode: conflict"]);
    prove(&app, &tokens, &json!({ "code": wrong })).await.refused(422, "invalid_two_factor_code");
    prove(&app, &tokens, &json!({ "recoveryCode": "x" })).await.refused(422, "invalid_recovery_code");
    prove(&app, &tokens, &right).await.expect(200);
    prove(&app, &tokens, &right).await.refused(422, "invalid_two_factor_code");
    // Who has no second factor, or only a pending one, can prove none.
    let other = app.confirmed_session("bob@example.com").await;
    prove(&app, &other, &json!({ "code": "123456" })).await.refused(404, "two_factor_not_enabled");
    app.enable(&other.access).await.expect(200);
    let pending = app.authenticator(&other.access).await.code(&app);
    prove(&app, &other, &json!({ "code": pending })).await.refused(404, "two_factor_not_enabled");
}

async fn what_puts_a_second_factor_in_force_proves_it() {
    let app = App::with_everything().await;
    let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
    open(&app, &tokens, "aal2/300").await.expect(200);
    app.advance(300);
    let tokens = app.renew(&tokens).await;
    is_refused(&app, &tokens, "aal2/300").await;
    open(&app, &tokens, "aal2").await.expect(200);
}

async fn who_it_is_is_asked_first() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    for nobody in [app.get("/assured/aal1"), app.get("/assured/phr"), app.get("/assured/phr").bearer("x")] {
        nobody.await.refused(401, "unauthenticated");
    }
    assert_eq!(app.get("/assured/optional").await.expect(200).text, "false");
    app.users.update(EMAIL, |user| user.password = "changed".to_owned());
    open(&app, &tokens, "phr").await.refused(401, "unauthenticated");
}
