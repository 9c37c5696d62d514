//! `POST /user/restore`: with the token of a sign-in, which starts the session, and with that of a mail, which only cancels.

use super::{GRACE, delete, held_back, mail, pass, restore, restore_after, rfc3339, with_pending};
use crate::support::places::{Place, in_every_place};
use crate::support::routers::{self, CHALLENGE_COOKIE, on_both_routers};
use crate::support::{App, EMAIL, at_once};
use axum_auth_module::delivery::{AccountDeletionKind, AccountDeletionMessage};
use axum_auth_module::endpoint::RouterKind;
use serde_json::json;

on_both_routers![
    who_signs_in_can_restore_the_account_and_is_signed_in,
    the_token_of_a_mail_cancels_and_signs_nobody_in,
    a_mail_that_is_opened_twice_succeeds_twice,
    one_restores_after_the_other,
    the_token_of_a_sign_in_works_once,
    the_token_of_a_sign_in_lasts_ten_minutes,
    what_ends_the_credentials_ends_the_token_of_a_sign_in,
    the_mail_of_a_cancelled_deletion_does_not_cancel_the_next_one,
    after_the_due_time_and_before_the_pass_both_restore,
    a_suspended_and_a_deleted_user_are_refused,
    no_other_token_takes_its_place,
    a_damaged_token_is_refused,
    all_tokens_of_a_client_count_towards_one_limit,
];

in_every_place![on_both_routers: of_many_at_once_one_signs_in];

async fn who_signs_in_can_restore_the_account_and_is_signed_in() {
    let (app, told) = with_pending().await;
    let refused = held_back(&app, EMAIL).await;
    let deletes_at = rfc3339(told.deletes_at);
    assert_eq!(refused.body["deletesAt"], deletes_at.as_str());
    assert!(refused.session().is_none(), "there is no session yet");
    assert_eq!(refused.body.get("restoreToken").is_some(), !app.is_for_browsers());
    if let [cookie] = &refused.set_cookies()[..] {
        assert_eq!((cookie.name.as_str(), cookie.max_age()), (CHALLENGE_COOKIE, Some(600)));
    }
    while app.event().await.name() != "auth.deletion-scheduled" {}
    let tokens = restore_after(&app, &refused).await.expect(200).tokens();
    app.me(&tokens.access).await.expect(200);
    assert_eq!(app.event_names::<2>().await, ["auth.deletion-cancelled", "auth.login"]);
    mail(&app, EMAIL, AccountDeletionKind::Cancelled).await;
    app.login(EMAIL).await;
    app.advance(GRACE);
    pass(&app).await;
    assert!(app.users.by_email(EMAIL).is_some());
}

async fn the_token_of_a_mail_cancels_and_signs_nobody_in() {
    let (app, told) = with_pending().await;
    app.advance(GRACE - 1);
    let answer = restore(&app, &told.token.unwrap()).from("203.0.113.9").await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    assert!(!answer.has_credentials() && answer.set_cookies().is_empty());
    let cancelled = mail(&app, EMAIL, AccountDeletionKind::Cancelled).await;
    assert!(cancelled.token.is_none());
    assert_eq!(cancelled.client.unwrap().to_string(), "203.0.113.9");
    app.login(EMAIL).await;
}

async fn a_mail_that_is_opened_twice_succeeds_twice() {
    let (app, told) = with_pending().await;
    let token = told.token.unwrap();
    restore(&app, &token).await.expect(200);
    mail(&app, EMAIL, AccountDeletionKind::Cancelled).await;
    restore(&app, &token).await.expect(200);
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<AccountDeletionMessage>().is_none(), "nothing more has happened");
}

async fn one_restores_after_the_other() {
    let (app, told) = with_pending().await;
    let refused = held_back(&app, EMAIL).await;
    restore(&app, &told.token.unwrap()).await.expect(200);
    // What the sign-in has proven is still proven.
    restore_after(&app, &refused).await.expect(200).tokens();
    let (app, told) = with_pending().await;
    let refused = held_back(&app, EMAIL).await;
    restore_after(&app, &refused).await.expect(200).tokens();
    restore(&app, &told.token.unwrap()).await.refused(422, "invalid_mail_token");
}

async fn the_token_of_a_sign_in_works_once() {
    let (app, _) = with_pending().await;
    let refused = held_back(&app, EMAIL).await;
    restore_after(&app, &refused).await.expect(200);
    restore_after(&app, &refused).await.refused(422, "invalid_mail_token");
}

async fn the_token_of_a_sign_in_lasts_ten_minutes() {
    let (app, _) = with_pending().await;
    let refused = held_back(&app, EMAIL).await;
    app.advance(600);
    restore_after(&app, &refused).await.refused(422, "expired_mail_token");
    let refused = held_back(&app, EMAIL).await;
    app.advance(599);
    restore_after(&app, &refused).await.expect(200);
}

async fn what_ends_the_credentials_ends_the_token_of_a_sign_in() {
    let (app, _) = with_pending().await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    let refused = held_back(&app, EMAIL).await;
    app.auth.admin().end_all_sessions(&id).await.unwrap();
    restore_after(&app, &refused).await.refused(422, "invalid_mail_token");
    let refused = held_back(&app, EMAIL).await;
    app.users.update(EMAIL, |user| user.password.push('x'));
    restore_after(&app, &refused).await.refused(422, "invalid_mail_token");
}

async fn the_mail_of_a_cancelled_deletion_does_not_cancel_the_next_one() {
    let (app, first) = with_pending().await;
    let refused = held_back(&app, EMAIL).await;
    let other = held_back(&app, EMAIL).await;
    let tokens = restore_after(&app, &refused).await.expect(200).tokens();
    app.advance(1);
    app.confirm_password(&tokens.access).await;
    delete(&app, &tokens.access).await.expect(202);
    restore(&app, &first.token.unwrap()).await.refused(422, "invalid_mail_token");
    restore_after(&app, &other).await.refused(422, "invalid_mail_token");
    held_back(&app, EMAIL).await;
}

async fn after_the_due_time_and_before_the_pass_both_restore() {
    let (app, told) = with_pending().await;
    app.advance(GRACE + 3600);
    restore(&app, &told.token.unwrap()).await.expect(200);
    let (app, _) = with_pending().await;
    app.advance(GRACE + 3600);
    let refused = held_back(&app, EMAIL).await;
    restore_after(&app, &refused).await.expect(200).tokens();
}

async fn a_suspended_and_a_deleted_user_are_refused() {
    let (app, told) = with_pending().await;
    let refused = held_back(&app, EMAIL).await;
    let token = told.token.unwrap();
    app.users.update(EMAIL, |user| user.active = false);
    restore(&app, &token).await.refused(422, "invalid_mail_token");
    restore_after(&app, &refused).await.refused(422, "invalid_mail_token");
    app.login_call(EMAIL, crate::support::PASSWORD).await.refused(401, "invalid_credentials");
    app.users.remove(EMAIL);
    restore(&app, &token).await.refused(422, "invalid_mail_token");
    restore_after(&app, &refused).await.refused(422, "invalid_mail_token");
}

async fn no_other_token_takes_its_place() {
    let (app, told) = with_pending().await;
    let refused = held_back(&app, EMAIL).await;
    // A browser has the token of a sign-in in a cookie, and not in a body that another client sends.
    let other = match app.router {
        RouterKind::Bearer => RouterKind::Browser,
        _ => RouterKind::Bearer,
    };
    let token = match app.is_for_browsers() {
        true => refused.challenge().unwrap(),
        false => refused.body["restoreToken"].as_str().unwrap().to_owned(),
    };
    let path = if other == RouterKind::Browser { "/web/auth/user/restore" } else { "/auth/user/restore" };
    let url = format!("http://{}{path}", app.address);
    let call = reqwest::Client::new().post(url).header("sec-fetch-site", "same-origin");
    let answer = call.json(&json!({ "restoreToken": token })).send().await.unwrap();
    assert_eq!(answer.status(), 422);
    // It is no challenge, and no mailed token of another kind.
    app.post("/auth/two-factor-challenge")
        .challenge(&token, json!({ "code": "123456" }))
        .await
        .refused(401, "invalid_challenge_token");
    for path in ["/auth/email/revert", "/auth/account/secure"] {
        let call = app.post(path).json(&json!({ "token": told.token.clone().unwrap() }));
        call.await.refused(422, "invalid_mail_token");
    }
    let nothing = app.post("/auth/user/restore").json(&json!({}));
    match app.is_for_browsers() {
        true => drop(nothing.await.refused(422, "invalid_mail_token")),
        false => assert_eq!(nothing.await.field_errors(), ["restoreToken: required"]),
    }
    restore(&app, "fl1.nothing").await.refused(422, "invalid_mail_token");
}

async fn a_damaged_token_is_refused() {
    let (app, told) = with_pending().await;
    let token = told.token.unwrap();
    for position in (0..token.len()).step_by(7) {
        let mut damaged = token.clone().into_bytes();
        damaged[position] = if damaged[position] == b'A' { b'B' } else { b'A' };
        let damaged = String::from_utf8(damaged).unwrap();
        restore(&app, &damaged).await.refused(422, "invalid_mail_token");
    }
    restore(&app, &token[..token.len() - 1]).await.refused(422, "invalid_mail_token");
    restore(&app, &token).await.expect(200);
}

async fn all_tokens_of_a_client_count_towards_one_limit() {
    let app = App::with_everything().await;
    for _ in 0..20 {
        restore(&app, "nothing").await.refused(422, "invalid_mail_token");
    }
    restore(&app, "nothing").await.refused(429, "too_many_attempts");
    let call = app.post("/auth/email/revert").json(&json!({ "token": "nothing" }));
    call.await.refused(429, "too_many_attempts");
    restore(&app, "nothing").from("203.0.113.9").await.refused(422, "invalid_mail_token");
}

async fn of_many_at_once_one_signs_in(place: &Place) {
    let (app, tokens) = super::at(place).await;
    delete(&app, &tokens.access).await.expect(202);
    let refused = held_back(&app, EMAIL).await;
    let calls: Vec<_> = (0..30).map(|_| restore_after(&app, &refused).into_future()).collect();
    let answers = at_once(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 200) {
        answer.refused(422, "invalid_mail_token");
    }
    app.login(EMAIL).await;
}

#[tokio::test]
async fn remember_me_of_the_sign_in_counts_for_the_session() {
    routers::on(RouterKind::Browser, async {
        let (app, _) = with_pending().await;
        let body = json!({ "email": EMAIL, "password": crate::support::PASSWORD, "remember": true });
        let refused = app.post("/auth/login").json(&body).await.refused(403, "account_pending_deletion");
        let restored = restore_after(&app, &refused).await.expect(200);
        let is_session = |name: &str| name == crate::support::routers::SESSION_COOKIE;
        let cookies = restored.set_cookies();
        let session = cookies.iter().find(|cookie| is_session(&cookie.name)).unwrap();
        assert!(session.max_age().is_some(), "the browser keeps it");
        let challenge = cookies.iter().find(|cookie| cookie.name == CHALLENGE_COOKIE).unwrap();
        assert!(challenge.is_expired());
    })
    .await;
}
