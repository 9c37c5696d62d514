//! The endpoint of tokens for other services, and the document with the public keys.

use super::CREATE;
use super::service::ServiceTokensService;
use crate::error::AuthError;
use crate::feature::Feature;
use crate::http::{Caller, Client, Document, Fields, Route, json_response, time_text};
use crate::module::FeatureService;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use std::sync::Arc;

impl FeatureService for ServiceTokensService {
    const FEATURE: Option<Feature> = Some(Feature::ServiceTokens);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![CREATE.handled_by(create, self)]
    }

    fn documents(&self) -> Vec<Document> {
        vec![Document::public_keys("/.well-known/jwks.json", &self.published_keys())]
    }
}

async fn create(
    State(service): State<Arc<ServiceTokensService>>,
    Client(client): Client,
    Caller(who): Caller,
    mut fields: Fields,
) -> Result<Response, AuthError> {
    let audience = fields.non_empty_string("audience")?;
    let token = service.create(&who, &audience, client).await?;
    let body = json!({ "token": token.text(), "expiresAt": time_text(token.expires_at) });
    Ok(json_response(StatusCode::OK, &body))
}
