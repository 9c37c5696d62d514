//! Features decided at start-up (specification §4.2, §4.3): a feature that is off looks like an unknown route.

use crate::host::{Directory, Host, registration};
use reqwest::Method;
use serde_json::json;

/// The routes of each feature.
const ROUTES: [(&str, &[&str]); 6] = [
    ("registration", &["/auth/register"]),
    ("reset-passwords", &["/auth/forgot-password", "/auth/reset-password"]),
    ("email-verification", &["/auth/email/verify/1/2", "/auth/email/verification-notification"]),
    ("update-profile-information", &["/auth/user/profile-information"]),
    ("update-passwords", &["/auth/user/password"]),
    (
        "two-factor-authentication",
        &[
            "/auth/user/two-factor-authentication",
            "/auth/user/confirmed-two-factor-authentication",
            "/auth/user/two-factor-qr-code",
            "/auth/user/two-factor-secret-key",
            "/auth/user/two-factor-recovery-codes",
            "/auth/two-factor-challenge",
        ],
    ),
];

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

/// Compares every route with an unknown one.
async fn assert_unknown(host: &Host, routes: impl Iterator<Item = &str>, tokens: &[Option<&str>]) {
    for route in routes {
        for method in &METHODS {
            for token in tokens {
                let unknown = host.seen(method, "/auth/nonsense", *token).await;
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
    let others = ROUTES.iter().filter(|(feature, _)| *feature != "registration");
    assert_unknown(&host, others.flat_map(|(_, routes)| routes.iter().copied()), &tokens).await;
}

#[tokio::test]
async fn each_feature_brings_its_own_routes_and_no_others() {
    for (on, own) in ROUTES {
        let directory = Directory::new();
        let host = Host::start(&directory, &[("AUTH_FEATURES", &format!(" {on}, "))]);
        for route in own {
            let seen = host.seen(&Method::PATCH, route, None).await;
            assert!(seen.starts_with("405 "), "{route}: {seen}");
        }
        let others = ROUTES.iter().filter(|(feature, _)| *feature != on);
        assert_unknown(&host, others.flat_map(|(_, routes)| routes.iter().copied()), &[None]).await;
    }
}

#[tokio::test]
async fn the_routes_without_a_feature_are_always_on() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[("AUTH_FEATURES", "")]);
    assert_unknown(&host, ROUTES.iter().flat_map(|(_, routes)| routes.iter().copied()), &[None]).await;
    for route in ["/auth/login", "/auth/refresh"] {
        assert_eq!(host.post(route, json!({})).await.status, 422, "{route}");
    }
    for route in ["/auth/logout", "/auth/user/confirm-password"] {
        assert_eq!(host.post(route, json!({})).await.status, 401, "{route}");
    }
    assert_eq!(host.get_as("", "/auth/user/confirmed-password-status").await.status, 401);
}
