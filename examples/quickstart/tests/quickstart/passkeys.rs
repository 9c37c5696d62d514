//! Passkeys, and the two routes that require more than a login.

use crate::host::{Directory, Host, PASSWORD, Response, registration};
use crate::outbox::{link, mail};
use axum_auth_module::testing::SoftPasskey;
use reqwest::Method;
use serde_json::{Value, json};

/// The access token of a user whose address is verified, and who has confirmed the password.
pub(crate) async fn confirmed(host: &Host, directory: &Directory) -> String {
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    let token = registered.text("accessToken").to_owned();
    host.post_as(&token, "/auth/email/verification-notification").await;
    assert_eq!(host.follow_as(&token, link(&mail(directory, 1).await)).await.status, 200);
    let password = json!({ "password": PASSWORD });
    let confirmed = host.call_as(&token, Method::POST, "/auth/user/confirm-password", password).await;
    assert_eq!(confirmed.status, 200);
    token
}

/// What a page sends after it has asked for a passkey.
fn proof(begun: &Response, credential: &Value) -> Value {
    json!({ "flowToken": begun.text("flowToken"), "credential": credential })
}

async fn add(host: &Host, token: &str, passkey: &mut SoftPasskey) -> Response {
    let begun = host.get_as(token, "/auth/user/passkeys/options").await;
    let body = proof(&begun, &passkey.register(&begun.body["options"]));
    host.call_as(token, Method::POST, "/auth/user/passkeys", body).await
}

async fn sign_in(host: &Host, passkey: &mut SoftPasskey) -> Response {
    let begun = host.get_as("", "/auth/passkeys/login/options").await;
    host.post("/auth/passkeys/login", proof(&begun, &passkey.sign_in(&begun.body["options"]))).await
}

/// The page must be open at `localhost`, with the port that is listened on.
#[tokio::test]
async fn a_passkey_of_localhost_signs_in_and_opens_the_vault_also_after_a_restart() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let token = confirmed(&host, &directory).await;
    let mut passkey = SoftPasskey::on(host.page());
    assert_eq!(add(&host, &token, &mut passkey).await.status, 201);
    let elsewhere = add(&host, &token, &mut SoftPasskey::on(host.base())).await;
    assert_eq!((elsewhere.status, elsewhere.text("code")), (422, "invalid_passkey"));
    for route in ["/safe", "/vault"] {
        let refused = host.get_as(&token, route).await;
        assert_eq!((refused.status, refused.text("code")), (401, "insufficient_user_authentication"));
    }

    let port = host.base().rsplit_once(':').expect("a port").1.to_owned();
    drop(host);
    let host = Host::start(&directory, &[("ADDR", &format!("127.0.0.1:{port}"))]);
    let signed_in = sign_in(&host, &mut passkey).await;
    assert_eq!((signed_in.status, &signed_in.body["twoFactor"]), (200, &json!(false)), "{signed_in:?}");
    for route in ["/safe", "/vault"] {
        let opened = host.get_as(signed_in.text("accessToken"), route).await;
        assert_eq!((opened.status, opened.body), (200, json!({ "opened": true })));
    }
}

#[tokio::test]
async fn the_relying_party_can_be_another_site() {
    let directory = Directory::new();
    let site = [("AUTH_PASSKEY_RP_ID", "example.com"), ("AUTH_PASSKEY_ORIGINS", "https://shop.example.com")];
    let host = Host::start(&directory, &site);
    let token = confirmed(&host, &directory).await;
    let mut passkey = SoftPasskey::on("https://shop.example.com");
    assert_eq!(add(&host, &token, &mut passkey).await.status, 201);
    assert_eq!(sign_in(&host, &mut passkey).await.status, 200);
    let unknown = host.get_as("", "/.well-known/webauthn").await;
    assert_eq!(unknown.status, 404, "no other site uses these passkeys");
}
