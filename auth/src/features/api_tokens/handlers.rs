//! The endpoints of API tokens.

use super::service::{ApiTokensService, NewApiToken, UserApiToken};
use super::{CREATE, LIST, REVOKE};
use crate::error::AuthError;
use crate::feature::Feature;
use crate::http::{Caller, Client, Fields, Message, PathTexts, Route, json_response, time_text};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::posture::Deviation;
use crate::values::short_name;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use serde_json::Number;
use std::sync::Arc;

type Service = State<Arc<ApiTokensService>>;

impl FeatureService for ApiTokensService {
    const FEATURE: Option<Feature> = Some(Feature::ApiTokens);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![LIST.handled_by(list, self), CREATE.handled_by(create, self), REVOKE.handled_by(revoke, self)]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }
}

async fn list(State(service): Service, Caller(who): Caller) -> Result<Response, AuthError> {
    let tokens = service.list(&who).await?;
    let body: Vec<_> = tokens.iter().map(|token| Item::of(token, None)).collect();
    Ok(json_response(StatusCode::OK, &body))
}

async fn create(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
    mut fields: Fields,
) -> Result<Response, AuthError> {
    // No number of seconds that is not whole is a lifetime, and neither is 0.
    let seconds = |number: Option<Number>| number.map(|number| number.as_u64().unwrap_or_default());
    let new = NewApiToken::of(
        fields.string("name").and_then(|name| short_name(&name)),
        fields.texts("scopes").and_then(|scopes| service.known_scopes(&scopes)),
        fields.optional_number("expiresIn").and_then(|number| service.lifetime(seconds(number))),
    )?;
    let created = service.create(&who, new, client).await?;
    Ok(json_response(StatusCode::CREATED, &Item::of(&created.token, Some(created.text()))))
}

async fn revoke(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
    PathTexts([id]): PathTexts<1>,
) -> Result<Message, AuthError> {
    service.revoke(&who, &id, client).await?;
    Ok(SuccessText::ApiTokenRevoked.into())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    name: &'a str,
    scopes: &'a [String],
    created_at: String,
    last_used_at: Option<String>,
    expires_at: String,
    last_four: &'a str,
}

impl<'a> Item<'a> {
    fn of(token: &'a UserApiToken, text: Option<&'a str>) -> Self {
        Self {
            id: &token.id,
            token: text,
            name: &token.name,
            scopes: &token.scopes,
            created_at: time_text(token.created_at),
            last_used_at: token.last_used_at.map(time_text),
            expires_at: time_text(token.expires_at),
            last_four: &token.last_four,
        }
    }
}
