//! The module's OpenAPI document. That its responses are as it says is tested with every request of every test
//! ([`description`](crate::support::description)).

use crate::support::description::Description;
use crate::support::routers::{BROWSER_ROUTER, on_both_routers};
use crate::support::{Account, App, EMAIL, every_endpoint, memory_users, registration};
use crate::with_every_feature;
use axum_auth_module::config::{BrowserOptions, RateLimit, RateLimits, SessionOptions, TwoFactorOptions};
use axum_auth_module::endpoint::{Endpoint, EndpointBody, RouterKind};
use axum_auth_module::error::ErrorCode;
use axum_auth_module::testing::MemoryPasswordResets;
use axum_auth_module::{AuthModule, InResponse, StandardActions};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;

on_both_routers![a_response_that_differs_from_the_document_is_noticed];

/// JSON Schema's own keywords, and those that OpenAPI 3.1 adds, as far as the document uses them.
const KEYWORDS: [&str; 20] = [
    "$ref",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "format",
    "minLength",
    "maxLength",
    "minimum",
    "minItems",
    "pattern",
    "anyOf",
    "oneOf",
    "description",
    "examples",
    "contentMediaType",
    "discriminator",
    "title",
];

fn everything() -> AuthModule<Account> {
    configured(|module| module)
}

fn configured(
    module: impl FnOnce(crate::support::Builder) -> crate::support::Builder,
) -> AuthModule<Account> {
    let builder = AuthModule::builder(crate::support::config().build().unwrap(), memory_users());
    let (resets, outbox) = Default::default();
    module(with_every_feature(builder, &resets, &outbox)).build().unwrap()
}

fn document(auth: &AuthModule<Account>) -> Value {
    auth.openapi().router("/auth").browser_router(BROWSER_ROUTER).build().into()
}

/// Every operation of a document with its place.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let methods = methods.as_object().unwrap().iter();
        operations.extend(
            methods.map(|(method, operation)| (format!("{} {path}", method.to_uppercase()), operation)),
        );
    }
    operations
}

fn operation<'a>(document: &'a Value, method: &str, path: &str) -> &'a Value {
    let operation = &document["paths"][path][method];
    assert!(operation.is_object(), "{method} {path}");
    operation
}

/// The names of the schemas of a response.
fn schemas(document: &Value, (method, path): (&str, &str), status: &str) -> BTreeSet<String> {
    let content = operation(document, method, path)["responses"][status]["content"].as_object().unwrap();
    let schema = &content.values().next().unwrap()["schema"];
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|key| schema[*key].as_array().cloned());
    let refs = alternatives.unwrap_or_else(|| vec![schema.clone()]);
    let name = |schema: &Value| schema["$ref"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    refs.iter().map(name).collect()
}

#[test]
fn it_has_every_endpoint_of_both_routers_with_its_codes_limits_and_credential() {
    let document = document(&everything());
    let mut expected = BTreeSet::new();
    for (router, prefix, endpoint) in places() {
        let path = format!("{prefix}{}", endpoint.path);
        let operation = operation(&document, &endpoint.method.as_str().to_lowercase(), &path);
        expected.insert(format!("{} {path}", endpoint.method.as_str()));
        let responses = operation["responses"].as_object().unwrap();
        let mut codes = BTreeSet::new();
        for (status, response) in responses {
            for schema in schemas_of(response) {
                let code = &document["components"]["schemas"][schema]["properties"]["code"]["enum"][0];
                if let Some(code) = code.as_str() {
                    let known = ErrorCode::ALL.iter().find(|known| known.as_str() == code).unwrap();
                    assert_eq!(known.status().to_string(), *status, "{path}");
                    codes.insert(code.to_owned());
                }
            }
        }
        let of_endpoint = endpoint.errors_on(router).filter(|code| *code != ErrorCode::MethodNotAllowed);
        assert_eq!(codes, of_endpoint.map(|code| code.as_str().to_owned()).collect(), "{path}");
        assert!(responses.contains_key(&endpoint.status.to_string()));
        let limits = operation["x-rate-limits"].as_array().cloned().unwrap_or_default();
        let names: Vec<_> = limits.iter().map(|limit| limit["option"].as_str().unwrap()).collect();
        assert_eq!(names, endpoint.limits.iter().map(|limit| limit.option()).collect::<Vec<_>>());
        assert_eq!(operation["requestBody"].is_object(), !matches!(endpoint.body, EndpointBody::None));
        assert_eq!(operation["security"], security(router, &endpoint), "{path}");
    }
    assert_eq!(expected, operations(&document).into_iter().map(|(place, _)| place).collect());
}

fn schemas_of(response: &Value) -> Vec<String> {
    let text = response["content"].to_string();
    let names = text.split("#/components/schemas/").skip(1);
    names.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

fn places() -> Vec<(RouterKind, &'static str, Endpoint)> {
    let of = |router, prefix| {
        let here = every_endpoint().into_iter().filter(move |endpoint| endpoint.is_on(router));
        here.map(move |endpoint| (router, prefix, endpoint)).collect::<Vec<_>>()
    };
    [of(RouterKind::Bearer, "/auth"), of(RouterKind::Browser, BROWSER_ROUTER)].concat()
}

/// What a request must carry, written down once more.
fn security(router: RouterKind, endpoint: &Endpoint) -> Value {
    let place = (router == RouterKind::Browser, endpoint.method.as_str(), endpoint.path);
    match place {
        (false, _, "/login" | "/register" | "/refresh" | "/forgot-password" | "/reset-password")
        | (false, _, "/login/email" | "/login/email/verify" | "/register/passwordless")
        | (false, _, "/two-factor-challenge" | "/two-factor-challenge/passkey-options")
        | (false, _, "/passkeys/login" | "/passkeys/login/options" | "/email/revert" | "/account/secure")
        | (false, _, "/user/restore" | "/invitation/accept") => {
            json!([])
        }
        (false, _, path) if path.starts_with("/oauth/") => json!([]),
        (false, ..) => json!([{ "authBearer": [] }]),
        (true, _, "/login" | "/register" | "/forgot-password" | "/reset-password")
        | (
            true,
            _,
            "/login/email"
            | "/login/email/verify"
            | "/register/passwordless"
            | "/email/revert"
            | "/account/secure"
            | "/user/restore"
            | "/invitation/accept"
            | "/passkeys/login",
        ) => {
            json!([{ "authOrigin": [] }])
        }
        (true, "GET", path) if path.starts_with("/oauth/") => json!([]),
        (true, _, path) if path.starts_with("/oauth/") => json!([{ "authOrigin": [] }]),
        (true, _, "/passkeys/login/options") => json!([]),
        (true, "GET", "/two-factor-challenge") => json!([{ "authChallenge": [] }]),
        (true, _, "/two-factor-challenge" | "/two-factor-challenge/passkey-options") => {
            json!([{ "authOrigin": [], "authChallenge": [] }])
        }
        (true, _, "/logout") => json!([{ "authOrigin": [] }, { "authOrigin": [], "authSession": [] }]),
        (true, _, "/session") => json!([{}, { "authSession": [] }]),
        (true, "GET", _) => json!([{ "authSession": [] }]),
        (true, ..) => json!([{ "authOrigin": [], "authSession": [] }]),
    }
}

#[test]
fn it_is_valid_and_every_name_in_it_leads_somewhere() {
    let document = document(&everything());
    assert_eq!(document["openapi"], "3.1.0");
    let mut names = BTreeSet::new();
    for (place, operation) in operations(&document) {
        assert!(names.insert(operation["operationId"].as_str().unwrap()), "{place}: the operation's name");
        assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{place}");
        for requirement in operation["security"].as_array().unwrap() {
            for scheme in requirement.as_object().unwrap().keys() {
                assert!(document["components"]["securitySchemes"][scheme].is_object(), "{place}: {scheme}");
            }
        }
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let in_path = parameters.iter().filter(|parameter| parameter["in"] == "path");
        let in_path: BTreeSet<_> = in_path.map(|parameter| parameter["name"].as_str().unwrap()).collect();
        let template = place.split('{').skip(1).map(|rest| rest.split('}').next().unwrap()).collect();
        assert_eq!(in_path, template, "{place}");
        for (status, response) in operation["responses"].as_object().unwrap() {
            assert!(status.parse::<u16>().is_ok() && response["description"].is_string(), "{place}");
        }
    }
    let mut used = BTreeSet::new();
    visit_refs(&document, &mut |name| {
        let there = document.pointer(name.trim_start_matches('#')).is_some();
        assert!(there, "{name}");
        used.insert(name.to_owned());
    });
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(jsonschema::draft202012::meta::is_valid(schema), "{name}");
        assert!(used.contains(&format!("#/components/schemas/{name}")), "nothing uses {name}");
        only_known_keywords(schema);
    }
}

/// jsonschema ignores a keyword that it does not know, for example one that is misspelled.
fn only_known_keywords(schema: &Value) {
    for (keyword, value) in schema.as_object().unwrap() {
        assert!(KEYWORDS.contains(&keyword.as_str()), "{keyword}");
        match keyword.as_str() {
            "properties" => value.as_object().unwrap().values().for_each(only_known_keywords),
            "items" => only_known_keywords(value),
            "anyOf" | "oneOf" => value.as_array().unwrap().iter().for_each(only_known_keywords),
            _ => {}
        }
    }
}

fn visit_refs(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match (name.as_str(), value) {
                    ("$ref", Value::String(target)) => visit(target),
                    ("mapping", Value::Object(targets)) => {
                        targets.values().for_each(|target| visit(target.as_str().unwrap()));
                    }
                    _ => visit_refs(value, visit),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| visit_refs(item, visit)),
        _ => {}
    }
}

#[test]
fn it_has_only_what_is_enabled() {
    let builder = AuthModule::builder(crate::support::config().build().unwrap(), memory_users());
    let auth = builder.update_passwords(StandardActions).build().unwrap();
    let document = document(&auth);
    let places: Vec<_> = operations(&document).into_iter().map(|(place, _)| place).collect();
    assert_eq!(
        places,
        [
            "POST /auth/login",
            "POST /auth/logout",
            "POST /auth/refresh",
            "POST /auth/user/confirm-password",
            "GET /auth/user/confirmed-password-status",
            "PUT /auth/user/password",
        ]
    );
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    assert_eq!(schemes.keys().collect::<Vec<_>>(), ["authBearer"]);
    assert_eq!(document["tags"], json!([{ "name": "auth: login" }, { "name": "auth: update-passwords" }]));
    // Nobody can be asked for a second factor.
    assert_eq!(schemas(&document, ("post", "/auth/login"), "200"), ["AuthSignedIn".to_owned()].into());
    let all = self::document(&everything());
    assert_eq!(
        schemas(&all, ("post", "/auth/login"), "200"),
        ["AuthChallenged", "AuthSignedIn"].map(str::to_owned).into()
    );
}

#[test]
fn it_follows_the_options() {
    let default = document(&everything());
    let (mut two_factor, mut sessions) = (TwoFactorOptions::default(), SessionOptions::default());
    (two_factor.confirm, two_factor.confirm_password, sessions.confirm_password) = (false, false, false);
    let mut limits = RateLimits::default();
    limits.register = RateLimit::per_seconds(7, 77);
    let config = crate::support::config()
        .two_factor(two_factor)
        .sessions(sessions)
        .limits(limits)
        .browser(BrowserOptions::default().name("shop").insecure_for_development())
        .password_min_characters(15)
        .body_limit(2000);
    let builder = AuthModule::builder(config.build().unwrap(), memory_users());
    let (resets, outbox) = (MemoryPasswordResets::new(), crate::support::providers::Outbox::default());
    let auth = with_every_feature(builder, &resets, &outbox)
        .reset_passwords(resets, StandardActions, InResponse)
        .build()
        .unwrap();
    let other = document(&auth);

    let enable = ("post", "/auth/user/two-factor-authentication");
    assert_eq!(schemas(&default, enable, "200"), ["AuthMessage".to_owned()].into());
    let both = ["AuthCredentialsChanged", "AuthMessage"].map(str::to_owned);
    assert_eq!(schemas(&other, enable, "200"), both.into());
    let end = ("delete", "/auth/user/sessions");
    for place in [enable, end] {
        assert!(operation(&default, place.0, place.1)["responses"]["403"].is_object());
        let refused = operation(&other, place.0, place.1)["responses"]["403"].to_string();
        assert!(!refused.contains("password_confirmation_required"), "{refused}");
    }
    let forgot = ("post", "/auth/forgot-password");
    assert_eq!(schemas(&default, forgot, "200"), ["AuthMessage".to_owned()].into());
    assert_eq!(schemas(&other, forgot, "200"), ["AuthMessage", "AuthResetToken"].map(str::to_owned).into());

    let session = |document: &Value| document["components"]["securitySchemes"]["authSession"]["name"].clone();
    assert_eq!((session(&default), session(&other)), (json!("__Host-Http-auth"), json!("shop")));
    let password = |document: &Value| {
        let request = &document["components"]["schemas"]["AuthRegisterRequest"];
        request["properties"]["password"]["minLength"].clone()
    };
    assert_eq!((password(&default), password(&other)), (json!(8), json!(15)));
    let register = operation(&other, "post", "/auth/register");
    assert_eq!(
        (&register["x-rate-limits"][0]["limit"], &register["x-rate-limits"][0]["seconds"]),
        (&json!(7), &json!(77))
    );
    assert!(register["requestBody"]["description"].as_str().unwrap().contains("2000 bytes"));
}

#[test]
fn the_path_can_have_parameters_and_a_second_module_another_name() {
    let auth = everything();
    let mut document: Value = auth.openapi().router("/{tenant}/auth/").build().into();
    let end = operation(&document, "delete", "/{tenant}/auth/user/sessions/{id}");
    let names: Vec<_> = end["parameters"].as_array().unwrap().iter().map(|own| &own["name"]).collect();
    assert_eq!(names, ["tenant", "id"]);
    let staff = auth.openapi().name("staff-1").router("/staff").build();
    staff.merge_into(&mut document).unwrap();
    let login = operation(&document, "post", "/staff/login");
    assert_eq!((&login["operationId"], &login["tags"]), (&json!("staff1Login"), &json!(["staff1: login"])));
    let names: BTreeSet<_> =
        operations(&document).iter().map(|(_, own)| own["operationId"].to_string()).collect();
    assert_eq!(names.len(), operations(&document).len());
    assert!(document["components"]["schemas"]["AuthSignedIn"].is_object());
    assert!(document["components"]["schemas"]["Staff1SignedIn"].is_object());
}

#[test]
fn it_merges_into_a_document_of_utoipa() {
    use utoipa::openapi::path::{HttpMethod, OperationBuilder};
    use utoipa::openapi::{InfoBuilder, OpenApi, OpenApiBuilder, PathItem, PathsBuilder};

    let ours = document(&everything());
    let articles = PathItem::new(HttpMethod::Get, OperationBuilder::new().operation_id(Some("articles")));
    let mut host: OpenApi = OpenApiBuilder::new()
        .info(InfoBuilder::new().title("shop").version("7").build())
        .paths(PathsBuilder::new().path("/articles", articles))
        .build();
    host.merge(serde_json::from_value(ours.clone()).unwrap());
    let mut merged = serde_json::to_value(&host).unwrap();
    assert_eq!((&merged["info"]["title"], &merged["openapi"]), (&json!("shop"), &json!("3.1.0")));
    assert_eq!(merged["paths"]["/articles"]["get"]["operationId"], "articles");
    merged["paths"].as_object_mut().unwrap().remove("/articles");
    // utoipa's headers cannot be required; everything else is as it was.
    let mut expected = ours;
    let paths = expected["paths"].as_object_mut().unwrap();
    for operation in paths.values_mut().flat_map(|methods| methods.as_object_mut().unwrap().values_mut()) {
        for response in operation["responses"].as_object_mut().unwrap().values_mut() {
            for header in response["headers"].as_object_mut().unwrap().values_mut() {
                header.as_object_mut().unwrap().remove("required");
            }
        }
    }
    for member in ["paths", "components", "tags"] {
        let differences = differences(&expected[member], &merged[member], member);
        assert!(differences.is_empty(), "{differences:?}");
    }
}

/// Where two values differ.
fn differences(ours: &Value, theirs: &Value, place: &str) -> Vec<(String, Value, Value)> {
    match (ours, theirs) {
        (Value::Object(own), Value::Object(other)) => {
            let names: BTreeSet<_> = own.keys().chain(other.keys()).collect();
            let of = |name: &&String| {
                differences(&ours[name.as_str()], &theirs[name.as_str()], &format!("{place}/{name}"))
            };
            names.iter().flat_map(of).collect()
        }
        _ if ours == theirs => Vec::new(),
        _ => vec![(place.to_owned(), ours.clone(), theirs.clone())],
    }
}

/// The check of every response notices what it is for.
async fn a_response_that_differs_from_the_document_is_noticed() {
    let app = App::with_everything().await;
    let path = app.path("/auth/register");
    let sent = serde_json::to_vec(&registration(EMAIL)).unwrap();
    let mut answer = app.post("/auth/register").json(&registration(EMAIL)).await.expect(201);
    let document = document(&app.auth);
    let right = Description::new(document.clone());
    let compare = |description: &Description, answer: &_| {
        description.compare(&Method::POST, &path, Some(&sent), answer).err().unwrap_or_default()
    };
    assert_eq!(compare(&right, &answer), "");

    let with = |change: &dyn Fn(&mut Value)| {
        let mut changed = document.clone();
        change(&mut changed["paths"][&path]["post"]);
        Description::new(changed)
    };
    let lost = with(&|operation| drop(operation["responses"].as_object_mut().unwrap().remove("201")));
    assert!(compare(&lost, &answer).contains("no such status"));
    let lost = with(&|operation| operation["responses"]["201"]["headers"] = json!({}));
    assert!(compare(&lost, &answer).contains("no header"));
    let header = json!({ "required": true, "schema": { "type": "string" } });
    let added = with(&|operation| operation["responses"]["201"]["headers"]["Age"] = header.clone());
    assert!(compare(&added, &answer).contains("there is no Age"));
    let other = with(&|operation| {
        operation["requestBody"]["content"]["application/json"]["schema"]["required"] = json!(["age"]);
    });
    assert!(compare(&other, &answer).contains("the request was accepted"));

    answer.body["more"] = 1.into();
    assert!(compare(&right, &answer).contains("more"));
    answer.body.as_object_mut().unwrap().remove("more");
    answer.body["twoFactor"] = true.into();
    assert!(compare(&right, &answer).contains("twoFactor"));

    let mut refused = app.login_call(EMAIL, "wrong horse battery").await.refused(401, "invalid_credentials");
    let login = app.path("/auth/login");
    let compare = |answer: &_| right.compare(&Method::POST, &login, None, answer).is_ok();
    assert!(compare(&refused));
    refused.body["code"] = "refresh_token_reused".into();
    assert!(!compare(&refused));
}
