//! The fields of a request: the body is received up to a limit, and parsed as one strict JSON object.

use super::Problem;
use super::arrival::Arrival;
use crate::actions::UsernameChange;
use crate::client::{Transport, Visitor};
use crate::core::{SecondFactor, USERNAME, UsernameRules};
use crate::endpoint::EndpointBody;
use crate::error::{AuthError, ErrorCode, FieldCollector, FieldErrors, FieldText};
use crate::json;
use crate::user::{UserField, UserRecord};
use crate::values::{NewPassword, Password, Username};
use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Map, Number, Value};

/// The body of a request as the guard has received it, for [`Fields`] and [`OptionalFields`].
#[derive(Clone)]
struct Received {
    bytes: Bytes,
    is_json: bool,
}

/// Receives the body of a request to an endpoint that takes one: checks the content type, unless the body can be empty, and the
/// size. Returns the request for its handler, and whether the body arrived later than the head.
pub(super) async fn receive(
    request: Request,
    expected: EndpointBody,
    limit: usize,
) -> Result<(Request, bool), Problem> {
    let is_json = is_json(request.headers());
    match expected {
        EndpointBody::None => return Ok((request, false)),
        EndpointBody::Optional(_) => {}
        EndpointBody::Required(_) | EndpointBody::Extensible(_) if is_json => {}
        EndpointBody::Required(_) | EndpointBody::Extensible(_) => {
            return Err(ErrorCode::UnsupportedMediaType.into());
        }
    }
    let (request, arrival) = Arrival::of(request);
    let (mut parts, body) = request.into_parts();
    let mut body = Request::new(body);
    DefaultBodyLimit::max(limit).apply(&mut body);
    let bytes = Bytes::from_request(body, &()).await.map_err(|rejection| unreadable(&rejection))?;
    parts.extensions.insert(Received { bytes, is_json });
    Ok((Request::from_parts(parts, Body::empty()), arrival.was_late()))
}

/// The body that the guard has received. `None` in the handler of an endpoint that takes no body.
fn received(mut request: Request) -> Result<Received, Problem> {
    let undeclared = || AuthError::internal("the endpoint of this handler takes no body");
    Ok(request.extensions_mut().remove().ok_or_else(undeclared)?)
}

/// The fields of a request's body. Extracting them checks the syntax.
pub(crate) struct Fields(Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        Self::of(&received(request)?.bytes)
    }
}

/// The fields of a body that can be empty. An empty body has no fields and needs no content type.
pub(crate) struct OptionalFields(pub(crate) Fields);

impl<S: Send + Sync> FromRequest<S> for OptionalFields {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let Received { bytes, is_json } = received(request)?;
        match (bytes.is_empty(), is_json) {
            (true, _) => Ok(Self(Fields(Map::new()))),
            (false, true) => Fields::of(&bytes).map(Self),
            (false, false) => Err(ErrorCode::UnsupportedMediaType.into()),
        }
    }
}

/// Whether the headers declare JSON in UTF-8 without compression (specification §6.2).
fn is_json(headers: &HeaderMap) -> bool {
    // Of two values nobody knows which one another program on the way has believed.
    let are_single =
        [CONTENT_TYPE, CONTENT_ENCODING].iter().all(|name| headers.get_all(name).iter().count() < 2);
    let content_type = headers.get(CONTENT_TYPE).filter(|_| are_single);
    let Some(content_type) = content_type.and_then(|value| value.to_str().ok()) else { return false };
    let mut parts = content_type.split(';').map(|part| part.trim().to_ascii_lowercase());
    let essence = parts.next().unwrap_or_default();
    let is_json = essence == "application/json"
        || (essence.starts_with("application/")
            && essence.ends_with("+json")
            && essence.matches('/').count() == 1);
    let utf8 = parts.filter_map(|part| part.strip_prefix("charset=").map(str::to_owned)).all(|charset| {
        let charset = charset.trim_matches('"');
        charset == "utf-8" || charset == "utf8"
    });
    let plain = headers.get(CONTENT_ENCODING).is_none_or(|value| value == "identity");
    is_json && utf8 && plain
}

/// A body beyond the limit is too large; any other body that cannot be read is malformed.
fn unreadable(rejection: &BytesRejection) -> Problem {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ErrorCode::PayloadTooLarge.into(),
        _ => ErrorCode::MalformedRequest.into(),
    }
}

impl Fields {
    fn of(bytes: &[u8]) -> Result<Self, Problem> {
        json::object(bytes).map(Self).ok_or_else(|| AuthError::MalformedRequest.into())
    }

    /// A required string. It can be empty.
    pub(crate) fn string(&mut self, field: &'static str) -> Result<String, FieldErrors> {
        match self.0.remove(field) {
            Some(Value::String(text)) => Ok(text),
            None | Some(Value::Null) => Err(FieldErrors::standard(field, FieldText::Required)),
            Some(_) => Err(FieldErrors::standard(field, FieldText::NotAString)),
        }
    }

    /// A required string that is not empty.
    pub(crate) fn non_empty_string(&mut self, field: &'static str) -> Result<String, FieldErrors> {
        let text = self.string(field)?;
        if text.is_empty() {
            return Err(FieldErrors::standard(field, FieldText::Required));
        }
        Ok(text)
    }

    /// The field `currentPassword`, which a user with a password must send, and another user must not.
    pub(crate) fn current_password(&mut self, has_password: bool) -> Result<Option<Password>, FieldErrors> {
        const FIELD: &str = "currentPassword";
        match (has_password, self.contains(FIELD)) {
            (true, _) => self.non_empty_string(FIELD).map(Password::to_check).map(Some),
            (false, false) => Ok(None),
            (false, true) => Err(FieldErrors::standard(FIELD, FieldText::NoCurrentPassword)),
        }
    }

    /// An optional string. It can be empty.
    pub(crate) fn optional_string(&mut self, field: &'static str) -> Result<Option<String>, FieldErrors> {
        if self.contains(field) { self.string(field).map(Some) } else { Ok(None) }
    }

    /// The field `username` of a new account.
    pub(crate) fn new_username(&mut self, rules: UsernameRules<'_>) -> Result<Option<Username>, FieldErrors> {
        if !rules.field.is_present() {
            return Ok(None);
        }
        rules.chosen(self.optional_string(USERNAME)?.as_deref())
    }

    /// What becomes of the user name of a user who sends the field `username`, or does not send it.
    pub(crate) fn changed_username(
        &mut self,
        rules: UsernameRules<'_>,
        user: &dyn UserRecord,
    ) -> Result<UsernameChange, FieldErrors> {
        if !rules.field.is_present() {
            return Ok(UsernameChange::Keep);
        }
        let sent = match self.0.get(USERNAME) {
            None => None,
            Some(Value::Null) => Some(None),
            Some(_) => Some(Some(self.string(USERNAME)?)),
        };
        rules.changed(sent.as_ref().map(Option::as_deref), user)
    }

    /// A required object, whose members another specification defines.
    pub(crate) fn object(&mut self, field: &'static str) -> Result<Value, FieldErrors> {
        match self.0.remove(field) {
            Some(object @ Value::Object(_)) => Ok(object),
            None | Some(Value::Null) => Err(FieldErrors::standard(field, FieldText::Required)),
            Some(_) => Err(FieldErrors::standard(field, FieldText::NotAnObject)),
        }
    }

    /// A required list of strings. It can be empty.
    pub(crate) fn texts(&mut self, field: &'static str) -> Result<Vec<String>, FieldErrors> {
        let of_another_type = || FieldErrors::standard(field, FieldText::NotAList);
        let text = |item| match item {
            Value::String(text) => Ok(text),
            _ => Err(of_another_type()),
        };
        match self.0.remove(field) {
            Some(Value::Array(items)) => items.into_iter().map(text).collect(),
            None | Some(Value::Null) => Err(FieldErrors::standard(field, FieldText::Required)),
            Some(_) => Err(of_another_type()),
        }
    }

    /// An optional number.
    pub(crate) fn optional_number(&mut self, field: &'static str) -> Result<Option<Number>, FieldErrors> {
        match self.0.remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(number)) => Ok(Some(number)),
            Some(_) => Err(FieldErrors::standard(field, FieldText::NotANumber)),
        }
    }

    /// An optional boolean.
    pub(crate) fn optional_bool(&mut self, field: &'static str) -> Result<Option<bool>, FieldErrors> {
        match self.0.remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(value)),
            Some(_) => Err(FieldErrors::standard(field, FieldText::NotABoolean)),
        }
    }

    /// The field `remember`, which only browsers send.
    pub(crate) fn remember(&mut self, visitor: &Visitor) -> Result<bool, FieldErrors> {
        match visitor.transport {
            Transport::Cookies(_) => self.optional_bool("remember").map(Option::unwrap_or_default),
            Transport::Tokens => Ok(false),
        }
    }

    /// The visitor with the field `deviceToken`, which clients that keep tokens send. What is no text is no token.
    pub(crate) fn on_device(&mut self, visitor: Visitor) -> Visitor {
        match self.0.remove("deviceToken") {
            Some(Value::String(token)) => visitor.on_device(Some(&token)),
            _ => visitor,
        }
    }

    /// The fields `code` and `recoveryCode`, of which at most one may be present.
    pub(crate) fn second_factor(&mut self) -> Result<Option<SecondFactor>, FieldErrors> {
        match (self.contains("code"), self.contains("recoveryCode")) {
            (false, false) => Ok(None),
            (true, false) => self.non_empty_string("code").map(SecondFactor::Code).map(Some),
            (false, true) => self.non_empty_string("recoveryCode").map(SecondFactor::RecoveryCode).map(Some),
            (true, true) => Err(FieldErrors::standard("recoveryCode", FieldText::CodeConflict)),
        }
    }

    /// Whether a field is present and not null.
    pub(crate) fn contains(&self, field: &str) -> bool {
        self.0.get(field).is_some_and(|value| !value.is_null())
    }

    /// The fields `password` and `passwordConfirmation` of every endpoint that sets a password.
    pub(crate) fn new_password(
        &mut self,
        min_characters: usize,
        read: &mut FieldCollector,
    ) -> Option<NewPassword> {
        let password = read.take(self.string("password"));
        let confirmation = read.take(self.string("passwordConfirmation"));
        let (password, confirmation) = password.zip(confirmation)?;
        read.take(NewPassword::parse(password, &confirmation, min_characters))
    }

    /// The remaining fields that a host's action has declared. The fields of a user record are never among them, even
    /// if the action declares them (specification §3.5).
    pub(crate) fn extra(self, declared: &[&str], rules: UsernameRules<'_>) -> Map<String, Value> {
        let is_extra = |name: &str| declared.contains(&name) && !UserField::is_wire_name(name, rules.field);
        self.0.into_iter().filter(|(name, _)| is_extra(name)).collect()
    }
}
