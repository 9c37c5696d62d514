//! The finished document.

use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;

/// An OpenAPI 3.1 document. It serialises to its JSON.
///
/// It is plain JSON and no type of another crate, so that it works with every version of every crate for OpenAPI: a
/// [`Value`] can be read into their types.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Document(Value);

/// Both documents have something of this name, and it is not the same in both.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameTaken {
    /// Where it is in both documents, as a JSON pointer (RFC 6901): `/components/schemas/AuthMessage`.
    pub pointer: String,
}

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer } = self;
        write!(f, "both documents have {pointer}; give the module another name with `OpenApi::name`")
    }
}

impl std::error::Error for NameTaken {}

impl Document {
    pub(super) const fn new(document: Value) -> Self {
        Self(document)
    }

    /// The document as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.0.to_string()
    }

    /// Adds the paths, components and tags to the host's own document. Its other members stay as they are.
    ///
    /// # Errors
    /// [`NameTaken`] if the host's document has an operation or a component of the same name that is different, or if a member
    /// is not an object where OpenAPI has one. The host's document is then unchanged.
    pub fn merge_into(self, host: &mut Value) -> Result<(), NameTaken> {
        let Value::Object(own) = self.0 else { return Ok(()) };
        let mut merged = host.clone();
        for (member, value) in own.into_iter().filter(|(member, _)| is_shared(member)) {
            let Value::Object(members) = &mut merged else { return Err(taken("")) };
            // Below these two names are maps of things by their name.
            let levels = 2;
            add(members, (&member, value), "", levels)?;
        }
        *host = merged;
        Ok(())
    }
}

/// The members of a document that contain what belongs to the module alone.
fn is_shared(member: &str) -> bool {
    matches!(member, "paths" | "components" | "tags")
}

/// Adds a member, and joins what is there with it for so many levels of objects.
fn add(
    to: &mut Map<String, Value>,
    (name, value): (&str, Value),
    within: &str,
    levels: usize,
) -> Result<(), NameTaken> {
    let pointer = format!("{within}/{}", name.replace('~', "~0").replace('/', "~1"));
    match (to.get_mut(name), value) {
        (None, value) => {
            to.insert(name.to_owned(), value);
            Ok(())
        }
        (Some(Value::Object(there)), Value::Object(members)) if levels > 0 => {
            members.into_iter().try_for_each(|(name, value)| add(there, (&name, value), &pointer, levels - 1))
        }
        (Some(Value::Array(there)), Value::Array(items)) => {
            let new: Vec<_> = items.into_iter().filter(|item| !there.contains(item)).collect();
            there.extend(new);
            Ok(())
        }
        (Some(there), value) => {
            if *there == value {
                Ok(())
            } else {
                Err(NameTaken { pointer })
            }
        }
    }
}

fn taken(pointer: &str) -> NameTaken {
    NameTaken { pointer: pointer.to_owned() }
}

impl From<Document> for Value {
    fn from(document: Document) -> Self {
        document.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ours() -> Document {
        Document::new(json!({
            "openapi": "3.1.0",
            "info": { "title": "ours" },
            "paths": { "/auth/login": { "post": { "operationId": "authLogin" } } },
            "components": { "schemas": { "AuthMessage": { "type": "object" } } },
            "tags": [{ "name": "auth: login" }],
        }))
    }

    #[test]
    fn a_document_is_added_to_one_that_has_its_own() {
        let mut host = json!({
            "openapi": "3.1.1",
            "info": { "title": "theirs" },
            "paths": { "/auth/login": { "get": {} }, "/articles": {} },
            "components": { "schemas": { "Article": {} }, "headers": {} },
        });
        ours().merge_into(&mut host).unwrap();
        // Twice the same changes nothing.
        let once = host.clone();
        ours().merge_into(&mut host).unwrap();
        assert_eq!(host, once);
        assert_eq!((&host["openapi"], &host["info"]["title"]), (&json!("3.1.1"), &json!("theirs")));
        assert_eq!(
            host["paths"],
            json!({
                "/auth/login": { "get": {}, "post": { "operationId": "authLogin" } },
                "/articles": {},
            })
        );
        assert_eq!(
            host["components"],
            json!({ "schemas": { "Article": {}, "AuthMessage": { "type": "object" } }, "headers": {} })
        );
        assert_eq!(host["tags"], json!([{ "name": "auth: login" }]));
    }

    #[test]
    fn two_things_of_one_name_are_an_error_that_changes_nothing() {
        let hosts = [
            (json!({ "paths": { "/auth/login": { "post": {} } } }), "/paths/~1auth~1login/post"),
            (
                json!({ "components": { "schemas": { "AuthMessage": {} } } }),
                "/components/schemas/AuthMessage",
            ),
            (json!({ "tags": {} }), "/tags"),
            (json!([]), ""),
        ];
        for (host, pointer) in hosts {
            let mut changed = host.clone();
            let error = ours().merge_into(&mut changed).unwrap_err();
            assert_eq!((error.pointer.as_str(), changed), (pointer, host));
        }
    }
}
