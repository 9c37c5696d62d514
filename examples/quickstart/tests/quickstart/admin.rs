//! The routes of the administrators.

use crate::host::{Directory, Host, PASSWORD, Response, command, end_of, login};
use crate::outbox::{link, mail_that_is, parameter};
use reqwest::Method;
use serde_json::{Value, json};

const TOKEN: &str = "a-token-of-the-administrators";

async fn host(directory: &Directory) -> (Host, String, String) {
    let host = Host::start(directory, &[("ADMIN_TOKEN", TOKEN)]);
    let body = json!({
        "name": "Ada", "email": "ada@example.com", "password": PASSWORD, "passwordConfirmation": PASSWORD,
    });
    let token = host.post("/auth/register", body).await.text("accessToken").to_owned();
    let id = host.get_as(&token, "/me").await.text("id").to_owned();
    (host, token, id)
}

async fn ask(host: &Host, path: &str, body: Value) -> Response {
    host.call_as(TOKEN, Method::POST, path, body).await
}

#[tokio::test]
async fn an_administrator_sees_what_a_user_sees_and_changes_nothing() {
    let directory = Directory::new();
    let (host, token, id) = host(&directory).await;
    let body = json!({ "userId": id, "reason": "Ticket 4711" });
    let started = ask(&host, "/admin/impersonate", body).await;
    assert_eq!(started.status, 200, "{started:?}");
    assert!(started.body["refreshToken"].is_string() && started.text("expiresAt").ends_with('Z'));
    let acting = started.text("accessToken");
    assert_eq!(host.get_as(acting, "/me").await.text("id"), id);

    let profile = json!({ "name": "Mallory", "email": "ada@example.com" });
    let refused = host.call_as(acting, Method::PUT, "/auth/user/profile-information", profile).await;
    assert_eq!((refused.status, refused.text("code")), (403, "not_while_impersonating"));
    let refused = host.get_as(acting, "/safe").await;
    assert_eq!((refused.status, refused.text("code")), (401, "insufficient_user_authentication"));

    let sessions = host.get_as(&token, "/auth/user/sessions").await.body;
    let actors: Vec<_> = sessions["sessions"].as_array().unwrap().iter().map(|one| &one["actor"]).collect();
    assert_eq!(actors, [&Value::Null, &json!({ "sub": "admin" })]);
    assert_eq!(host.post_as(acting, "/auth/logout").await.status, 200);
    assert_eq!(host.get_as(acting, "/me").await.status, 401);
}

#[tokio::test]
async fn an_administrator_takes_the_password_away_and_locks_an_account_down() {
    let directory = Directory::new();
    let (host, token, id) = host(&directory).await;
    let required = ask(&host, "/admin/require-new-password", json!({ "userId": id })).await;
    assert_eq!((required.status, required.body["message"].is_string()), (200, true), "{required:?}");
    assert_eq!(host.get_as(&token, "/me").await.status, 401);
    assert_eq!(host.post("/auth/login", login("ada@example.com", PASSWORD)).await.status, 401);
    let locked = ask(&host, "/admin/lock-down", json!({ "userId": id })).await;
    assert_eq!((locked.status, locked.body["message"].is_string()), (200, true), "{locked:?}");
}

#[tokio::test]
async fn an_administrator_invites_somebody_who_chooses_a_password() {
    let directory = Directory::new();
    let (host, ..) = host(&directory).await;
    let body = json!({ "name": "Grace", "email": "grace@example.com" });
    let invited = ask(&host, "/admin/invite", body.clone()).await;
    assert_eq!((invited.status, invited.body["userId"].is_string()), (201, true), "{invited:?}");
    let mail = mail_that_is(&directory, "invitation").await;
    let token = parameter(link(&mail), "token");
    let accept = json!({ "token": token, "password": PASSWORD, "passwordConfirmation": PASSWORD });
    let accepted = host.post("/auth/invitation/accept", accept.clone()).await;
    assert_eq!(accepted.status, 200, "{accepted:?}");
    assert_eq!(host.post("/auth/login", login("grace@example.com", PASSWORD)).await.status, 200);
    assert_eq!(host.post("/auth/invitation/accept", accept).await.text("code"), "invalid_mail_token");
    let again = ask(&host, "/admin/invite", body).await;
    assert_eq!((again.status, again.text("code")), (409, "email_taken"));
    let wrong = ask(&host, "/admin/invite", json!({ "name": "Grace", "email": "grace" })).await;
    assert_eq!(wrong.status, 422, "{wrong:?}");
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_said() {
    let directory = Directory::new();
    let (host, token, id) = host(&directory).await;
    let code = |response: Response| (response.status, response.text("code").to_owned());
    for path in ["/admin/impersonate", "/admin/lock-down", "/admin/require-new-password"] {
        for wrong in ["wrong", &token, ""] {
            let refused = host.call_as(wrong, Method::POST, path, json!({ "userId": id })).await;
            assert_eq!(code(refused), (401, "unauthenticated".to_owned()), "{path}");
        }
        let unknown = ask(&host, path, json!({ "userId": "nobody", "reason": "x" })).await;
        assert_eq!(code(unknown), (404, "not_found".to_owned()), "{path}");
        assert_eq!(code(ask(&host, path, json!([])).await).0, 400, "{path}");
        for (body, expected) in [(json!({}), "required"), (json!({ "userId": 7 }), "wrong_type")] {
            let refused = ask(&host, path, body).await;
            let errors = &refused.body["errors"];
            assert_eq!(
                (&errors[0]["field"], &errors[0]["code"]),
                (&json!("userId"), &json!(expected)),
                "{path}"
            );
        }
    }
    for (reason, expected) in [(json!(null), "required"), (json!("x".repeat(201)), "too_long")] {
        let refused = ask(&host, "/admin/impersonate", json!({ "userId": id, "reason": reason })).await;
        let errors = &refused.body["errors"];
        assert_eq!((refused.status, &errors[0]["code"]), (422, &json!(expected)), "{refused:?}");
    }
}

#[tokio::test]
async fn without_a_token_there_are_no_administrators() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    for path in ["/admin/impersonate", "/admin/lock-down", "/admin/require-new-password"] {
        assert_eq!(ask(&host, path, json!({ "userId": "x", "reason": "x" })).await.status, 404, "{path}");
    }
    for wrong in ["short", "with a space", "ümlaut-ümlaut"] {
        let mut child = command(&directory, &[("ADMIN_TOKEN", wrong)]).spawn().expect("the program starts");
        assert_eq!(end_of(&mut child).code(), Some(1), "{wrong}");
    }
    assert!(directory.logs().contains("ADMIN_TOKEN: expected 8 or more ASCII characters without spaces"));
}
