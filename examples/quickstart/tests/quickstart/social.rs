//! Signing in with the demonstration provider, over the bearer router.

use crate::demo_provider::Scene;
use crate::host::{Directory, Host, Response};
use serde_json::{Value, json};

const ADA: [(&str, &str); 3] = [("subject", "ada-7"), ("email", "ada@example.com"), ("name", "Ada")];
const PROVEN: (&str, &str) = ("email_verified", "true");

/// A sign-in, from the button to the response of the callback.
async fn sign_in(scene: &Scene, typed: &[(&'static str, &str)]) -> Response {
    let begun = scene.host.post("/auth/oauth/demo/authorize", json!({})).await;
    let sent = scene.consent_to(begun.text("authorizationUrl"), typed).await;
    let body = json!({
        "flowToken": begun.text("flowToken"), "code": sent["code"], "state": sent["state"], "iss": sent["iss"],
    });
    scene.host.post("/auth/oauth/demo/callback", body).await
}

#[tokio::test]
async fn the_button_works_at_once() {
    let scene = Scene::new();
    let providers = scene.host.get_as("", "/auth/oauth/providers").await;
    assert_eq!(providers.body, json!([{ "name": "demo", "nativeIdToken": false }]));
    let registered = sign_in(&scene, &[&ADA[..], &[PROVEN]].concat()).await;
    assert_eq!(registered.status, 201, "{registered:?}");
    let signed_in = sign_in(&scene, &[&ADA[..], &[PROVEN]].concat()).await;
    assert_eq!(signed_in.status, 200, "{signed_in:?}");
    let [first, second] = [&registered, &signed_in].map(|response| response.text("accessToken"));
    let [first, second] = [scene.host.get_as(first, "/me").await, scene.host.get_as(second, "/me").await];
    assert_eq!(
        (&first.body["email"], &first.body["emailVerified"]),
        (&json!("ada@example.com"), &Value::Bool(true))
    );
    assert_eq!(first.body, second.body);
}

#[tokio::test]
async fn an_address_that_is_not_verified_opens_nothing() {
    let scene = Scene::new();
    let refused = sign_in(&scene, &ADA).await;
    assert_eq!((refused.status, refused.text("code")), (403, "provider_email_unverified"));
}

/// A provider that is not there keeps nothing from starting. It replaces the demonstration.
#[tokio::test]
async fn a_provider_of_the_environment_replaces_the_demonstration() {
    let directory = Directory::new();
    let issuer = [("OIDC_ISSUER", "http://127.0.0.1:1"), ("OIDC_CLIENT_ID", "x"), ("OIDC_NAME", "acme")];
    let host = Host::start(&directory, &issuer);
    let providers = host.get_as("", "/auth/oauth/providers").await;
    assert_eq!(providers.body[0]["name"], "acme");
    assert_eq!(host.get_as("", "/demo-provider/jwks").await.status, 404);
    let refused = host.post("/auth/oauth/acme/authorize", json!({})).await;
    assert_eq!((refused.status, refused.text("code")), (503, "provider_unavailable"));
}

/// Everywhere else the quickstart starts without a provider.
#[tokio::test]
async fn outside_of_development_there_is_no_provider_by_default() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[("PUBLIC_URL", "https://example.com")]);
    assert_eq!(host.get_as("", "/auth/oauth/providers").await.body, json!([]));
}
