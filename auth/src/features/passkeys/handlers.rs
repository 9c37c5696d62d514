//! The endpoints of passkeys, and the documents that browsers and password managers look for.

use super::managing::{PasskeyRemoval, UserPasskey, UserPasskeys};
use super::service::{PasskeyCeremony, PasskeysService};
use super::{
    ADD, ADD_OPTIONS, CHALLENGE_OPTIONS, CONFIRM, CONFIRM_OPTIONS, LIST, LOGIN, LOGIN_OPTIONS, REMOVE, RENAME,
};
use crate::client::Visitor;
use crate::config::RelyingParty;
use crate::error::{AuthError, FieldCollector, FieldErrors};
use crate::feature::Feature;
use crate::http::{
    Caller, Client, Document, Fields, PathTexts, Route, Tokens, Visit, json_response, time_text,
};
use crate::module::FeatureService;
use crate::posture::Deviation;
use crate::values::short_name;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

type Service = State<Arc<PasskeysService>>;

impl FeatureService for PasskeysService {
    const FEATURE: Option<Feature> = Some(Feature::Passkeys);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![
            LOGIN_OPTIONS.handled_by(login_options, self),
            LOGIN.handled_by(login, self),
            LIST.handled_by(list, self),
            ADD_OPTIONS.handled_by(add_options, self),
            ADD.handled_by(add, self),
            RENAME.handled_by(rename, self),
            REMOVE.handled_by(remove, self),
            CHALLENGE_OPTIONS.handled_by(challenge_options, self),
            CONFIRM_OPTIONS.handled_by(confirm_options, self),
            CONFIRM.handled_by(confirm, self),
        ]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }

    fn documents(&self) -> Vec<Document> {
        self.relying_party().map(documents).unwrap_or_default()
    }
}

/// What browsers and password managers look for. A document with nothing in it is not there.
fn documents(site: &RelyingParty) -> Vec<Document> {
    let has_related = !site.related().is_empty();
    let related = has_related.then(|| {
        let origins = json!({ "origins": Vec::from_iter(site.all_pages()) });
        Document::json("/.well-known/webauthn", &origins)
    });
    let (enroll, manage) = site.pages();
    let pages: serde_json::Map<_, _> = [("enroll", enroll), ("manage", manage)]
        .into_iter()
        .filter_map(|(name, page)| Some((name.to_owned(), page?.into())))
        .collect();
    let pages = (!pages.is_empty()).then(|| Document::json("/.well-known/passkey-endpoints", &pages));
    related.into_iter().chain(pages).collect()
}

async fn login_options(State(service): Service) -> Result<Response, AuthError> {
    Ok(begun(service.login_options()?))
}

async fn login(
    State(service): Service,
    Visit(visitor): Visit,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let visitor = fields.on_device(visitor);
    let mut read = FieldCollector::default();
    let proof = read.take(Presented::read(&mut fields));
    let remember = read.take(fields.remember(&visitor));
    let (Presented { flow_token, credential }, remember) = read.finish(proof.zip(remember))?;
    let signed_in = service.login(&flow_token, credential, visitor.remembered(remember)).await?;
    Ok(Tokens::SignedIn(StatusCode::OK, signed_in))
}

async fn list(State(service): Service, Caller(who): Caller) -> Result<Response, AuthError> {
    let UserPasskeys { rp_id, user_handle, name, display_name, passkeys } = service.list(&who).await?;
    let body = List {
        rp_id,
        user_handle,
        user: User { name, display_name },
        passkeys: passkeys.into_iter().map(Item::from).collect(),
    };
    Ok(json_response(StatusCode::OK, &body))
}

async fn add_options(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
) -> Result<Response, AuthError> {
    Ok(begun(service.add_options(&who, client).await?))
}

async fn add(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
    mut fields: Fields,
) -> Result<Response, AuthError> {
    // Before the fields, as the specification orders it.
    service.core.require_verified_address(&who)?;
    let mut read = FieldCollector::default();
    let proof = read.take(Presented::read(&mut fields));
    let name = read.take(name(&mut fields));
    let (Presented { flow_token, credential }, name) = read.finish(proof.zip(name))?;
    let added = service.add(&who, &flow_token, credential, name.as_deref(), visitor.client).await?;
    Ok(json_response(StatusCode::CREATED, &Item::from(added)))
}

async fn rename(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
    PathTexts([id]): PathTexts<1>,
    mut fields: Fields,
) -> Result<Response, AuthError> {
    let name = fields.non_empty_string("name")?;
    let renamed = service.rename(&who, &id, &name, client).await?;
    Ok(json_response(StatusCode::OK, &Item::from(renamed)))
}

async fn remove(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
    PathTexts([id]): PathTexts<1>,
) -> Result<Tokens, AuthError> {
    let PasskeyRemoval { credentials, rp_id, user_handle, credential_ids } =
        service.remove(&who, &id, client).await?;
    Ok(Tokens::PasskeyRemoved { credentials, rp_id, user_handle, credential_ids })
}

async fn challenge_options(
    State(service): Service,
    Visit(visitor): Visit,
    mut fields: Fields,
) -> Result<Response, AuthError> {
    let token = challenge_token(&mut fields, &visitor)?;
    Ok(begun(service.challenge_options(&token, visitor).await?))
}

async fn confirm_options(State(service): Service, Caller(who): Caller) -> Result<Response, AuthError> {
    Ok(begun(service.confirm_options(&who).await?))
}

async fn confirm(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let Presented { flow_token, credential } = Presented::read(&mut fields)?;
    service.confirm(&who, &flow_token, credential, visitor.client).await.map(Tokens::Confirmed)
}

/// The name of a new passkey, if its user has written one.
fn name(fields: &mut Fields) -> Result<Option<String>, FieldErrors> {
    fields.optional_string("name")?.map(|text| short_name(&text)).transpose()
}

/// The token of a challenge, which a browser has in a cookie.
fn challenge_token(fields: &mut Fields, visitor: &Visitor) -> Result<String, FieldErrors> {
    match visitor.transport.cookies() {
        None => fields.non_empty_string("challengeToken"),
        Some(sent) => Ok(sent.challenge.as_deref().unwrap_or_default().to_owned()),
    }
}

struct Presented {
    flow_token: String,
    credential: Value,
}

impl Presented {
    fn read(fields: &mut Fields) -> Result<Self, FieldErrors> {
        let mut read = FieldCollector::default();
        let flow_token = read.take(fields.non_empty_string("flowToken"));
        let credential = read.take(fields.object("credential"));
        let both = flow_token.zip(credential);
        read.finish(both.map(|(flow_token, credential)| Self { flow_token, credential }))
    }
}

fn begun(options: PasskeyCeremony) -> Response {
    let PasskeyCeremony { options, flow_token, expires_in } = options;
    json_response(StatusCode::OK, &Begun { options, flow_token, expires_in })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Begun {
    options: Value,
    flow_token: String,
    expires_in: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct List {
    rp_id: String,
    user_handle: Option<String>,
    user: User,
    passkeys: Vec<Item>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct User {
    name: String,
    display_name: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    id: String,
    credential_id: String,
    name: String,
    aaguid: Option<String>,
    transports: Vec<String>,
    backed_up: bool,
    backup_eligible: bool,
    usable: bool,
    created_at: String,
    last_used_at: Option<String>,
}

impl From<UserPasskey> for Item {
    fn from(passkey: UserPasskey) -> Self {
        Self {
            id: passkey.id,
            credential_id: passkey.credential_id,
            name: passkey.name,
            aaguid: passkey.aaguid,
            transports: passkey.transports,
            backed_up: passkey.backed_up,
            backup_eligible: passkey.backup_eligible,
            usable: passkey.usable,
            created_at: time_text(passkey.created_at),
            last_used_at: passkey.last_used_at.map(time_text),
        }
    }
}
