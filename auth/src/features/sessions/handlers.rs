//! The endpoints of the user's sessions.

use super::{END, END_OTHERS, LIST, SessionListService};
use crate::core::SessionInfo;
use crate::error::AuthError;
use crate::feature::Feature;
use crate::http::{
    ActorBody, Caller, Client, Ended, Message, PathTexts, Route, SessionEnded, json_response, time_text,
};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::posture::Deviation;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;

impl FeatureService for SessionListService {
    const FEATURE: Option<Feature> = Some(Feature::Sessions);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![LIST.handled_by(list, self), END.handled_by(end, self), END_OTHERS.handled_by(end_others, self)]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }
}

async fn list(
    State(service): State<Arc<SessionListService>>,
    Caller(who): Caller,
) -> Result<Response, AuthError> {
    let sessions = service.list(&who).await?;
    let body = Listed { sessions: sessions.iter().map(Item::from).collect() };
    Ok(json_response(StatusCode::OK, &body))
}

async fn end(
    State(service): State<Arc<SessionListService>>,
    Client(client): Client,
    Caller(who): Caller,
    PathTexts([id]): PathTexts<1>,
) -> Result<Response, AuthError> {
    let ended = Message::from(SuccessText::SessionEnded);
    let is_current = id == who.session.session_id();
    service.end(&who, &id, client).await?;
    Ok(if is_current { SessionEnded(ended).into_response() } else { ended.into_response() })
}

async fn end_others(
    State(service): State<Arc<SessionListService>>,
    Client(client): Client,
    Caller(who): Caller,
) -> Result<Ended, AuthError> {
    Ok(Ended::new(SuccessText::OtherSessionsEnded, service.end_others(&who, client).await?))
}

#[derive(Serialize)]
struct Listed<'a> {
    sessions: Vec<Item<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    id: &'a str,
    current: bool,
    kind: &'static str,
    created_at: String,
    last_used_at: String,
    expires_at: String,
    client: Option<&'a str>,
    user_agent: Option<&'a str>,
    authenticated_by: &'a [String],
    remembered: bool,
    actor: Option<ActorBody<'a>>,
}

impl<'a> From<&'a SessionInfo> for Item<'a> {
    fn from(session: &'a SessionInfo) -> Self {
        Self {
            id: &session.id,
            current: session.current,
            kind: session.kind.as_str(),
            created_at: time_text(session.created_at),
            last_used_at: time_text(session.last_used_at),
            expires_at: time_text(session.expires_at),
            client: session.client.as_deref(),
            user_agent: session.user_agent.as_deref(),
            authenticated_by: &session.authenticated_by,
            remembered: session.remembered,
            actor: session.actor.as_deref().map(ActorBody::from),
        }
    }
}
