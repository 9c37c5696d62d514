//! Features decided at start-up (specification §4.2, §4.3): a feature that is off looks like an unknown route.

use crate::host::{Directory, Host, registration, repository_file};
use reqwest::Method;
use serde_json::json;

/// Where the browser router is. Its own route is on no other router.
const BROWSER_ROUTER: &str = "/web/auth";

/// The value of each feature that the quickstart lists, and its routes, from the reference's table, which is generated from
/// the endpoints.
fn routes() -> Vec<(String, Vec<String>)> {
    let reference = repository_file("docs/reference.md");
    let host = repository_file("examples/quickstart/src/main.rs");
    let rows = reference.lines().skip_while(|line| !line.starts_with("<!-- generated: features")).skip(1);
    let rows = rows.take_while(|line| line.starts_with('|')).filter_map(|row| {
        let mut cells = row.trim_matches('|').split(" | ");
        let feature = cells.next()?.trim().strip_prefix('`')?.strip_suffix('`')?;
        host.contains(&format!("            {feature},\n")).then_some(())?;
        // `GET /oauth/pending` is on the browser router alone, which another feature brings.
        let endpoints = cells.next()?.split('`').filter(|endpoint| *endpoint != "GET /oauth/pending");
        let endpoints = endpoints.filter_map(|endpoint| endpoint.split_once(" /"));
        let router = if feature == "BROWSER_SESSIONS" { BROWSER_ROUTER } else { "/auth" };
        let routes = endpoints
            .map(|(_, path)| format!("{router}/{}", path.replace("{id}", "1").replace("{hash}", "2")));
        Some((feature.to_lowercase().replace('_', "-"), routes.collect()))
    });
    let routes: Vec<_> = rows.collect();
    assert!(routes.len() >= 6, "{routes:?}");
    routes
}

/// The routes of all features but these.
fn routes_without<'a>(on: &'a str, routes: &'a [(String, Vec<String>)]) -> impl Iterator<Item = &'a str> {
    let others = routes.iter().filter(move |(feature, _)| !on.split(", ").any(|on| on == feature));
    others.flat_map(|(_, routes)| routes.iter().map(String::as_str))
}

const METHODS: [Method; 8] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
    Method::TRACE,
];

/// Compares every route with an unknown one of its router.
async fn assert_unknown(host: &Host, routes: impl Iterator<Item = &str>, tokens: &[Option<&str>]) {
    for route in routes {
        for method in &METHODS {
            for token in tokens {
                let router = if route.starts_with(BROWSER_ROUTER) { BROWSER_ROUTER } else { "/auth" };
                let unknown = host.seen(method, &format!("{router}/nonsense"), *token).await;
                assert!(unknown.starts_with("404 "), "{unknown}");
                assert_eq!(host.seen(method, route, *token).await, unknown, "{method} {route}");
            }
        }
    }
}

#[tokio::test]
async fn with_only_registration_the_routes_of_the_other_features_are_unknown() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[("AUTH_FEATURES", "registration")]);
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    assert_eq!(registered.status, 201);
    let tokens = [None, Some("nonsense"), Some(registered.text("accessToken"))];
    assert_unknown(&host, routes_without("registration", &routes()), &tokens).await;
}

#[tokio::test]
async fn each_feature_brings_its_own_routes_and_no_others() {
    let routes = routes();
    for (feature, own) in &routes {
        let directory = Directory::new();
        let on = match feature.as_str() {
            // Features that need another one.
            "passwordless-registration" | "change-emails" | "security-notices" => {
                format!("{feature}, email-login")
            }
            "trusted-devices" => format!("{feature}, two-factor-authentication, sessions"),
            _ => feature.clone(),
        };
        let host = Host::start(&directory, &[("AUTH_FEATURES", &format!(" {on}, "))]);
        for route in own {
            let seen = host.seen(&Method::PATCH, route, None).await;
            // The browser router checks the origin before the method.
            let expected = if route.starts_with(BROWSER_ROUTER) { "403 " } else { "405 " };
            assert!(seen.starts_with(expected), "{route}: {seen}");
        }
        assert_unknown(&host, routes_without(&on, &routes), &[None]).await;
    }
}

#[tokio::test]
async fn the_routes_without_a_feature_are_always_on() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[("AUTH_FEATURES", "")]);
    assert_unknown(&host, routes_without("", &routes()), &[None]).await;
    for route in ["/auth/login", "/auth/refresh"] {
        assert_eq!(host.post(route, json!({})).await.status, 422, "{route}");
    }
    for route in ["/auth/logout", "/auth/user/confirm-password"] {
        assert_eq!(host.post(route, json!({})).await.status, 401, "{route}");
    }
    assert_eq!(host.get_as("", "/auth/user/confirmed-password-status").await.status, 401);
}
