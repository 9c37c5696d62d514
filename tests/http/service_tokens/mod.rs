//! SERVICE_TOKENS: tokens with which other services know who the user is (specification §34).

mod keys;
mod refusals;

use crate::change_emails::unlimited;
use crate::every_route::features_off::service_is_there_only_with;
use crate::support::answer::Answer;
use crate::support::routers::on_both_routers;
use crate::support::{App, Call, EMAIL, Tokens, forge};
use axum_auth_module::clock::Clock;
use axum_auth_module::feature::Feature;
use axum_auth_module::services::ServiceTokensService;
use chrono::DateTime;
use serde_json::{Value, json};
use std::time::UNIX_EPOCH;

on_both_routers![
    a_token_says_who_the_user_is_and_for_which_service,
    it_says_how_the_user_has_signed_in,
    another_audience_is_unknown,
];

const PATH: &str = "/auth/service-token";

fn ask(app: &App, tokens: &Tokens, audience: &str) -> Call {
    app.post(PATH).bearer(&tokens.access).json(&json!({ "audience": audience }))
}

/// The text of a new token.
pub(crate) async fn token(app: &App, tokens: &Tokens) -> String {
    text(&ask(app, tokens, "billing").await.expect(200))
}

fn text(answer: &Answer) -> String {
    answer.body["token"].as_str().unwrap().to_owned()
}

async fn with_user() -> (App, Tokens) {
    let app = App::with_everything_and(unlimited, |module| module).await;
    let tokens = app.register(EMAIL).await;
    (app, tokens)
}

async fn a_token_says_who_the_user_is_and_for_which_service() {
    let (app, tokens) = with_user().await;
    let answer = ask(&app, &tokens, "billing").await.expect(200);
    let members: Vec<_> = answer.body.as_object().unwrap().keys().collect();
    assert_eq!(members, ["expiresAt", "token"], "on both routers");
    let claims = forge::claims(&text(&answer));
    let now = app.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert_eq!(claims["iss"], "https://app.example");
    assert_eq!(claims["sub"], app.users.by_email(EMAIL).unwrap().id.to_string());
    assert_eq!(claims["aud"], "billing");
    assert_eq!((&claims["iat"], &claims["exp"]), (&json!(now), &json!(now + 300)));
    let expires_at = DateTime::parse_from_rfc3339(answer.body["expiresAt"].as_str().unwrap()).unwrap();
    assert_eq!(u64::try_from(expires_at.timestamp()).unwrap(), now + 300);
    assert!(claims["sid"].is_string() && claims["auth_time"].is_u64());
    let other = forge::claims(&text(&ask(&app, &tokens, "search").await.expect(200)));
    assert_eq!((&other["aud"], &other["sid"]), (&json!("search"), &claims["sid"]));
    assert_ne!(other["jti"], claims["jti"]);
    let known = ["acr", "amr", "aud", "auth_time", "exp", "iat", "iss", "jti", "sid", "sub"];
    assert_eq!(Vec::from_iter(claims.keys()), known);
}

async fn it_says_how_the_user_has_signed_in() {
    let (app, tokens) = with_user().await;
    let claims = forge::claims(&token(&app, &tokens).await);
    assert_eq!((&claims["amr"], &claims["acr"]), (&json!(["pwd"]), &json!("aal1")));
    let enrolled = app.enrolled("grace@example.com").await;
    let challenge = app.challenge_token("grace@example.com").await;
    let tokens = app.challenge(&challenge, &enrolled.authenticator.code(&app)).await.expect(200).tokens();
    let claims = forge::claims(&token(&app, &tokens).await);
    assert_eq!((&claims["amr"], &claims["acr"]), (&json!(["pwd", "otp", "mfa"]), &json!("aal2")));
}

async fn another_audience_is_unknown() {
    let (app, tokens) = with_user().await;
    for audience in ["Billing", "billing ", "billing,search", "https://app.example"] {
        assert_eq!(ask(&app, &tokens, audience).await.field_errors(), ["audience: unknown"]);
    }
    let wrong = [(json!(""), "required"), (Value::Null, "required"), (json!(["billing"]), "wrong_type")];
    for (audience, code) in wrong {
        let body = json!({ "audience": audience });
        let answer = app.post(PATH).bearer(&tokens.access).json(&body).await;
        assert_eq!(answer.field_errors(), [format!("audience: {code}")]);
    }
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<ServiceTokensService>(Feature::SERVICE_TOKENS).await;
}
