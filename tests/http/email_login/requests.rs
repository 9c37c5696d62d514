//! `POST /login/email`.

use super::{Begun, ask, begin, flow_of, host, no_mail_limits, request, verified, with_code, with_user};
use crate::support::EMAIL;
use crate::support::places::Place;
use crate::support::routers::on_both_routers;
use axum_auth_module::delivery::{EmailLoginMessage, EmailLoginPurpose};
use axum_auth_module::testing::Faults;
use axum_auth_module::testing::ProviderMethod::{
    self, DeletionsFind, StoreCount, StoreGet, UsersFindByField,
};
use serde_json::json;
use std::time::{Duration, UNIX_EPOCH};

on_both_routers![
    the_mail_has_what_its_reader_needs,
    every_address_gets_a_response_alike,
    a_request_is_as_much_work_for_every_address_and_keeps_nothing_but_counters,
    nothing_is_mailed_to_a_suspended_user,
    a_repeated_request_mails_the_code_of_the_first_one,
    a_repeated_request_resets_no_tries,
    a_flow_token_that_is_no_good_counts_as_absent,
    fields_are_checked,
];

const STRANGER: &str = "nobody@example.com";

async fn the_mail_has_what_its_reader_needs() {
    let (app, _) = with_user().await;
    let call = ask(&app, " Ada@Example.COM ").header("user-agent", "A browser");
    let answer = call.await.expect(200);
    assert_eq!(answer.members(), ["expiresIn", "flowToken", "message"]);
    assert_eq!(answer.body["expiresIn"], 600);
    let mail: EmailLoginMessage = app.outbox.next().await;
    assert_eq!((mail.email.as_str(), mail.name.as_deref()), (EMAIL, Some("Ada")));
    assert!(mail.email_verified);
    assert_eq!(mail.purpose, EmailLoginPurpose::Login);
    let code = mail.code.as_deref().unwrap();
    assert!(code.len() == 8 && code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
    assert_eq!(mail.code_in_groups().unwrap(), format!("{} {}", &code[..4], &code[4..]));
    assert_eq!(mail.token.as_deref().map(str::len), Some(43));
    assert_eq!(mail.client, Some("192.0.2.1".parse().unwrap()));
    assert_eq!(mail.user_agent.as_deref(), Some("A browser"));
    assert_eq!(mail.expires_at.duration_since(UNIX_EPOCH).unwrap().subsec_nanos(), 0);
    let lifetime = mail.expires_at.duration_since(mail.requested_at).unwrap();
    assert!(lifetime <= Duration::from_secs(600) && lifetime > Duration::from_secs(598), "{lifetime:?}");
}

async fn every_address_gets_a_response_alike() {
    let app = host().await;
    for (number, email) in [EMAIL, "suspended@example.com", "two@example.com"].into_iter().enumerate() {
        let tokens = verified(&app, email).await;
        match number {
            1 => drop(app.users.update(email, |user| user.active = false)),
            2 => {
                app.confirm_password(&tokens.access).await;
                app.enable(&tokens.access).await.expect(200);
                let code = app.authenticator(&tokens.access).await.code(&app);
                app.confirm_two_factor(&tokens.access, &code).await.expect(200);
            }
            _ => {}
        }
    }
    let long = format!("{}@example.com", "a".repeat(64));
    let mut alike = Vec::new();
    for email in [EMAIL, "suspended@example.com", "two@example.com", STRANGER, &long] {
        let answer = ask(&app, email).await.expect(200);
        let mut headers: Vec<_> = answer.headers.keys().map(|name| name.as_str().to_owned()).collect();
        headers.sort();
        headers.retain(|name| name != "date");
        let length = answer.headers.get("content-length").cloned();
        alike.push((answer.body["message"].clone(), answer.body["expiresIn"].clone(), headers, length));
        assert_eq!(flow_of(&answer).len(), flow_of(&ask(&app, STRANGER).await).len());
    }
    assert!(alike.iter().all(|one| *one == alike[0]), "{alike:?}");
}

/// The time of the response must not tell whether an address has an account, and a flood of first requests must not fill the store.
async fn a_request_is_as_much_work_for_every_address_and_keeps_nothing_but_counters() {
    const WORK: [ProviderMethod; 8] =
        [StoreCount, UsersFindByField, StoreGet, StoreGet, StoreCount, StoreGet, DeletionsFind, StoreGet];
    let faults = Faults::new();
    let app = Place::memory().start_faulty(&faults, |config| config.limits(no_mail_limits())).await;
    for email in [EMAIL, "suspended@example.com", "unverified@example.com"] {
        app.register(email).await;
    }
    app.verify_address(EMAIL);
    app.users.update("suspended@example.com", |user| user.active = false);
    for email in [EMAIL, "suspended@example.com", "unverified@example.com", STRANGER] {
        app.auth.background_work_finished().await;
        faults.clear_calls();
        ask(&app, email).from("198.51.100.1").await.expect(200);
        assert_eq!(faults.calls(), WORK, "{email}");
    }
}

async fn nothing_is_mailed_to_a_suspended_user() {
    let (app, _) = with_user().await;
    app.users.update(EMAIL, |user| user.active = false);
    let flow = flow_of(&ask(&app, EMAIL).await.expect(200));
    // Nobody knows the code.
    with_code(&app, &flow, "00000000").await.refused(422, "invalid_login_code");
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<EmailLoginMessage>().is_none());
}

async fn a_repeated_request_mails_the_code_of_the_first_one() {
    let (app, _) = with_user().await;
    let first = begin(&app, EMAIL).await;
    app.advance(100);
    let answer = request(&app, &json!({ "email": EMAIL, "flowToken": first.flow })).await.expect(200);
    assert_eq!(answer.body["expiresIn"], 500);
    let again = Begun { flow: flow_of(&answer), mail: app.outbox.next().await };
    assert_ne!(again.flow, first.flow);
    assert_eq!((again.code(), &again.mail.token), (first.code(), &first.mail.token));
    assert_eq!(again.mail.expires_at, first.mail.expires_at);
    with_code(&app, &first.flow, again.code()).await.expect(200);
    // They are one ceremony, which is used up.
    with_code(&app, &again.flow, again.code()).await.refused(422, "invalid_flow_token");
}

async fn a_repeated_request_resets_no_tries() {
    let (app, _) = with_user().await;
    let first = begin(&app, EMAIL).await;
    for _ in 0..4 {
        with_code(&app, &first.flow, &first.wrong_code()).await.refused(422, "invalid_login_code");
    }
    let again = request(&app, &json!({ "email": EMAIL, "flowToken": first.flow })).await.expect(200);
    with_code(&app, &flow_of(&again), &first.wrong_code()).await.refused(422, "invalid_login_code");
    with_code(&app, &flow_of(&again), first.code()).await.refused(422, "invalid_flow_token");
    // The flow token has no tries left, so the next request starts another ceremony.
    app.outbox.next::<EmailLoginMessage>().await;
    let fresh = request(&app, &json!({ "email": EMAIL, "flowToken": first.flow })).await.expect(200);
    let mail: EmailLoginMessage = app.outbox.next().await;
    with_code(&app, &flow_of(&fresh), mail.code.as_deref().unwrap()).await.expect(200);
}

async fn a_flow_token_that_is_no_good_counts_as_absent() {
    let (app, tokens) = with_user().await;
    verified(&app, "bob@example.com").await;
    let of_bob = begin(&app, "bob@example.com").await.flow;
    let used = begin(&app, EMAIL).await;
    with_code(&app, &used.flow, used.code()).await.expect(200);
    let garbage = ["", "x", "fl1.AAAA", &tokens.access, &of_bob, &used.flow];
    for earlier in garbage {
        let body = json!({ "email": EMAIL, "flowToken": earlier });
        let answer = request(&app, &body).await;
        let mail: EmailLoginMessage = app.outbox.next().await;
        assert_ne!(mail.code, used.mail.code);
        assert_eq!(answer.expect(200).body["expiresIn"], 600);
    }
    let expired = begin(&app, EMAIL).await;
    app.advance(600);
    let answer = request(&app, &json!({ "email": EMAIL, "flowToken": expired.flow })).await.expect(200);
    assert_eq!(answer.body["expiresIn"], 600);
}

async fn fields_are_checked() {
    let (app, _) = with_user().await;
    for (body, errors) in [
        (json!({}), ["email: required"]),
        (json!({ "email": "nobody" }), ["email: invalid"]),
        (json!({ "email": EMAIL, "flowToken": 7 }), ["flowToken: wrong_type"]),
    ] {
        assert_eq!(request(&app, &body).await.field_errors(), errors, "{body}");
    }
    request(&app, &json!({ "email": EMAIL, "flowToken": null })).await.expect(200);
}
