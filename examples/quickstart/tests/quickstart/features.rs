//! Features decided at start-up (requirements §1).

use crate::host::{Directory, Host, registration};
use serde_json::json;

#[tokio::test]
async fn a_feature_that_is_off_is_a_route_that_is_not_there() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[("AUTH_FEATURES", "")]);
    let register = host.post("/auth/register", registration("ada@example.com")).await;
    let nonsense = host.post("/auth/nonsense", json!({})).await;
    assert_eq!((register.status, register.text("code")), (404, "not_found"));
    assert_eq!(register, nonsense);
    assert_eq!(host.get_as("", "/auth/register").await, nonsense, "for every method");
    assert_eq!(host.post("/auth/login", json!({})).await.status, 422, "what is no feature is always there");
}

#[tokio::test]
async fn features_are_named_by_their_values() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[("AUTH_FEATURES", " registration, ")]);
    assert_eq!(host.post("/auth/register", registration("ada@example.com")).await.status, 201);
}
