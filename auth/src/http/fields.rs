//! The body of a request: read whole, within a limit, as one strict JSON object, and then field by field.

use super::Problem;
use super::json;
use crate::error::{AuthError, ErrorCode, FieldCollector, FieldErrors};
use crate::user::UserField;
use crate::values::NewPassword;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};

/// The fields of a request's body. Extracting it checks content type, size and syntax, in this order.
pub(crate) struct Fields(Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if !says_json(request.headers()) {
            return Err(ErrorCode::UnsupportedMediaType.into());
        }
        Self::of(&read(request, state).await?)
    }
}

/// The fields of a body that may be left out, with or without a content type: then there are none.
pub(crate) struct OptionalFields(pub(crate) Fields);

impl<S: Send + Sync> FromRequest<S> for OptionalFields {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let is_json = says_json(request.headers());
        let bytes = read(request, state).await?;
        match (bytes.is_empty(), is_json) {
            (true, _) => Ok(Self(Fields(Map::new()))),
            (false, true) => Fields::of(&bytes).map(Self),
            (false, false) => Err(ErrorCode::UnsupportedMediaType.into()),
        }
    }
}

/// Reads the body, and no further than `DefaultBodyLimit` says, which `http::routes` sets.
async fn read<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Problem> {
    Bytes::from_request(request, state).await.map_err(|rejection| unreadable(&rejection))
}

/// `application/json` or a type built on it, in UTF-8, and not compressed.
fn says_json(headers: &HeaderMap) -> bool {
    let Some(content_type) = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
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

/// A body that broke off is malformed; one that would not end is too large.
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

    /// A field that has to be there and be a string.
    pub(crate) fn string(&mut self, field: &'static str) -> Result<String, FieldErrors> {
        match self.0.remove(field) {
            Some(Value::String(text)) => Ok(text),
            None | Some(Value::Null) => Err(FieldErrors::one(field, "required", "The field is required.")),
            Some(_) => Err(FieldErrors::one(field, "wrong_type", "The field has to be a string.")),
        }
    }

    /// A field that has to be there and be a string that is not empty.
    pub(crate) fn non_empty_string(&mut self, field: &'static str) -> Result<String, FieldErrors> {
        let text = self.string(field)?;
        if text.is_empty() {
            return Err(FieldErrors::one(field, "required", "The field is required."));
        }
        Ok(text)
    }

    /// A field that may be absent and otherwise is `true` or `false`.
    pub(crate) fn optional_bool(&mut self, field: &'static str) -> Result<Option<bool>, FieldErrors> {
        match self.0.remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(value)),
            Some(_) => Err(FieldErrors::one(field, "wrong_type", "The field has to be true or false.")),
        }
    }

    /// Whether a field is there and not null.
    pub(crate) fn contains(&self, field: &str) -> bool {
        self.0.get(field).is_some_and(|value| !value.is_null())
    }

    /// `password` and `passwordConfirmation`, everywhere where a password is set.
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

    /// Those of the remaining fields that a host's action asks for, and never one of a user record, whatever it asks
    /// for (specification §3.5).
    pub(crate) fn extra(self, asked_for: &[&str]) -> Map<String, Value> {
        let of_a_record = |name: &str| UserField::ALL.iter().any(|field| field.wire_name() == name);
        let wanted = |name: &str| asked_for.contains(&name) && !of_a_record(name);
        self.0.into_iter().filter(|(name, _)| wanted(name)).collect()
    }
}
