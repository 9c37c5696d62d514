//! Changes of a user's name, address and password, and how their owner undoes them.

use crate::host::{Directory, Host, PASSWORD, login, registration};
use crate::outbox::{link, mail, mail_that_is, parameter};
use reqwest::Method;
use serde_json::{Value, json};

/// A host in which the profile has the address.
const IN_THE_PROFILE: (&str, &str) =
    ("AUTH_FEATURES", "registration, email-verification, update-profile-information");

#[tokio::test]
async fn without_confirmed_changes_an_address_must_be_verified_again() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[IN_THE_PROFILE]);
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
async fn without_confirmed_changes_the_address_of_another_user_is_taken() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[IN_THE_PROFILE]);
    host.post("/auth/register", registration("ada@example.com")).await;
    let registered = host.post("/auth/register", registration("bob@example.com")).await;
    let token = registered.text("accessToken");
    let profile = json!({ "name": "Bob", "email": "ada@example.com" });
    let taken = host.call_as(token, Method::PUT, "/auth/user/profile-information", profile).await;
    assert_eq!((taken.status, taken.text("code")), (409, "email_taken"));
}

#[tokio::test]
async fn a_user_name_opens_the_account_also_after_a_restart() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let mut body = registration("ada@example.com");
    body["username"] = json!("Ada.L");
    let registered = host.post("/auth/register", body).await;
    let me = host.get_as(registered.text("accessToken"), "/me").await;
    assert_eq!(me.text("username"), "ada.l");
    let mut body = registration("eve@example.com");
    body["username"] = json!("ADA.L");
    let taken = host.post("/auth/register", body).await;
    assert_eq!((taken.status, taken.text("code")), (409, "username_taken"));
    let eve = host.post("/auth/register", registration("eve@example.com")).await;
    let nameless = host.get_as(eve.text("accessToken"), "/me").await;
    assert_eq!(nameless.body["username"], Value::Null);
    drop(host);
    let host = Host::start(&directory, &[]);
    let login = json!({ "username": "ada.l", "password": PASSWORD });
    assert_eq!(host.post("/auth/login", login).await.status, 200);
}

/// Registers Ada, verifies her address and confirms her password. Returns her access token.
async fn verified_and_confirmed(directory: &Directory, host: &Host) -> String {
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    let token = registered.text("accessToken");
    assert_eq!(host.post_as(token, "/auth/email/verification-notification").await.status, 200);
    let mail = mail_that_is(directory, "email-verification").await;
    assert_eq!(host.follow_as(token, link(&mail)).await.status, 200);
    let password = json!({ "password": PASSWORD });
    assert_eq!(host.call_as(token, Method::POST, "/auth/user/confirm-password", password).await.status, 200);
    token.to_owned()
}

/// The body with the token of this mail, whose link must lead to this view.
fn token_of(host: &Host, mail: &str, view: &str) -> Value {
    let link = link(mail);
    let token = link.strip_prefix(&format!("{}/#/{view}?token=", host.page()));
    assert_eq!(token, Some(parameter(link, "token")), "{link}");
    json!({ "token": token })
}

#[tokio::test]
async fn an_address_changes_after_it_was_proven_and_the_previous_one_takes_the_account_back() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let token = verified_and_confirmed(&directory, &host).await;
    let address = async |token: &str| host.get_as(token, "/me").await.text("email").to_owned();
    let profile = json!({ "name": "Ada", "email": "lovelace@example.com" });
    let refused = host.call_as(&token, Method::PUT, "/auth/user/profile-information", profile).await;
    assert_eq!((refused.status, &refused.body["errors"][0]["code"]), (422, &json!("use_email_change")));

    let asked = json!({ "email": "Lovelace@example.com" });
    assert_eq!(host.call_as(&token, Method::POST, "/auth/user/email-change", asked).await.status, 200);
    let pending = host.get_as(&token, "/auth/user/email-change").await;
    assert_eq!(pending.body["pending"]["email"], "lovelace@example.com");
    let mail = mail_that_is(&directory, "email-change; kind=Confirm").await;
    assert!(mail.contains("\r\nTo: lovelace@example.com\r\n"), "{mail}");
    assert_eq!(address(&token).await, "ada@example.com");
    let proof = token_of(&host, &mail, "email-change");
    let confirmed = host.call_as(&token, Method::POST, "/auth/user/email-change/confirm", proof).await;
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    let token = confirmed.text("accessToken");
    assert_eq!(address(token).await, "lovelace@example.com");

    let mail = mail_that_is(&directory, "email-change; kind=Changed").await;
    assert!(mail.contains("\r\nTo: ada@example.com\r\n"), "{mail}");
    assert_eq!(host.post("/auth/email/revert", token_of(&host, &mail, "revert")).await.status, 200);
    assert_eq!(host.get_as(token, "/me").await.status, 401, "every session has ended");
    let mail = mail_that_is(&directory, "password-reset; kind=LockedDown").await;
    assert!(mail.contains("\r\nTo: ada@example.com\r\n"), "{mail}");
    assert_eq!(reset(&host, &mail).await, 200);
    let owner = host.post("/auth/login", login("ada@example.com", NEW_PASSWORD)).await;
    assert_eq!(address(owner.text("accessToken")).await, "ada@example.com");
}

const NEW_PASSWORD: &str = "battery staple";

/// Sets a new password with the link of this mail. Returns the status.
async fn reset(host: &Host, mail: &str) -> u16 {
    let body = json!({
        "email": "ada@example.com", "token": parameter(link(mail), "token"),
        "password": NEW_PASSWORD, "passwordConfirmation": NEW_PASSWORD,
    });
    host.post("/auth/reset-password", body).await.status
}

#[tokio::test]
async fn who_is_told_of_a_new_password_locks_the_account_down() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let token = verified_and_confirmed(&directory, &host).await;
    let new = "a password of somebody else";
    let change = json!({ "currentPassword": PASSWORD, "password": new, "passwordConfirmation": new });
    let changed = host.call_as(&token, Method::PUT, "/auth/user/password", change).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let mail = mail_that_is(&directory, "security-notice; kind=PasswordChanged").await;
    assert!(mail.contains("\r\nTo: ada@example.com\r\n"), "{mail}");
    assert_eq!(host.post("/auth/account/secure", token_of(&host, &mail, "secure")).await.status, 200);
    assert_eq!(host.get_as(changed.text("accessToken"), "/me").await.status, 401);
    assert_eq!(host.post("/auth/login", login("ada@example.com", new)).await.status, 401);
    let mail = mail_that_is(&directory, "password-reset; kind=LockedDown").await;
    assert_eq!(reset(&host, &mail).await, 200);
    assert_eq!(host.post("/auth/login", login("ada@example.com", NEW_PASSWORD)).await.status, 200);
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
