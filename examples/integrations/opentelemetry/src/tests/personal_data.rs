//! Spans have no personal data and no secret in them.

use super::recording::{ADA, Host, PASSWORD};
use serde_json::{Value, json};

/// What must not be in a span, with the name for the message.
type Canaries = Vec<(&'static str, String)>;

fn text(body: &Value, field: &str) -> String {
    body[field].as_str().unwrap().to_owned()
}

fn tokens(body: &Value) -> Canaries {
    vec![("access token", text(body, "accessToken")), ("refresh token", text(body, "refreshToken"))]
}

/// Everything that a user of this host does: what is right, what is wrong, and what puts data into a URL.
async fn visit(host: &Host) -> Canaries {
    let client = &host.client;
    let mut canaries = vec![("address", ADA.to_owned()), ("password", PASSWORD.to_owned())];
    let registered = host.register().await;
    canaries.extend(tokens(&registered));
    let account: (String, String) =
        sqlx::query_as("SELECT id, password FROM users").fetch_one(&host.pool).await.unwrap();
    canaries.extend([("id", account.0), ("hash", account.1)]);
    let wrong = "a wrong password";
    client.post("/auth/login").json(&json!({ "email": ADA, "password": wrong })).await.expect(401);
    canaries.push(("wrong password", wrong.to_owned()));
    let login = json!({ "email": ADA, "password": PASSWORD });
    let logged_in: Value = client.post("/auth/login").json(&login).await.expect(200).json();
    canaries.extend(tokens(&logged_in));
    let refresh = json!({ "refreshToken": logged_in["refreshToken"] });
    let refreshed: Value = client.post("/auth/refresh").json(&refresh).await.expect(200).json();
    canaries.extend(tokens(&refreshed));
    let ada = client.with_access_token(&text(&refreshed, "accessToken"));
    ada.get("/me?email=ada@example.com").header("user-agent", "Ada's telephone").await.expect(200);
    canaries.extend([("user agent", "telephone".to_owned()), ("client's address", "192.0.2.1".to_owned())]);
    let sessions: Value = ada.get("/auth/user/sessions").await.expect(200).json();
    assert!(sessions.to_string().contains("192.0.2.1"), "the host knows the address: {sessions}");
    client.post("/auth/forgot-password").json(&json!({ "email": ADA })).await.expect(200);
    let reset = host.outbox.next_reset(ADA).await.token;
    let new = "another horse battery";
    canaries.extend([("reset token", reset.clone()), ("new password", new.to_owned())]);
    let reset = json!({ "token": reset, "email": ADA, "password": new, "passwordConfirmation": new });
    client.post("/auth/reset-password").json(&reset).await.expect(200);
    client.post("/auth/reset-password").json(&reset).await.expect(422);
    // A path of nobody's that has a secret in it, and a database that refuses a row.
    client.get("/reset/secret-in-a-path?token=secret-in-a-query").await.expect(404);
    canaries.extend([("path", "secret-in-a-path".to_owned()), ("query", "secret-in-a-query".to_owned())]);
    sqlx::query("ALTER TABLE users RENAME TO elsewhere").execute(&host.pool).await.unwrap();
    client.post("/auth/login").json(&login).await.expect(500);
    canaries
}

#[tokio::test]
async fn no_span_has_personal_data_or_a_secret() {
    let host = Host::start().await;
    let canaries = visit(&host).await;
    let spans = host.spans().await;
    for seen in ["POST /auth/register", "POST /auth/reset-password", "auth.password", "auth.background"] {
        assert!(spans.names().contains(&seen), "{seen} was not recorded: {:?}", spans.names());
    }
    for span in &spans.0 {
        // The name, all attributes, all events with theirs, all links, and the status.
        let shown = format!("{span:?}");
        for (what, canary) in &canaries {
            assert!(!shown.contains(canary), "the {what} is in a span: {shown}");
        }
    }
    let failed = spans.named("POST /auth/login").len();
    assert_eq!(failed, 3);
}
