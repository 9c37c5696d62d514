//! API tokens, and the routes that take them.

use crate::host::{Directory, Host, Response};
use crate::passkeys::confirmed;
use reqwest::Method;
use serde_json::{Value, json};

async fn create(host: &Host, token: &str, scopes: Value) -> Response {
    let body = json!({ "name": "Nightly backup", "scopes": scopes });
    host.call_as(token, Method::POST, "/auth/user/api-tokens", body).await
}

#[tokio::test]
async fn a_program_reads_with_its_token_also_after_a_restart_and_writes_with_the_scope_for_it() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let session = confirmed(&host, &directory).await;
    let reads = create(&host, &session, json!(["demo:read"])).await;
    assert_eq!(reads.status, 201, "{reads:?}");
    let writes = create(&host, &session, json!(["demo:write"])).await;
    let id = host.get_as(&session, "/me").await.body["id"].clone();

    let port = host.base().rsplit_once(':').expect("a port").1.to_owned();
    drop(host);
    let host = Host::start(&directory, &[("ADDR", &format!("127.0.0.1:{port}"))]);
    let by_program = json!({ "user": id, "by": "api-token" });
    for route in ["/api/demo", "/api/either"] {
        let read = host.get_as(reads.text("token"), route).await;
        assert_eq!((read.status, &read.body), (200, &by_program));
        let refused = host.get_as(writes.text("token"), route).await;
        assert_eq!((refused.status, refused.text("code")), (403, "insufficient_scope"));
    }
    let in_session = host.get_as(&session, "/api/either").await;
    assert_eq!((in_session.status, in_session.body), (200, json!({ "user": id, "by": "session" })));
    let written = host.call_as(writes.text("token"), Method::POST, "/api/demo", json!({})).await;
    assert_eq!((written.status, written.body), (200, by_program));
    let refused = host.call_as(reads.text("token"), Method::POST, "/api/demo", json!({})).await;
    assert_eq!((refused.status, refused.text("code")), (403, "insufficient_scope"));
    let refused = host.get_as(&session, "/api/demo").await;
    assert_eq!((refused.status, refused.text("code")), (401, "invalid_api_token"));
    let refused = host.get_as(reads.text("token"), "/me").await;
    assert_eq!((refused.status, refused.text("code")), (401, "unauthenticated"));
}

#[tokio::test]
async fn the_environment_sets_the_prefix_and_the_lifetime() {
    let directory = Directory::new();
    let options = [("AUTH_API_TOKEN_PREFIX", "shop"), ("AUTH_API_TOKEN_SECONDS", "86400")];
    let host = Host::start(&directory, &options);
    let session = confirmed(&host, &directory).await;
    let created = create(&host, &session, json!(["demo:read", "demo:write"])).await;
    assert!(created.text("token").starts_with("shop_"), "{created:?}");
    let [from, until] = ["createdAt", "expiresAt"].map(|time| created.text(time).to_owned());
    assert_eq!(from.split_once('T').unwrap().1, until.split_once('T').unwrap().1, "{from} {until}");
    assert_ne!(from, until);
}
