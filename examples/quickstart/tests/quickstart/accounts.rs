//! One account from registration to lockout.

use crate::host::{Directory, Host, PASSWORD, login, registration};
use serde_json::json;

#[tokio::test]
async fn an_account_logs_in_stays_logged_in_and_logs_out() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    assert_eq!((registered.status, &registered.body["twoFactor"]), (201, &json!(false)));

    let logged_in = host.post("/auth/login", login(" Ada@Example.com ", PASSWORD)).await;
    assert_eq!(logged_in.status, 200);
    let me = host.get_as(logged_in.text("accessToken"), "/me").await;
    assert_eq!((me.status, me.text("name"), me.text("email")), (200, "Ada", "ada@example.com"));
    let names: Vec<_> = me.body.as_object().expect("an object").keys().collect();
    assert_eq!(names, ["email", "emailVerified", "id", "name", "twoFactor", "username"], "and nothing else");

    let refreshed =
        host.post("/auth/refresh", json!({ "refreshToken": logged_in.text("refreshToken") })).await;
    assert_eq!(refreshed.status, 200);
    assert_eq!(host.post_as(refreshed.text("accessToken"), "/auth/logout").await.status, 200);
    for ended in [&logged_in, &refreshed] {
        let refused = host.get_as(ended.text("accessToken"), "/me").await;
        assert_eq!((refused.status, refused.text("code")), (401, "unauthenticated"));
    }
    assert_eq!(host.get_as(registered.text("accessToken"), "/me").await.status, 200, "another session");
}

#[tokio::test]
async fn common_passwords_are_refused_if_that_is_switched_on() {
    for (value, status) in [("1", 422), ("0", 201)] {
        let directory = Directory::new();
        let host = Host::start(&directory, &[("AUTH_REFUSE_COMMON_PASSWORDS", value)]);
        let mut body = registration("ada@example.com");
        for field in ["password", "passwordConfirmation"] {
            body[field] = json!("password123");
        }
        assert_eq!(host.post("/auth/register", body).await.status, status, "{value}");
        assert_eq!(host.post("/auth/register", registration("grace@example.com")).await.status, 201);
    }
}

#[tokio::test]
async fn an_address_is_taken_once_and_a_password_guessed_five_times() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    assert_eq!(host.post("/auth/register", registration("ada@example.com")).await.status, 201);
    let again = host.post("/auth/register", registration("ADA@example.com")).await;
    assert_eq!((again.status, again.text("code")), (409, "email_taken"));

    for _ in 0..5 {
        let refused = host.post("/auth/login", login("ada@example.com", "a wrong password")).await;
        assert_eq!((refused.status, refused.text("code")), (401, "invalid_credentials"));
    }
    let locked = host.post("/auth/login", login("ada@example.com", PASSWORD)).await;
    assert_eq!((locked.status, locked.text("code")), (429, "too_many_attempts"));
    assert!(locked.retry_after.is_some_and(|seconds| (1..=60).contains(&seconds)), "{locked:?}");
}

#[tokio::test]
async fn the_health_check_succeeds() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    assert_eq!(host.get_as("", "/healthz").await.status, 200);
    assert_eq!(host.get_as("", "/me").await.status, 401);
}

#[tokio::test]
async fn personal_data_is_not_for_caches() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    let me = reqwest::Client::new().get(host.url("/me")).bearer_auth(registered.text("accessToken"));
    let me = me.send().await.expect("a response");
    assert_eq!(me.status(), 200);
    assert_eq!(me.headers()["cache-control"], "private, no-store");
}
