//! API_TOKENS: tokens with which programs act for users at routes of the host.

mod creating;
mod endings;
mod extractors;
mod races;
mod refusals;

use crate::change_emails::{unlimited, verified};
use crate::every_route::features_off::service_is_there_only_with;
use crate::support::answer::Answer;
use crate::support::{App, Call, EMAIL, Tokens};
use axum_auth_module::feature::Feature;
use axum_auth_module::services::ApiTokensService;
use serde_json::{Value, json};

const PATH: &str = "/auth/user/api-tokens";
const NAME: &str = "Nightly backup";

/// A host without limits, and a user with a verified address in a session whose password was confirmed.
async fn with_user() -> (App, Tokens) {
    let app = App::with_everything_and(unlimited, |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    (app, tokens)
}

/// Such a user with a token of one scope, `demo:read`.
async fn with_token() -> (App, Tokens, String) {
    let (app, tokens) = with_user().await;
    let token = token(&app, &tokens, &["demo:read"]).await;
    (app, tokens, token)
}

/// The text of a new token with these scopes.
pub(crate) async fn token(app: &App, tokens: &Tokens, scopes: &[&str]) -> String {
    let created = create(app, tokens, json!({ "name": NAME, "scopes": scopes })).await.expect(201);
    text(&created)
}

fn text(created: &Answer) -> String {
    created.body["token"].as_str().unwrap().to_owned()
}

fn create(app: &App, tokens: &Tokens, body: Value) -> Call {
    app.post(PATH).bearer(&tokens.access).json(&body)
}

async fn list(app: &App, tokens: &Tokens) -> Vec<Value> {
    app.get(PATH).bearer(&tokens.access).await.expect(200).body.as_array().unwrap().clone()
}

/// A request of a program with this token.
fn as_program(call: Call, token: &str) -> Call {
    call.header("authorization", &format!("Bearer {token}"))
}

/// What a program reads with this token.
async fn read(app: &App, token: &str) -> Answer {
    as_program(app.get("/api/read"), token).await
}

/// Whether a token is valid.
pub(crate) async fn works(app: &App, token: &str) -> bool {
    let answer = read(app, token).await;
    if answer.status != 200 {
        answer.refused(401, "invalid_api_token");
        return false;
    }
    true
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<ApiTokensService>(Feature::API_TOKENS).await;
}
