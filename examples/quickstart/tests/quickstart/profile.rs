//! Changes of a user's name, address and password.

use crate::host::{Directory, Host, PASSWORD, login, registration};
use crate::outbox::{link, mail};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn a_changed_address_must_be_verified_again() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    let token = registered.text("accessToken");
    let notify = async || host.post_as(token, "/auth/email/verification-notification").await;
    assert_eq!(notify().await.status, 200);
    assert_eq!(host.follow_as(token, link(&mail(&directory, 1).await)).await.status, 200);

    let profile = json!({ "name": "Ada Lovelace", "email": "Lovelace@example.com" });
    assert_eq!(host.call_as(token, Method::PUT, "/auth/user/profile-information", profile).await.status, 200);
    let me = host.get_as(token, "/me").await;
    assert_eq!((me.text("name"), me.text("email")), ("Ada Lovelace", "lovelace@example.com"));
    let notice = mail(&directory, 2).await;
    assert!(notice.contains("\r\nTo: ada@example.com\r\n"), "{notice}");
    assert_eq!(notify().await.status, 200);
    let second = mail(&directory, 3).await;
    assert!(second.contains("\r\nTo: lovelace@example.com\r\n"), "{second}");
    let outdated = host.follow_as(token, link(&mail(&directory, 1).await)).await;
    assert_eq!((outdated.status, outdated.text("code")), (422, "invalid_verification_link"));
    assert_eq!(host.follow_as(token, link(&second)).await.status, 200);
}

#[tokio::test]
async fn the_address_of_another_user_is_taken() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    host.post("/auth/register", registration("ada@example.com")).await;
    let registered = host.post("/auth/register", registration("bob@example.com")).await;
    let token = registered.text("accessToken");
    let profile = json!({ "name": "Bob", "email": "ada@example.com" });
    let taken = host.call_as(token, Method::PUT, "/auth/user/profile-information", profile).await;
    assert_eq!((taken.status, taken.text("code")), (409, "email_taken"));
}

#[tokio::test]
async fn a_changed_password_ends_every_session_except_the_current_one() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let other = host.post("/auth/register", registration("ada@example.com")).await;
    let acting = host.post("/auth/login", login("ada@example.com", PASSWORD)).await;
    let change = |current: &str| {
        let new = "battery staple";
        json!({ "currentPassword": current, "password": new, "passwordConfirmation": new })
    };
    let token = acting.text("accessToken");
    let update =
        async |current: &str| host.call_as(token, Method::PUT, "/auth/user/password", change(current)).await;
    let wrong = update("a wrong password").await;
    assert_eq!((wrong.status, wrong.text("code")), (422, "incorrect_password"));
    let updated = update(PASSWORD).await;
    assert_eq!(updated.status, 200);
    assert_eq!(host.get_as(updated.text("accessToken"), "/me").await.status, 200);
    for ended in [&other, &acting] {
        assert_eq!(host.get_as(ended.text("accessToken"), "/me").await.status, 401);
    }
    assert_eq!(host.post("/auth/login", login("ada@example.com", "battery staple")).await.status, 200);
}
