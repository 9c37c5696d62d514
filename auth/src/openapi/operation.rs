//! An endpoint on one of the routers, as an operation.

use super::problem::problems;
use super::schema::{Schemas, Success, SuccessBody};
use super::security::Security;
use super::{OpenApi, set, upper_camel};
use crate::config::{ClientScope, Limit, LimitKey, LimitUnit};
use crate::endpoint::{Credential, Endpoint, EndpointBody, EndpointFieldKind, RouterKind};
use crate::error::ErrorCode;
use crate::http::Cookies;
use crate::languages::Language;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The operation of an endpoint, and the schemas and the security schemes that it names.
pub(super) fn operation(
    openapi: &OpenApi<'_>,
    (endpoint, router, path): (&Endpoint, RouterKind, &str),
    schemas: &mut Schemas,
    security: &mut Security<'_>,
) -> Value {
    let of_router = if router == RouterKind::Browser { "Browser" } else { "" };
    let mut operation = json!({
        "operationId": format!("{}{of_router}{}", openapi.name, upper_camel(endpoint.operation)),
        "summary": endpoint.summary,
        "tags": [openapi.tag(endpoint)],
        "security": security.requirements(endpoint, router),
        "responses": responses(openapi, endpoint, router, schemas),
    });
    let parameters = parameters(openapi, (endpoint, router, path), schemas);
    if !parameters.is_empty() {
        set(&mut operation, "parameters", parameters.into());
    }
    if let Some(schema) = schemas.request(endpoint, router) {
        let body_limit = openapi.config.body_limit;
        let body = json!({
            "required": !matches!(endpoint.body, EndpointBody::Optional(_)),
            "description": format!("At most {body_limit} bytes."),
            "content": { "application/json": { "schema": schema } },
        });
        set(&mut operation, "requestBody", body);
    }
    if !endpoint.limits.is_empty() {
        let limits = endpoint.limits.iter().map(|limit| limit_of(openapi, *limit));
        set(&mut operation, "x-rate-limits", limits.collect());
    }
    if let Some(description) = description(openapi, endpoint, router) {
        set(&mut operation, "description", description.into());
    }
    operation
}

/// The parameters in the path, those in the query, and the language.
fn parameters(
    openapi: &OpenApi<'_>,
    (endpoint, router, path): (&Endpoint, RouterKind, &str),
    schemas: &Schemas,
) -> Vec<Value> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let schema = schemas.kind(EndpointFieldKind::NonEmptyText, router);
    let in_path = names.map(|name| json!({ "name": name, "in": "path", "required": true, "schema": schema }));
    let fields = endpoint.query.iter().filter(|field| field.is_on(router));
    let in_query = fields.map(|field| {
        let schema = schemas.kind(field.kind, router);
        json!({ "name": field.name, "in": "query", "required": field.is_required, "schema": schema })
    });
    let language = openapi.messages.filter(|messages| messages.are_several()).map(|messages| {
        let tags: Vec<_> = messages.languages().map(Language::tag).collect();
        json!({
            "name": "Accept-Language", "in": "header", "required": false, "schema": { "type": "string" },
            "description": format!("The language of `detail` and `message`: {}.", tags.join(", ")),
        })
    });
    in_path.chain(in_query).chain(language).collect()
}

/// A limit with its configured value.
fn limit_of(openapi: &OpenApi<'_>, limit: Limit) -> Value {
    let value = openapi.config.limits.of(limit);
    json!({
        "option": limit.option(),
        "limit": value.limit,
        "seconds": value.window.as_secs(),
        "counts": match limit.counts() {
            LimitUnit::Failures => "failures",
            LimitUnit::Successes => "successes",
            LimitUnit::Calls => "calls",
        },
        "countedBy": match limit.counted_by() {
            LimitKey::PerAccount => "account",
            LimitKey::PerClient => "client",
            LimitKey::PerAccountAndClient => "account and client",
            LimitKey::PerKindAndAccount => "kind and account",
            LimitKey::PerKindAndAccountAndClient => "kind, account and client",
        },
        "fromClients": match limit.from_clients() {
            ClientScope::All => "all",
            ClientScope::Known => "known",
            ClientScope::Unknown => "unknown",
        },
        "description": limit.description(),
    })
}

/// What the other members of the operation do not say.
fn description(openapi: &OpenApi<'_>, endpoint: &Endpoint, router: RouterKind) -> Option<String> {
    let mut sentences = Vec::new();
    if requires_confirmation(openapi, endpoint, router) {
        sentences.push(
            "The password must have been confirmed recently in the same session, with `confirmPassword`."
                .to_owned(),
        );
    }
    if endpoint.credential_on(router) == Credential::ConfirmationWithoutPassword {
        sentences.push(
            "A user without a password must have confirmed recently in the same session, and sends no `currentPassword`."
                .to_owned(),
        );
    }
    if !endpoint.limits.is_empty() {
        sentences.push("Limits:".to_owned());
    }
    for limit in endpoint.limits {
        let value = openapi.config.limits.of(*limit);
        let (number, seconds) = (value.limit, value.window.as_secs());
        sentences.push(format!("* {}: {number} in {seconds} s", limit.description()));
    }
    (!sentences.is_empty()).then(|| sentences.join("\n"))
}

/// Whether the endpoint requires a recent confirmation with this configuration.
fn requires_confirmation(openapi: &OpenApi<'_>, endpoint: &Endpoint, router: RouterKind) -> bool {
    let confirmation = (endpoint.confirmation)(openapi.config);
    endpoint.credential_on(router) == Credential::RecentConfirmation
        && (confirmation.password || confirmation.second_factor)
}

/// The responses by their status.
fn responses(
    openapi: &OpenApi<'_>,
    endpoint: &Endpoint,
    router: RouterKind,
    schemas: &mut Schemas,
) -> Map<String, Value> {
    let mut responses = Map::new();
    for Success { status, body, description } in schemas.successes(openapi, endpoint, router) {
        let mut headers = headers(openapi, endpoint, router, status);
        let content = match body {
            SuccessBody::Json(schema) => Some(json!({ "application/json": { "schema": schema } })),
            SuccessBody::Page => {
                set(&mut headers, "Content-Security-Policy", always("default-src 'none'"));
                set(&mut headers, "Referrer-Policy", always("no-referrer"));
                Some(json!({ "text/html": { "schema": { "type": "string" } } }))
            }
            SuccessBody::Redirect => {
                set(&mut headers, "Referrer-Policy", always("no-referrer"));
                None
            }
        };
        let mut success = json!({ "description": description, "headers": headers });
        if let Some(content) = content {
            set(&mut success, "content", content);
        }
        responses.insert(status.to_string(), success);
    }
    // The operation is for a method that the path allows, and a declared confirmation may be off.
    let is_confirmation_off = endpoint.credential_on(router) == Credential::RecentConfirmation
        && !requires_confirmation(openapi, endpoint, router);
    let is_possible = |code: &ErrorCode| match code {
        ErrorCode::MethodNotAllowed => false,
        ErrorCode::PasswordConfirmationRequired => !is_confirmation_off,
        _ => true,
    };
    let mut by_status: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    for code in endpoint.errors_on(router).filter(is_possible) {
        by_status.entry(code.status()).or_default().push(code);
    }
    for (status, codes) in by_status {
        let lines = codes.iter().map(|code| format!("`{}`: {}", code.as_str(), code.description()));
        let refusal = json!({
            "description": lines.collect::<Vec<_>>().join("\n\n"),
            "headers": headers(openapi, endpoint, router, status),
            "content": { "application/problem+json": { "schema": problems(&codes, schemas) } },
        });
        responses.insert(status.to_string(), refusal);
    }
    responses
}

/// The headers of a response with this status, beside those of its body.
fn headers(openapi: &OpenApi<'_>, endpoint: &Endpoint, router: RouterKind, status: u16) -> Value {
    let mut headers = json!({ "Cache-Control": always("no-store") });
    if let Some(messages) = openapi.messages {
        let tags: Vec<_> = messages.languages().map(Language::tag).collect();
        let language = json!({ "required": true, "schema": { "type": "string", "enum": tags } });
        set(&mut headers, "Content-Language", language);
        if messages.are_several() {
            set(&mut headers, "Vary", always("Accept-Language"));
        }
    }
    if status == 303 {
        let page = json!({ "required": true, "schema": { "type": "string", "format": "uri-reference" } });
        set(&mut headers, "Location", page);
    }
    if status == 401 {
        set(&mut headers, "WWW-Authenticate", always("Bearer"));
    }
    if matches!(status, 429 | 503) {
        let seconds = json!({
            "required": true, "schema": { "type": "integer", "minimum": 1 },
            "description": "After how many seconds the request can be sent again.",
        });
        set(&mut headers, "Retry-After", seconds);
    }
    if router == RouterKind::Browser {
        set(&mut headers, "X-Content-Type-Options", always("nosniff"));
        let policy = openapi.config.browser.resource_policy();
        set(&mut headers, "Cross-Origin-Resource-Policy", always(policy));
        let gives = |code: ErrorCode| status == code.status() && endpoint.errors().any(|own| own == code);
        let gives_token = gives(ErrorCode::AccountExists) || gives(ErrorCode::AccountPendingDeletion);
        if status == 401 || gives_token || (status < 400 && endpoint.sets_cookies()) {
            set(&mut headers, "Set-Cookie", set_cookie(openapi, status));
        }
    }
    headers
}

/// A header that is always there, with this value.
fn always(value: &str) -> Value {
    json!({ "required": true, "schema": { "type": "string", "enum": [value] } })
}

/// The cookies that a response can set, or expire if it is an error.
fn set_cookie(openapi: &OpenApi<'_>, status: u16) -> Value {
    let cookies = Cookies(&openapi.config.browser);
    let attributes = cookies.attributes();
    let (pattern, description) = match status {
        401 => {
            let pattern = format!("^{}; Max-Age=0$", cookies.pattern("="));
            (pattern, "Deletes a session cookie that is not valid.".to_owned())
        }
        _ => {
            let pattern = format!("^{}(; Max-Age=[0-9]+)?$", cookies.pattern("=[^;, ]*"));
            (
                pattern,
                format!(
                    "Sets or deletes cookies, whose attributes are `{}`.",
                    attributes.trim_start_matches("; ")
                ),
            )
        }
    };
    json!({ "schema": { "type": "string", "pattern": pattern }, "description": description })
}
