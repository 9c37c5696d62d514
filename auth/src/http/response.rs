//! Successful responses.

use super::cookies::CookieChanges;
use super::guard::LoggedOut;
use crate::assurance::ChallengeMethod;
use crate::core::{
    Challenge, Credentials, RegistrationStarted, SessionCookie, SignInOutcome, SignedIn, Step, TokenPair,
};
use crate::error::{AuthError, RestoreToken};
use crate::languages::{Language, SuccessText};
use axum::Extension;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use humantime::format_rfc3339_seconds;
use serde::{Serialize, Serializer};
use std::time::SystemTime;

/// A response with a JSON body.
pub(crate) fn json<T: Serialize>(status: StatusCode, body: &T) -> Response {
    json_of_length(status, body, 128)
}

/// A response with a JSON body of roughly this length. Allocating it at once avoids contention in the allocator.
fn json_of_length<T: Serialize>(status: StatusCode, body: &T, length: usize) -> Response {
    let mut bytes = Vec::with_capacity(length);
    match serde_json::to_writer(&mut bytes, body) {
        Ok(()) => (status, [(CONTENT_TYPE, "application/json")], bytes).into_response(),
        Err(error) => crate::error::AuthError::internal(error).into_response(),
    }
}

/// A message, which is written in the language of the request.
#[derive(Clone, Copy)]
pub(crate) struct Sentence(pub(crate) SuccessText);

impl Serialize for Sentence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(Language::of_request().text(self.0))
    }
}

/// The body of a response that only has a message.
#[derive(Serialize)]
pub(crate) struct Message {
    message: Sentence,
}

impl From<SuccessText> for Message {
    fn from(text: SuccessText) -> Self {
        Self { message: Sentence(text) }
    }
}

impl IntoResponse for Message {
    fn into_response(self) -> Response {
        json(StatusCode::OK, &self)
    }
}

/// The body of a response that also has the number of what was ended.
#[derive(Serialize)]
pub(crate) struct Ended {
    message: Sentence,
    ended: u64,
}

impl Ended {
    pub(crate) const fn new(message: SuccessText, ended: u64) -> Self {
        Self { message: Sentence(message), ended }
    }
}

impl IntoResponse for Ended {
    fn into_response(self) -> Response {
        json(StatusCode::OK, &self)
    }
}

/// A time as responses have it (RFC 3339).
pub(crate) fn time_text(time: SystemTime) -> String {
    format_rfc3339_seconds(time).to_string()
}

/// Who acts for the user in a session, as responses have it (RFC 8693 §4.1).
#[derive(Serialize)]
pub(crate) struct ActorBody<'a> {
    sub: &'a str,
}

impl<'a> From<&'a str> for ActorBody<'a> {
    fn from(sub: &'a str) -> Self {
        Self { sub }
    }
}

/// The response to the end of the session of the request. A browser deletes its cookies.
pub(crate) struct SessionEnded(pub(crate) Message);

impl IntoResponse for SessionEnded {
    fn into_response(self) -> Response {
        (Extension(CookieChanges::logged_out()), self.0).into_response()
    }
}

/// The successful response to a request without a valid session. A browser deletes a session cookie that is useless.
pub(crate) struct NoSession(pub(crate) Response);

impl IntoResponse for NoSession {
    fn into_response(self) -> Response {
        (Extension(LoggedOut), self.0).into_response()
    }
}

/// A response with what the client keeps of a session, of any kind. Tokens and cookies leave the routes only here.
pub(crate) enum Tokens {
    /// A session has started, or a step is required first.
    SignedIn(StatusCode, SignedIn),
    /// What a sign-in that proves an address has led to.
    Outcome(SignInOutcome),
    /// The credentials have changed: a message, and what replaces those of the session of the request.
    Changed(SuccessText, Credentials),
    /// A passkey was removed: what is left, and what replaces the credentials of the session of the request.
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
    PasskeyRemoved {
        credentials: Credentials,
        rp_id: String,
        user_handle: String,
        credential_ids: Vec<String>,
    },
    /// Something was proven in the session. A browser session has another cookie, which has the proof.
    Confirmed(Option<SessionCookie>),
    /// The new pair for a refresh token.
    Refreshed(TokenPair),
}

impl Tokens {
    /// The response, which also changes these cookies of a browser.
    pub(crate) fn and(self, changes: CookieChanges) -> Response {
        let mut response = self.into_response();
        let own = response.extensions_mut().remove::<CookieChanges>().unwrap_or_default();
        response.extensions_mut().insert(own.and(changes));
        response
    }
}

/// All members that a response with tokens can have. Each kind of response sets some of them.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    two_factor: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    methods: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    password_removed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Sentence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rp_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_handle: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credential_ids: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device_token: Option<&'a str>,
}

/// The members of a registration that was begun.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Registration<'a> {
    registration: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    registration_token: Option<&'a str>,
    expires_in: u64,
    email: &'a str,
    name: Option<&'a str>,
}

impl Registration<'_> {
    fn response(started: &RegistrationStarted, registration_token: Option<&str>) -> Response {
        let RegistrationStarted { expires_in, email, name, .. } = started;
        let (name, expires_in) = (name.as_deref(), *expires_in);
        json(
            StatusCode::OK,
            &Registration { registration: true, registration_token, expires_in, email, name },
        )
    }
}

/// A registration that was begun, without its token: a browser has that in a cookie.
#[cfg(feature = "social-login")]
pub(crate) fn begun_without_token(started: &RegistrationStarted) -> Response {
    Registration::response(started, None)
}

impl<'a> Body<'a> {
    fn with(self, pair: &'a TokenPair) -> Self {
        Self {
            access_token: Some(&pair.access_token),
            refresh_token: Some(&pair.refresh_token),
            device_token: pair.device.as_ref().map(|device| &*device.value),
            ..self
        }
    }

    /// The response with the tokens in this body.
    fn with_tokens(&self, status: StatusCode) -> Response {
        let tokens = [self.access_token, self.refresh_token, self.device_token].into_iter().flatten();
        json_of_length(status, self, tokens.map(str::len).sum::<usize>() + 256)
    }

    /// The response: tokens are in the body, and a cookie in its header.
    fn response(self, status: StatusCode, credentials: Credentials) -> Response {
        match credentials {
            Credentials::Tokens(pair) => self.with(&pair).with_tokens(status),
            Credentials::Cookie(cookie) => {
                (Extension(CookieChanges::session(cookie)), json(status, &self)).into_response()
            }
        }
    }
}

impl IntoResponse for Tokens {
    fn into_response(self) -> Response {
        match self {
            Self::Outcome(SignInOutcome::Registered(signed_in)) => {
                Self::SignedIn(StatusCode::CREATED, signed_in).into_response()
            }
            Self::Outcome(SignInOutcome::Known {
                signed_in: SignedIn::Session(credentials),
                password_removed,
            }) => {
                let password_removed = password_removed.then_some(true);
                Body { two_factor: Some(false), password_removed, ..Body::default() }
                    .response(StatusCode::OK, credentials)
            }
            Self::Outcome(SignInOutcome::Known { signed_in, .. }) => {
                Self::SignedIn(StatusCode::OK, signed_in).into_response()
            }
            Self::SignedIn(status, SignedIn::Session(credentials)) => {
                Body { two_factor: Some(false), ..Body::default() }.response(status, credentials)
            }
            Self::SignedIn(status, SignedIn::Step(Step::SecondFactor { challenge, methods })) => {
                let methods = methods.into_iter().map(ChallengeMethod::as_str).collect();
                let body = Body { two_factor: Some(true), methods: Some(methods), ..Body::default() };
                match challenge {
                    Challenge::Token(token) => json(status, &Body { challenge_token: Some(&token), ..body }),
                    Challenge::Cookie(token, age) => {
                        (Extension(CookieChanges::challenge(token, age)), json(status, &body)).into_response()
                    }
                }
            }
            Self::SignedIn(_, SignedIn::Step(Step::PendingDeletion { restoration, deletes_at })) => {
                match restoration {
                    Challenge::Token(token) => {
                        let restore_token = Some(RestoreToken(token));
                        AuthError::AccountPendingDeletion { deletes_at, restore_token }.into_response()
                    }
                    Challenge::Cookie(token, age) => {
                        let error = AuthError::AccountPendingDeletion { deletes_at, restore_token: None };
                        (Extension(CookieChanges::challenge(token, age)), error).into_response()
                    }
                }
            }
            Self::Outcome(SignInOutcome::Registration(started)) => {
                Registration::response(&started, Some(&started.registration_token))
            }
            Self::Changed(message, credentials) => {
                Body { message: Some(Sentence(message)), ..Body::default() }
                    .response(StatusCode::OK, credentials)
            }
            Self::PasskeyRemoved { credentials, rp_id, user_handle, credential_ids } => Body {
                message: Some(Sentence(SuccessText::PasskeyRemoved)),
                rp_id: Some(&rp_id),
                user_handle: Some(&user_handle),
                credential_ids: Some(&credential_ids),
                ..Body::default()
            }
            .response(StatusCode::OK, credentials),
            Self::Confirmed(cookie) => {
                let body = json(StatusCode::OK, &Body { confirmed: Some(true), ..Body::default() });
                match cookie {
                    Some(cookie) => (Extension(CookieChanges::session(cookie)), body).into_response(),
                    None => body,
                }
            }
            Self::Refreshed(pair) => Body::default().with(&pair).with_tokens(StatusCode::OK),
        }
    }
}
