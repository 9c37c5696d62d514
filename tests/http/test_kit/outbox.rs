//! Messages that stay in the test.

use super::Host;
use crate::support::{EMAIL, PASSWORD, addresses_of_profiles};
use axum_auth_module::delivery::{
    AddressChanged, EmailChangePurpose, EmailVerificationMessage, PasswordResetMessage, PasswordResetReason,
};
use axum_auth_module::testing::login_as;
use serde_json::json;
use std::time::{Duration, UNIX_EPOCH};

const OTHER: &str = "bob@example.com";

#[tokio::test]
async fn a_reset_token_of_an_address_sets_a_new_password() {
    let host = Host::start();
    for email in [EMAIL, OTHER] {
        host.user(email).await;
        host.client().post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
    }
    let reset = host.outbox.next_reset(OTHER).await;
    assert_eq!(reset.email, OTHER);
    let body = json!({
        "token": reset.token, "email": OTHER,
        "password": "another horse battery", "passwordConfirmation": "another horse battery",
    });
    host.client().post("/auth/reset-password").json(&body).await.expect(200);
    assert_eq!(host.outbox.next_reset(EMAIL).await.email, EMAIL);
    assert!(host.outbox.last_reset(EMAIL).is_none() && host.outbox.last_reset(OTHER).is_none());
}

#[tokio::test]
async fn the_last_message_of_an_address_stays_in_the_outbox() {
    let host = Host::start();
    host.user(EMAIL).await;
    for _ in 0..2 {
        host.client().post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
        host.auth.background_work_finished().await;
        // After ten minutes a request makes another token.
        host.clock.advance(Duration::from_secs(601));
    }
    let all: Vec<PasswordResetMessage> = host.outbox.all();
    assert!(all.len() == 2 && all[0].token != all[1].token);
    assert_eq!(host.outbox.last_reset(EMAIL).unwrap().token, all[1].token);
    assert_eq!(host.outbox.next_reset(EMAIL).await.token, all[0].token);
    assert!(host.outbox.all::<EmailVerificationMessage>().is_empty());
    assert!(!host.outbox.is_empty());
    host.outbox.clear();
    assert!(host.outbox.is_empty());
}

#[tokio::test]
async fn a_verification_link_is_opened_and_a_change_is_told_to_the_previous_address() {
    let host = Host::with(|config| config, addresses_of_profiles);
    let ada = host.user(EMAIL).await;
    let login = login_as(&host.auth, &ada).with_confirmed_password();
    let client = host.client().with_tokens(&login.tokens().await.unwrap());
    client.post("/auth/email/verification-notification").await.expect(200);
    let link = host.outbox.next_verification(EMAIL).await.data.path("/auth");
    client.get("/verified").await.expect(403);
    client.get(&link).await.expect(200);
    client.get("/verified").await.expect(200);
    let body = json!({ "name": "Ada", "email": OTHER, "password": PASSWORD });
    client.put("/auth/user/profile-information").json(&body).await.expect(200);
    let notice: AddressChanged = host.outbox.next_address_changed(EMAIL).await;
    assert_eq!(notice.previous_email, EMAIL);
    client.post("/auth/email/verification-notification").await.expect(200);
    assert_eq!(host.outbox.next_verification(OTHER).await.email, OTHER);
    assert!(host.outbox.last_verification(OTHER).is_none());
}

#[tokio::test]
async fn a_change_of_the_address_is_confirmed_and_undone() {
    let host = Host::start();
    let ada = host.user(EMAIL).await;
    host.users.update(EMAIL, |user| user.email_verified_at = Some(UNIX_EPOCH));
    let login = login_as(&host.auth, &ada).with_confirmed_password();
    let client = host.client().with_tokens(&login.tokens().await.unwrap());
    client.post("/auth/user/email-change").json(&json!({ "email": OTHER })).await.expect(200);
    let mail = host.outbox.next_email_change(OTHER).await;
    assert_eq!(mail.purpose, EmailChangePurpose::Confirm);
    let confirm = client.post("/auth/user/email-change/confirm").json(&json!({ "token": mail.token }));
    confirm.await.expect(200);
    let told = host.outbox.next_email_change(EMAIL).await;
    assert_eq!(told.purpose, EmailChangePurpose::Changed);
    host.client().post("/auth/email/revert").json(&json!({ "token": told.token })).await.expect(200);
    assert_eq!(host.outbox.next_email_change(OTHER).await.purpose, EmailChangePurpose::Reverted);
    assert_eq!(host.outbox.next_reset(EMAIL).await.reason, PasswordResetReason::LockedDown);
}
