//! JSON Schemas (draft 2020-12) of bodies and of what is in them.

use super::{OpenApi, set, upper_camel};
use crate::config::AuthConfig;
use crate::endpoint::{
    Endpoint, EndpointBody, EndpointContent, EndpointField, EndpointFieldKind, EndpointResponse, RouterKind,
};
use crate::values::{EMAIL_BYTES, LEAST_USERNAME, LONGEST_USERNAME, NAME_CHARACTERS, PASSWORD_BYTES};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The schemas of a document by their names, each of which begins with the module's.
pub(super) struct Schemas {
    prefix: String,
    min_password_characters: usize,
    trusts_devices: bool,
    components: Map<String, Value>,
}

impl Schemas {
    pub(super) fn new(config: &AuthConfig, trusts_devices: bool, name: &str) -> Self {
        Self {
            prefix: upper_camel(name),
            min_password_characters: config.password_min_characters,
            trusts_devices,
            components: Map::new(),
        }
    }

    pub(super) fn into_components(self) -> Map<String, Value> {
        self.components
    }

    /// Adds a schema unless it is there, and returns a reference to it.
    pub(super) fn component(&mut self, name: &str, schema: impl FnOnce(&mut Self) -> Value) -> Value {
        let name = format!("{}{name}", self.prefix);
        if !self.components.contains_key(&name) {
            let schema = schema(self);
            self.components.insert(name.clone(), schema);
        }
        json!({ "$ref": format!("#/components/schemas/{name}") })
    }

    /// The body of a request, if the endpoint reads one.
    pub(super) fn request(&mut self, endpoint: &Endpoint, router: RouterKind) -> Option<Value> {
        let fields = match endpoint.body {
            EndpointBody::None => return None,
            EndpointBody::Optional(fields)
            | EndpointBody::Required(fields)
            | EndpointBody::Extensible(fields) => fields,
        };
        let name = format!("{}{}Request", self.of_router(fields, router), upper_camel(endpoint.operation));
        let is_extensible = matches!(endpoint.body, EndpointBody::Extensible(_));
        Some(self.component(&name, |schemas| {
            let mut schema = schemas.object(fields, router, or_null);
            if is_extensible {
                set(&mut schema, "additionalProperties", true.into());
                set(&mut schema, "description", "The application can have further fields.".into());
            }
            schema
        }))
    }

    /// The successful responses of the endpoint, one for each status.
    pub(super) fn successes(
        &mut self,
        openapi: &OpenApi<'_>,
        endpoint: &Endpoint,
        router: RouterKind,
    ) -> Vec<Success> {
        let (trusts_devices, has_challenges) = (self.trusts_devices, openapi.has_challenges());
        let is_possible = |response: &&EndpointResponse| match response.content {
            EndpointContent::Object(members) => members.iter().all(|member| {
                (has_challenges || !member.kind.is_challenge_token())
                    && (trusts_devices || !member.only_with_devices)
            }),
            EndpointContent::List(..) | EndpointContent::Redirect(_) | EndpointContent::Page(_) => true,
        };
        let mut by_status: BTreeMap<u16, (Vec<Value>, Vec<String>)> = BTreeMap::new();
        for response in endpoint.possible_responses(openapi.config).filter(is_possible) {
            let schema = self.response(response, router);
            let what = match response.content {
                EndpointContent::Object(_) => {
                    format!("`{}{}`", self.prefix, self.response_name(response, router))
                }
                EndpointContent::List(_, description)
                | EndpointContent::Redirect(description)
                | EndpointContent::Page(description) => description.to_owned(),
            };
            let description = format!("{what} {}", response.when.description()).trim_end().to_owned();
            let (schemas, descriptions) = by_status.entry(endpoint.status_with(response)).or_default();
            schemas.extend(schema);
            descriptions.push(description);
        }
        let success = |(status, (mut schemas, descriptions)): (u16, (Vec<Value>, Vec<String>))| {
            let body = match (status, schemas.len()) {
                (303, _) => SuccessBody::Redirect,
                (_, 0) => SuccessBody::Page,
                (_, 1) => SuccessBody::Json(schemas.remove(0)),
                _ => SuccessBody::Json(json!({ "anyOf": schemas })),
            };
            Success { status, body, description: descriptions.join(", or ") }
        };
        by_status.into_iter().map(success).collect()
    }

    /// The schema of the JSON of a response, if it has JSON.
    fn response(&mut self, response: &EndpointResponse, router: RouterKind) -> Option<Value> {
        let name = self.response_name(response, router);
        match response.content {
            EndpointContent::Object(members) => Some(
                self.component(&name, |schemas| schemas.object(members, router, std::convert::identity)),
            ),
            EndpointContent::List(of, description) => Some(self.component(&name, |schemas| {
                json!({ "type": "array", "items": schemas.kind(of, router), "description": description })
            })),
            EndpointContent::Redirect(_) | EndpointContent::Page(_) => None,
        }
    }

    /// An object with these fields on this router. `optional` makes the schema of an optional one from that of its kind.
    fn object(&self, fields: &[EndpointField], router: RouterKind, optional: fn(Value) -> Value) -> Value {
        let fields: Vec<_> = fields.iter().filter(|field| field.is_on(router) && self.has(field)).collect();
        let schema = |field: &EndpointField| match field.is_required {
            true => self.kind(field.kind, router),
            false => optional(self.kind(field.kind, router)),
        };
        let properties: Map<_, _> =
            fields.iter().map(|field| (field.name.to_owned(), schema(field))).collect();
        let required: Vec<_> =
            fields.iter().filter(|field| field.is_required).map(|field| field.name).collect();
        let mut object = json!({ "type": "object" });
        if !properties.is_empty() {
            set(&mut object, "properties", properties.into());
        }
        if !required.is_empty() {
            set(&mut object, "required", required.into());
        }
        object
    }

    /// `SignedIn`, or `BrowserSignedIn` if the browser router has another one.
    fn response_name(&self, response: &EndpointResponse, router: RouterKind) -> String {
        let members = match response.content {
            EndpointContent::Object(members) => members,
            EndpointContent::List(..) | EndpointContent::Redirect(_) | EndpointContent::Page(_) => &[],
        };
        format!("{}{}", self.of_router(members, router), response.name)
    }

    /// What the name of an object with these fields begins with.
    fn of_router(&self, fields: &[EndpointField], router: RouterKind) -> &'static str {
        let differs = fields.iter().any(|field| self.has(field) && field.only_on.is_some());
        if differs && router == RouterKind::Browser { "Browser" } else { "" }
    }

    /// Whether the module has the field.
    const fn has(&self, field: &EndpointField) -> bool {
        self.trusts_devices || !field.only_with_devices
    }

    /// What a field of this kind holds.
    pub(super) fn kind(&self, kind: EndpointFieldKind, router: RouterKind) -> Value {
        use EndpointFieldKind as Kind;
        match kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::NonEmptyText => json!({ "type": "string", "minLength": 1 }),
            Kind::TextOrNothing => {
                let types = ["string", "number", "boolean", "array", "object"];
                let description = "A text. Anything else counts as if the field was left out.";
                json!({ "type": types, "description": description })
            }
            Kind::UserName => json!({
                "type": "string", "minLength": 1, "maxLength": NAME_CHARACTERS,
                "description": "It must not be blank or have control characters or invisible ones.",
            }),
            Kind::Username => json!({
                "type": "string", "minLength": LEAST_USERNAME, "maxLength": LONGEST_USERNAME,
                "pattern": "^[A-Za-z][A-Za-z0-9._-]*$",
                "description": "Capital letters become small ones.",
            }),
            Kind::EmailAddress => {
                json!({ "type": "string", "format": "email", "minLength": 1, "maxLength": EMAIL_BYTES })
            }
            Kind::Password => json!({ "type": "string", "format": "password", "minLength": 1 }),
            Kind::NewPassword => json!({
                "type": "string", "format": "password",
                "minLength": self.min_password_characters, "maxLength": PASSWORD_BYTES,
                "description": format!("At most {PASSWORD_BYTES} bytes in UTF-8, without NUL."),
            }),
            Kind::OneTimeCode => json!({
                "type": "string", "minLength": 1, "examples": ["123456"],
                "description": "The six digits that the authenticator app shows.",
            }),
            Kind::RecoveryCode => json!({ "type": "string", "minLength": 1 }),
            Kind::AccessToken => {
                json!({ "type": "string", "minLength": 1, "description": "For `Authorization: Bearer`." })
            }
            Kind::RefreshToken => {
                json!({ "type": "string", "minLength": 1, "description": "Can be exchanged once." })
            }
            Kind::ChallengeToken => {
                json!({ "type": "string", "minLength": 1, "description": "Continues the login." })
            }
            Kind::Time => json!({ "type": "string", "format": "date-time" }),
            Kind::Svg => json!({ "type": "string", "contentMediaType": "image/svg+xml" }),
            Kind::Uri => json!({ "type": "string", "format": "uri" }),
            Kind::Base32 => json!({ "type": "string", "pattern": "^[A-Z2-7]+$" }),
            Kind::OneOf(words) => json!({ "type": "string", "enum": words }),
            Kind::Bool => json!({ "type": "boolean" }),
            Kind::Always(value) => json!({ "type": "boolean", "enum": [value] }),
            Kind::Number => json!({ "type": "integer", "minimum": 0 }),
            Kind::List(of) => json!({ "type": "array", "items": self.kind(*of, router) }),
            Kind::AnyObject => json!({ "type": "object", "description": "As WebAuthn Level 3 defines it." }),
            Kind::Object(members) => self.object(members, router, std::convert::identity),
            Kind::OrNull(of) => or_null(self.kind(*of, router)),
        }
    }
}

/// A successful response: the status, the body, and what the body is.
pub(super) struct Success {
    pub(super) status: u16,
    pub(super) body: SuccessBody,
    pub(super) description: String,
}

/// The body of a successful response.
pub(super) enum SuccessBody {
    /// JSON with this schema.
    Json(Value),
    /// An HTML page.
    Page,
    /// None, with a header `Location`.
    Redirect,
}

/// The schema of a value of this type or these, or of `null`. Every schema of a kind has a type.
fn or_null(mut schema: Value) -> Value {
    let mut types = match schema.get("type").cloned() {
        Some(Value::Array(types)) => types,
        own => own.into_iter().collect(),
    };
    types.push("null".into());
    set(&mut schema, "type", types.into());
    schema
}
