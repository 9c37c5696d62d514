//! What a module's OpenAPI document promises of its responses. The client of the tests holds each of them against it.

use super::Account;
use super::answer::Answer;
use super::routers::BROWSER_ROUTER;
use axum_auth_module::AuthModule;
use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex};

/// The headers that HTTP itself needs, and the one that the name of the content stands for.
const OF_HTTP: [&str; 5] = ["allow", "content-length", "content-type", "date", "transfer-encoding"];

/// A document, read strictly: a member that it does not name must not be there.
pub(crate) struct Description {
    document: Value,
    strict_components: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// By what the document is made of, because many hosts have the same one, and making it takes long.
static KNOWN: LazyLock<Mutex<HashMap<String, Arc<Description>>>> = LazyLock::new(Mutex::default);

impl Description {
    /// The document of a module, with its routers where the hosts of the tests have them.
    pub(crate) fn of(auth: &AuthModule<Account>) -> Arc<Self> {
        let openapi = auth.openapi().router("/auth").browser_router(BROWSER_ROUTER);
        let mut known = KNOWN.lock().unwrap();
        let known = known.entry(format!("{openapi:?}"));
        Arc::clone(known.or_insert_with(|| Arc::new(Self::new(openapi.build().into()))))
    }

    pub(crate) fn new(document: Value) -> Self {
        let mut strict_components = document["components"].clone();
        close(&mut strict_components);
        Self { document, strict_components, validators: Mutex::default() }
    }

    /// The document says that a request to this path can have this answer.
    #[track_caller]
    pub(crate) fn is_kept(&self, method: &Method, path: &str, body: Option<&[u8]>, answer: &Answer) {
        if let Err(difference) = self.compare(method, path, body, answer) {
            let (status, text) = (answer.status, &answer.text);
            panic!("the OpenAPI document differs from {method} {path}, {status}: {difference}\n{text}");
        }
    }

    pub(crate) fn compare(
        &self,
        method: &Method,
        path: &str,
        body: Option<&[u8]>,
        answer: &Answer,
    ) -> Result<(), String> {
        let path = path.split('?').next().unwrap_or_default();
        let Some(methods) = self.path(path) else {
            return is(answer, &[(404, "not_found")], method);
        };
        let name = if *method == Method::HEAD { "get".to_owned() } else { method.as_str().to_lowercase() };
        let is_method_refused = answer.status == 405 || !methods.contains_key(&name);
        if is_method_refused {
            let allowed: BTreeSet<_> = methods.keys().map(|method| method.to_uppercase()).collect();
            let refused = is(answer, &[(405, "method_not_allowed"), (403, "cross_origin_request")], method);
            let said = answer.header("allow").map(|methods| {
                methods
                    .split([',', ' '])
                    .filter(|name| !name.is_empty() && *name != "HEAD")
                    .collect::<BTreeSet<_>>()
            });
            let is_right = said.is_none_or(|said| said.iter().eq(allowed.iter()));
            let is_head = *method == Method::HEAD;
            return match (is_right, is_head || !methods.contains_key(&name)) {
                (true, true) => refused,
                _ => Err(format!("`Allow` is not {allowed:?}, or the method is there")),
            };
        }
        let operation = &methods[&name];
        let response = &operation["responses"][answer.status.to_string()];
        if response.is_null() {
            return Err("it has no such status".to_owned());
        }
        self.headers(response, answer)?;
        if *method != Method::HEAD {
            let content_type = answer.header("content-type").unwrap_or_default();
            let schema = &response["content"][content_type]["schema"];
            match (schema.is_null(), answer.text.is_empty()) {
                (true, false) => return Err(format!("it has no {content_type}")),
                (true, true) if !response["content"].is_null() => return Err("there is no body".to_owned()),
                (true, true) => {}
                (false, _) => self.validate(schema, &answer.body, Reading::Strict)?,
            }
        }
        // What was accepted is described, too.
        match body {
            Some(body) if answer.status < 300 => self.request(operation, body),
            _ => Ok(()),
        }
    }

    /// The methods of the path of a request.
    fn path(&self, path: &str) -> Option<&serde_json::Map<String, Value>> {
        let parts: Vec<_> = path.split('/').collect();
        let is_it = |template: &str| {
            let template: Vec<_> = template.split('/').collect();
            template.len() == parts.len()
                && template.iter().zip(&parts).all(|(own, part)| match own.starts_with('{') {
                    true => !part.is_empty(),
                    false => own == part,
                })
        };
        let paths = self.document["paths"].as_object().unwrap();
        // A path without parameters comes before one that has them.
        let mut found: Vec<_> = paths.iter().filter(|(template, _)| is_it(template)).collect();
        found.sort_by_key(|(template, _)| template.contains('{'));
        found.first().and_then(|(_, methods)| methods.as_object())
    }

    fn headers(&self, response: &Value, answer: &Answer) -> Result<(), String> {
        let described = response["headers"].as_object().cloned().unwrap_or_default();
        for (name, header) in &described {
            let values: Vec<_> = answer.headers.get_all(name).iter().collect();
            if values.is_empty() && header["required"] == true {
                return Err(format!("there is no {name}"));
            }
            for value in values {
                let text = value.to_str().unwrap();
                let value = match header["schema"]["type"].as_str() {
                    Some("integer") => serde_json::from_str(text).unwrap_or(Value::Null),
                    _ => text.into(),
                };
                self.validate(&header["schema"], &value, Reading::Strict)
                    .map_err(|error| format!("{name}: {error}"))?;
            }
        }
        let is_named = |name: &str| described.keys().any(|own| own.eq_ignore_ascii_case(name));
        let unnamed =
            answer.headers.keys().find(|name| !is_named(name.as_str()) && !OF_HTTP.contains(&name.as_str()));
        unnamed.map_or(Ok(()), |name| Err(format!("it has no header {name}")))
    }

    fn request(&self, operation: &Value, body: &[u8]) -> Result<(), String> {
        let described = &operation["requestBody"];
        let schema = &described["content"]["application/json"]["schema"];
        if schema.is_null() || (body.is_empty() && described["required"] == false) {
            return Ok(());
        }
        let body = serde_json::from_slice(body).map_err(|error| format!("the request's body: {error}"))?;
        let valid = self.validate(schema, &body, Reading::Open);
        valid.map_err(|error| format!("the request was accepted: {error}"))
    }

    fn validate(&self, schema: &Value, value: &Value, reading: Reading) -> Result<(), String> {
        let key = format!("{reading:?} {schema}");
        let known = self.validators.lock().unwrap().get(&key).cloned();
        let validator = known.unwrap_or_else(|| {
            let (mut schema, components) = match reading {
                Reading::Strict => (schema.clone(), &self.strict_components),
                Reading::Open => (schema.clone(), &self.document["components"]),
            };
            if reading == Reading::Strict {
                close(&mut schema);
            }
            let whole = json!({ "components": components, "allOf": [schema] });
            let options =
                jsonschema::draft202012::options().should_validate_formats(reading == Reading::Strict);
            let validator = Arc::new(options.build(&whole).expect("a JSON Schema"));
            self.validators.lock().unwrap().insert(key, Arc::clone(&validator));
            validator
        });
        let errors =
            validator.iter_errors(value).map(|error| format!("{error} at `{}`", error.instance_path()));
        let errors: Vec<_> = errors.collect();
        if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
    }
}

/// How a schema is read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reading {
    /// Members that it does not name are wrong, and so are texts that do not have their format.
    Strict,
    /// As JSON Schema is.
    Open,
}

/// Forbids members without a name in every object of a schema.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.contains_key("properties") && !members.contains_key("additionalProperties") {
                members.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// The answer is one of these problems.
fn is(answer: &Answer, problems: &[(u16, &str)], method: &Method) -> Result<(), String> {
    let fits = |(status, code): &(u16, &str)| {
        answer.status == *status && (*method == Method::HEAD || answer.code() == *code)
    };
    if problems.iter().any(fits) {
        Ok(())
    } else {
        Err(format!("it has no such path or method: not {problems:?}"))
    }
}
