//! The schemas of error responses: a problem document (RFC 9457) for each code.

use super::schema::Schemas;
use super::{set, upper_camel};
use crate::assurance::{Level, Proof};
use crate::error::ErrorCode;
use serde_json::{Value, json};

/// The schema of a response that has one of these codes, which programs tell apart by `code`.
pub(super) fn problems(codes: &[ErrorCode], schemas: &mut Schemas) -> Value {
    let mut refs: Vec<_> = codes.iter().map(|code| problem(*code, schemas)).collect();
    if refs.len() == 1 {
        return refs.remove(0);
    }
    let target = |of: &Value| of.get("$ref").cloned().unwrap_or_default();
    let mapping = codes.iter().zip(&refs).map(|(code, of)| (code.as_str().to_owned(), target(of)));
    let discriminator = json!({ "propertyName": "code", "mapping": mapping.collect::<Value>() });
    json!({ "oneOf": refs, "discriminator": discriminator })
}

/// The problem document with this code.
fn problem(code: ErrorCode, schemas: &mut Schemas) -> Value {
    schemas.component(&format!("{}Problem", upper_camel(code.as_str())), |schemas| {
        let mut properties = json!({
            "type": { "type": "string", "enum": ["about:blank"] },
            "title": { "type": "string" },
            "status": { "type": "integer", "enum": [code.status()] },
            "detail": { "type": "string", "description": "A sentence for people; it can change." },
            "code": { "type": "string", "enum": [code.as_str()] },
        });
        let mut required = vec!["type", "title", "status", "detail", "code"];
        for (member, of, is_required) in further_members(code, schemas) {
            set(&mut properties, member, of);
            required.extend(is_required.then_some(member));
        }
        json!({
            "type": "object",
            "description": format!("{}.", code.description()),
            "properties": properties,
            "required": required,
        })
    })
}

/// What the problem with this code has beside the members of all: the name, the schema, and whether it is always there.
fn further_members(code: ErrorCode, schemas: &mut Schemas) -> Vec<(&'static str, Value, bool)> {
    match code {
        ErrorCode::ValidationFailed => {
            let error = schemas.component("FieldError", |_| {
                json!({
                    "type": "object",
                    "properties": {
                        "field": { "type": "string" },
                        "code": { "type": "string" },
                        "detail": { "type": "string", "description": "A sentence for people; it can change." },
                    },
                    "required": ["field", "code", "detail"],
                })
            });
            vec![("errors", json!({ "type": "array", "items": error, "minItems": 1 }), true)]
        }
        ErrorCode::PasswordConfirmationRequired => {
            let method = json!({ "type": "string", "enum": ["password", "code"] });
            vec![
                ("methods", json!({ "type": "array", "items": method }), false),
                ("confirmWith", proofs(), true),
            ]
        }
        ErrorCode::InsufficientUserAuthentication => {
            let level = json!({ "type": "string", "enum": Level::NAMES });
            vec![
                ("acrValues", json!({ "type": "array", "items": level, "minItems": 1 }), true),
                ("maxAge", json!({ "type": "integer", "minimum": 1, "maximum": 86_400 }), false),
                ("methods", proofs(), true),
            ]
        }
        ErrorCode::AccountExists => {
            let token = json!({
                "type": "string", "minLength": 1,
                "description": "Links the identity to the account; browsers have it in a cookie.",
            });
            vec![("linkToken", token, false)]
        }
        ErrorCode::AccountPendingDeletion => {
            let token = json!({
                "type": "string", "minLength": 1,
                "description": "Restores the account; browsers have it in a cookie.",
            });
            let time = json!({ "type": "string", "format": "date-time" });
            vec![("deletesAt", time, true), ("restoreToken", token, false)]
        }
        ErrorCode::NotAllowed => vec![("reason", json!({ "type": "string" }), true)],
        _ => Vec::new(),
    }
}

/// What a user can prove.
fn proofs() -> Value {
    let proof = json!({ "type": "string", "enum": Proof::NAMES });
    json!({ "type": "array", "items": proof })
}
