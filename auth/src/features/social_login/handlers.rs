//! The endpoints of sign-in with providers.

use super::browser_handlers::{BrowserReturn, PendingSteps, begin_flow};
use super::linking::{LinkedOrKept, PendingLink, UserIdentity};
use super::native::NativeSignIn;
use super::service::{ProviderInfo, ProviderReturn, ProviderVisit, SocialLoginService, VisitOptions};
use super::{
    AUTHORIZE, AUTHORIZE_CONFIRMATION, AUTHORIZE_LINK, CALLBACK, CONFIRM, ID_TOKEN, LINK, LIST, NONCE,
    PENDING, PROVIDERS, RETURN, UNLINK,
};
use crate::client::Visitor;
use crate::core::{PendingRegistration, SignInOutcome};
use crate::error::{AuthError, FieldCollector, FieldErrors, FieldText};
use crate::feature::Feature;
use crate::http::{
    Caller, Client, CookieChanges, Fields, OptionalFields, PathTexts, Route, Tokens, Visit,
    begun_without_token, json_response, time_text,
};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::posture::Deviation;
use crate::values::UserName;
use axum::Extension;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY};
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;

type Service = State<Arc<SocialLoginService>>;

impl FeatureService for SocialLoginService {
    const FEATURE: Option<Feature> = Some(Feature::SocialLogin);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        let registers_newcomers = self.core.registers_newcomers();
        vec![
            PROVIDERS.handled_by(providers, self),
            AUTHORIZE.handled_by(authorize, self),
            CALLBACK.registers_newcomers(registers_newcomers).handled_by(callback, self),
            RETURN.handled_by(return_of_browser, self),
            NONCE.handled_by(nonce, self),
            ID_TOKEN.registers_newcomers(registers_newcomers).handled_by(id_token, self),
            LIST.handled_by(list, self),
            AUTHORIZE_LINK.handled_by(authorize_link, self),
            LINK.handled_by(link, self),
            UNLINK.handled_by(unlink, self),
            AUTHORIZE_CONFIRMATION.handled_by(authorize_confirmation, self),
            CONFIRM.handled_by(confirm, self),
            PENDING.handled_by(pending, self),
        ]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }
}

async fn providers(State(service): Service) -> Response {
    let all: Vec<_> = service.providers().map(ProviderItem::from).collect();
    json_response(StatusCode::OK, &all)
}

async fn authorize(
    State(service): Service,
    Visit(visitor): Visit,
    PathTexts([provider]): PathTexts<1>,
    OptionalFields(mut fields): OptionalFields,
) -> Result<Response, AuthError> {
    let mut read = FieldCollector::default();
    let options = read.take(visit_options(&mut fields));
    let remember = read.take(fields.remember(&visitor));
    let (options, remember) = read.finish(options.zip(remember))?;
    let visitor = visitor.remembered(remember);
    let visit = service.authorize(&provider, options, visitor.clone()).await?;
    Ok(begun(&service, visit, &visitor))
}

async fn callback(
    State(service): Service,
    Visit(visitor): Visit,
    PathTexts([provider]): PathTexts<1>,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let visitor = fields.on_device(visitor);
    let (flow_token, returned) = returned(&mut fields)?;
    service.callback(&provider, &flow_token, &returned, visitor).await.map(Tokens::Outcome)
}

async fn return_of_browser(
    State(service): Service,
    Visit(visitor): Visit,
    PathTexts([provider]): PathTexts<1>,
    uri: Uri,
) -> Result<Response, AuthError> {
    let returned = service.return_of_browser(&provider, &uri, visitor).await?;
    Ok(to_page(&service, returned))
}

async fn nonce(State(service): Service, PathTexts([provider]): PathTexts<1>) -> Result<Response, AuthError> {
    let NativeSignIn { nonce, flow_token, expires_in } = service.nonce(&provider)?;
    Ok(json_response(StatusCode::OK, &Nonce { nonce, flow_token, expires_in }))
}

async fn id_token(
    State(service): Service,
    Visit(visitor): Visit,
    PathTexts([provider]): PathTexts<1>,
    mut fields: Fields,
) -> Result<Response, AuthError> {
    let visitor = fields.on_device(visitor);
    let mut read = FieldCollector::default();
    let flow_token = read.take(fields.non_empty_string("flowToken"));
    let id_token = read.take(fields.non_empty_string("idToken"));
    let name = read.take(name(&mut fields));
    let remember = read.take(fields.remember(&visitor));
    let all = flow_token.zip(id_token).zip(name.zip(remember));
    let ((flow_token, id_token), (name, remember)) = read.finish(all)?;
    let visitor = visitor.remembered(remember);
    let is_browser = visitor.transport.cookies().is_some();
    match service.sign_in_with_id_token(&provider, &flow_token, &id_token, name, visitor).await {
        // A browser keeps in a cookie what completes the sign-in: pages must not have it.
        Ok(SignInOutcome::Registration(started)) if is_browser => {
            let response = begun_without_token(&started);
            let token = started.registration_token;
            let changes = CookieChanges::default().begin_newcomer(token, super::flows::REGISTRATION_LIFETIME);
            Ok((Extension(changes), response).into_response())
        }
        Err(AuthError::AccountExists { link_token: Some(token) }) if is_browser => {
            let changes = CookieChanges::default().link(token.0, super::flows::LIFETIME);
            Ok((Extension(changes), AuthError::AccountExists { link_token: None }).into_response())
        }
        signed_in => Ok(Tokens::Outcome(signed_in?).into_response()),
    }
}

async fn list(State(service): Service, Caller(who): Caller) -> Result<Response, AuthError> {
    let all: Vec<_> = service.list(&who).await?.into_iter().map(Item::from).collect();
    Ok(json_response(StatusCode::OK, &all))
}

async fn authorize_link(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
    PathTexts([provider]): PathTexts<1>,
    OptionalFields(mut fields): OptionalFields,
) -> Result<Response, AuthError> {
    // Before the fields, as the specification orders it.
    service.core.require_verified_address(&who)?;
    let options = visit_options(&mut fields)?;
    let visit = service.authorize_link(&who, &provider, options, visitor.clone()).await?;
    Ok(begun(&service, visit, &visitor))
}

async fn link(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
    OptionalFields(mut fields): OptionalFields,
) -> Result<Response, AuthError> {
    // Before the fields, as the specification orders it.
    service.core.require_verified_address(&who)?;
    let missing = || FieldErrors::standard("linkToken", FieldText::Required);
    if let Some(sent) = visitor.transport.cookies() {
        let token = sent.link.clone().ok_or_else(missing)?;
        let linked = service.link_pending(&who, &token, visitor.client).await?;
        return Ok((Extension(CookieChanges::default().end_link()), identity(linked)).into_response());
    }
    let linked = match (fields.contains("linkToken"), fields.contains("flowToken")) {
        (true, true) => return Err(FieldErrors::standard("linkToken", FieldText::LinkConflict).into()),
        (false, false) => return Err(FieldErrors::standard("flowToken", FieldText::LinkRequired).into()),
        (true, false) => {
            let token = fields.non_empty_string("linkToken")?;
            service.link_pending(&who, &token, visitor.client).await?
        }
        (false, true) => {
            let (flow_token, returned) = returned(&mut fields)?;
            service.link(&who, &flow_token, &returned, visitor.client).await?
        }
    };
    Ok(identity(linked))
}

async fn unlink(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
    PathTexts([id]): PathTexts<1>,
) -> Result<Tokens, AuthError> {
    let credentials = service.unlink(&who, &id, client).await?;
    Ok(Tokens::Changed(SuccessText::IdentityUnlinked, credentials))
}

async fn authorize_confirmation(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
    PathTexts([provider]): PathTexts<1>,
    OptionalFields(mut fields): OptionalFields,
) -> Result<Response, AuthError> {
    let options = visit_options(&mut fields)?;
    let visit = service.authorize_confirmation(&who, &provider, options, visitor.clone()).await?;
    Ok(begun(&service, visit, &visitor))
}

async fn confirm(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let (flow_token, returned) = returned(&mut fields)?;
    service.confirm(&who, &flow_token, &returned, visitor.client).await.map(Tokens::Confirmed)
}

async fn pending(State(service): Service, Visit(visitor): Visit) -> Result<Response, AuthError> {
    let PendingSteps { registration, link } = service.pending_steps(visitor).await?;
    let body = Pending { registration: registration.map(Into::into), link: link.map(Into::into) };
    Ok(json_response(StatusCode::OK, &body))
}

fn identity(linked: LinkedOrKept) -> Response {
    let LinkedOrKept { identity, is_new } = linked;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    json_response(status, &Item::from(identity))
}

/// The response to the beginning of a visit. A browser has the flow token in a cookie.
fn begun(service: &SocialLoginService, visit: ProviderVisit, visitor: &Visitor) -> Response {
    if let Some(sent) = visitor.transport.cookies() {
        let changes = begin_flow(service, sent, &visit);
        let body = Begun { authorization_url: visit.authorization_url, flow_token: None, expires_in: None };
        return (Extension(changes), json_response(StatusCode::OK, &body)).into_response();
    }
    let ProviderVisit { authorization_url, flow_token, expires_in, .. } = visit;
    let body = Begun { authorization_url, flow_token: Some(flow_token), expires_in: Some(expires_in) };
    json_response(StatusCode::OK, &body)
}

/// The browser goes to a page of the host.
fn to_page(service: &SocialLoginService, returned: BrowserReturn) -> Response {
    let BrowserReturn { location, changes } = returned;
    let response = service.page_or_redirect(&location);
    (Extension(changes), response).into_response()
}

impl SocialLoginService {
    /// A redirect to a page of the host. With `same_site` `Strict` it is a page that sends the browser on: a browser does not send the
    /// session cookie after a redirect that another site has begun.
    pub(crate) fn page_or_redirect(&self, location: &str) -> Response {
        let mut response = match super::is_strict(&self.core.config) {
            true => refreshing(location),
            false => {
                let location = HeaderValue::try_from(location).unwrap_or(HeaderValue::from_static("/"));
                (StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response()
            }
        };
        for (name, value) in [(CACHE_CONTROL, "no-store"), (REFERRER_POLICY, "no-referrer")] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// A page with `<meta http-equiv="refresh">`, from which the browser opens the location at once.
fn refreshing(location: &str) -> Response {
    let location: String = location.chars().map(escaped).collect();
    let page = format!(
        "<!doctype html><html><head><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url={location}\"><title>…</title>\
         </head></html>"
    );
    let headers =
        [(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, "default-src 'none'")];
    (StatusCode::OK, headers, page).into_response()
}

/// A character of a path in an attribute. A quotation mark would also end the URL in the attribute `content`.
fn escaped(character: char) -> String {
    match character {
        '&' => "&amp;".to_owned(),
        '"' => "%22".to_owned(),
        '\'' => "%27".to_owned(),
        '<' => "%3C".to_owned(),
        '>' => "%3E".to_owned(),
        other => other.to_string(),
    }
}

fn visit_options(fields: &mut Fields) -> Result<VisitOptions, FieldErrors> {
    let mut read = FieldCollector::default();
    let redirect_uri = read.take(fields.optional_string("redirectUri"));
    let next = read.take(fields.optional_string("next"));
    let options = redirect_uri.zip(next);
    read.finish(options.map(|(redirect_uri, next)| VisitOptions { redirect_uri, next }))
}

/// The flow token, and what the provider has sent back.
fn returned(fields: &mut Fields) -> Result<(String, ProviderReturn), FieldErrors> {
    let mut read = FieldCollector::default();
    let flow_token = read.take(fields.non_empty_string("flowToken"));
    let code = read.take(fields.non_empty_string("code"));
    let state = read.take(fields.non_empty_string("state"));
    let iss = read.take(fields.optional_string("iss"));
    let all = flow_token.zip(code).zip(state.zip(iss));
    read.finish(all.map(|((flow_token, code), (state, iss))| {
        (flow_token, ProviderReturn { code: Some(code), state, iss, error: None })
    }))
}

/// The name of a new account, if the client has sent one.
fn name(fields: &mut Fields) -> Result<Option<UserName>, FieldErrors> {
    fields.optional_string("name")?.map(|text| UserName::parse(&text)).transpose()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProviderItem {
    name: String,
    native_id_token: bool,
}

impl From<ProviderInfo> for ProviderItem {
    fn from(provider: ProviderInfo) -> Self {
        let ProviderInfo { name, native_id_token } = provider;
        Self { name, native_id_token }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Begun {
    authorization_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_in: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Nonce {
    nonce: String,
    flow_token: String,
    expires_in: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    id: String,
    provider: String,
    email: Option<String>,
    created_at: String,
    last_used_at: Option<String>,
}

impl From<UserIdentity> for Item {
    fn from(identity: UserIdentity) -> Self {
        let UserIdentity { id, provider, email, created_at, last_used_at } = identity;
        let (created_at, last_used_at) = (time_text(created_at), last_used_at.map(time_text));
        Self { id, provider, email, created_at, last_used_at }
    }
}

#[derive(Serialize)]
struct Pending {
    registration: Option<RegistrationItem>,
    link: Option<LinkItem>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RegistrationItem {
    provider: String,
    email: String,
    name: Option<String>,
    asks_for: Vec<&'static str>,
}

impl From<PendingRegistration> for RegistrationItem {
    fn from(pending: PendingRegistration) -> Self {
        let PendingRegistration { provider, email, name, asks_for } = pending;
        Self { provider, email, name, asks_for }
    }
}

#[derive(Serialize)]
struct LinkItem {
    provider: String,
    email: String,
}

impl From<PendingLink> for LinkItem {
    fn from(pending: PendingLink) -> Self {
        let PendingLink { provider, email } = pending;
        Self { provider, email }
    }
}
