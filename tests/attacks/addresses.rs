//! Texts that are not one plain address, and addresses that only look like the stored one (RFC 5321 §4.1.2; Unicode TR 36;
//! ASVS 6.3.1). What is sent for an address goes to the stored one alone.

use super::target::{EVE, INVALID_CREDENTIALS, Target, attacks};
use crate::support::{EMAIL, PASSWORD, registration};
use axum_auth_module::delivery::PasswordResetMessage;
use serde_json::{Value, json};

attacks! {
    on_both_routers {
        texts_that_are_not_one_address: 125,
        spellings_of_one_address: 18,
        similar_ones: 27,
    }
}

/// What a mailer, a database or a program could read as an address, or as two.
fn no_addresses() -> Vec<(Value, &'static str)> {
    let invalid = [
        "ada",
        "ada@",
        "@example.com",
        "ada@example",
        "ada@example..com",
        "ada@.example.com",
        "ada@example.com.",
        "ada@-example.com",
        "ada example@example.com",
        "ada@exam ple.com",
        "ada@@example.com",
        "ada@example.com,eve@example.com",
        "ada@example.com;eve@example.com",
        "ada@example.com eve@example.com",
        "Ada <ada@example.com>",
        "<ada@example.com>",
        "ada@example.com\r\nBcc: eve@example.com",
        "ada@example.com\nBcc:eve@example.com",
        "ada\r\n@example.com",
        "ada@example.com\0",
        "ada\0@example.com",
        "ada@[127.0.0.1]",
        "ada@[IPv6:::1]",
        "\u{430}da@example.com",
        "ada@ex\u{e4}mple.com",
        "ada@example\u{3002}com",
    ];
    let invalid = invalid.map(|text| (json!(text), "email: invalid"));
    let others = [
        (json!(null), "email: required"),
        (json!(" "), "email: required"),
        (json!([EMAIL]), "email: wrong_type"),
        (json!({ "address": EMAIL }), "email: wrong_type"),
        (json!(format!("{}@example.com", "a".repeat(250))), "email: too_long"),
    ];
    invalid.into_iter().chain(others).collect()
}

/// At each of the four routes that take an address from anybody or from a user.
async fn texts_that_are_not_one_address() -> Target {
    let target = Target::with_addresses_of_profiles().await;
    let access = target.register(EVE).await.access;
    let calls = |email: &Value| {
        let mut new = registration(EMAIL);
        new["email"] = email.clone();
        [
            target.post("/auth/register").json(&new),
            target.post("/auth/login").json(&json!({ "email": email, "password": PASSWORD })),
            target.post("/auth/forgot-password").json(&json!({ "email": email })),
            target
                .put("/auth/user/profile-information")
                .bearer(&access)
                .json(&json!({ "name": "Eve", "email": email })),
        ]
    };
    for (email, error) in no_addresses() {
        for call in calls(&email) {
            target.refuses_fields(&email, call, &[error]).await;
        }
    }
    assert!(target.outbox.is_empty());
    let [register, login, forgot, update] = calls(&json!(EMAIL));
    target.serves("registration", register, 201).await;
    target.serves("login", login, 200).await;
    target.serves("forgotten password", forgot, 200).await;
    assert_eq!(target.outbox.next::<PasswordResetMessage>().await.email, EMAIL);
    target.refuses("the address of another account", update, (409, "email_taken")).await;
    target.serves("a free one", target.move_to(&access, "free@example.com"), 200).await;
    target
}

/// Case and spaces around it make no other address: not for a second account, and not for a limit or a delivery.
async fn spellings_of_one_address() -> Target {
    let target = Target::with_addresses_of_profiles().await;
    target.register(EMAIL).await;
    let access = target.register(EVE).await.access;
    for spelling in [
        "ADA@EXAMPLE.COM",
        "Ada@example.com",
        "ada@Example.Com",
        " ada@example.com",
        "ada@example.com\t",
        "\t ADA@example.COM ",
    ] {
        let call = target.post("/auth/register").json(&registration(spelling));
        target.refuses(spelling, call, (409, "email_taken")).await;
        target.refuses(spelling, target.move_to(&access, spelling), (409, "email_taken")).await;
        target.shrugs_off(spelling, target.forgot(spelling), 200).await;
        let message = target.outbox.next::<PasswordResetMessage>().await;
        assert_eq!(message.email, EMAIL, "the stored address");
        target.serves(spelling, target.login_call(spelling, PASSWORD), 200).await;
    }
    assert!(target.outbox.is_empty());
    target
}

/// Addresses of others that a person or a careless comparison could take for Ada's.
async fn similar_ones() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    let token = target.reset_token(EMAIL).await;
    for other in [
        "ada+tag@example.com",
        "a.d.a@example.com",
        "\"ada\"@example.com",
        "ada@example.co",
        "ada@example.com.evil.example",
        "ada@xn--exmple-cua.com",
        "ada%40example.com@evil.example",
        "ada'--@example.com",
        "ad_@example.com",
    ] {
        target.refuses(other, target.login_call(other, PASSWORD), INVALID_CREDENTIALS).await;
        target.refuses(other, target.reset(other, &token), (422, "invalid_reset_token")).await;
        target.shrugs_off(other, target.forgot(other), 200).await;
    }
    assert!(target.outbox.is_empty(), "nobody is written to");
    target.serves("login", target.login_call(EMAIL, PASSWORD), 200).await;
    target.serves("reset", target.reset(EMAIL, &token), 200).await;
    target
}
