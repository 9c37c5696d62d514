//! The endpoint that says whether there is a session.

use super::{BrowserSession, BrowserSessionsService, SESSION};
use crate::feature::Feature;
use crate::http::{ActorBody, Caller, NoSession, Route, json_response, time_text};
use crate::module::FeatureService;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;

impl FeatureService for BrowserSessionsService {
    const FEATURE: Option<Feature> = Some(Feature::BrowserSessions);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![SESSION.handled_by(session, self)]
    }
}

async fn session(State(service): State<Arc<BrowserSessionsService>>, caller: Option<Caller>) -> Response {
    let Some(Caller(who)) = caller else {
        return NoSession(json_response(StatusCode::OK, &Absent { authenticated: false })).into_response();
    };
    let BrowserSession { is_confirmed, expires_at, authenticated_by, actor } = service.session(&who);
    let body = Present {
        authenticated: true,
        confirmed: is_confirmed,
        expires_at: time_text(expires_at),
        authenticated_by: &authenticated_by,
        actor: actor.as_deref().map(ActorBody::from),
    };
    json_response(StatusCode::OK, &body)
}

#[derive(Serialize)]
struct Absent {
    authenticated: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Present<'a> {
    authenticated: bool,
    confirmed: bool,
    expires_at: String,
    authenticated_by: &'a [String],
    actor: Option<ActorBody<'a>>,
}
