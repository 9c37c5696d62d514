//! The flow between the two requests of a sign-in: once, in time, and for nothing else.

use super::site::{Site, ada, closed_site, site};
use super::visitor::{Flow, Purpose};
use crate::email_login;
use crate::support::provider::{Person, Return};
use crate::support::routers::{is_browser, on_both_routers};
use crate::support::{EMAIL, at_once};
use serde_json::json;

on_both_routers![
    a_flow_is_used_once,
    a_flow_lives_for_ten_minutes_to_the_second,
    a_flow_with_another_bit_is_none,
    a_token_of_another_purpose_is_no_flow,
    a_flow_of_a_sign_in_opens_nothing_else,
    every_refusal_after_the_code_was_used_leaves_the_flow_spent,
    a_flow_that_has_begun_outlives_what_other_people_do,
    first_requests_leave_nothing_behind,
];

on_both_routers![threads: of_thirty_uses_of_a_flow_at_once_one_succeeds];

async fn with_ada() -> Site {
    let site = closed_site().await;
    site.linked_user(EMAIL, &ada()).await;
    site
}

async fn a_flow_is_used_once() {
    let site = with_ada().await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let first = site.provider("acme").consent(&flow.url, &ada());
    let second = site.provider("acme").consent(&flow.url, &ada());
    visitor.finish(&flow, &first).await.signed_in();
    // A browser has lost the cookie; a thief may have it.
    visitor.plant(&flow.cookie(), &flow.token);
    for returned in [&first, &second] {
        visitor.finish(&flow, returned).await.refused(422, "invalid_flow_token");
    }
}

async fn of_thirty_uses_of_a_flow_at_once_one_succeeds() {
    let site = with_ada().await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let calls: Vec<_> = (0..30)
        .map(|_| {
            let returned = site.provider("acme").consent(&flow.url, &ada());
            // Each of them is a browser with a copy of the cookie.
            let (copy, flow) = (site.visitor(), flow.clone());
            copy.plant(&flow.cookie(), &flow.token);
            async move { copy.finish(&flow, &returned).await }
        })
        .collect();
    let outcomes = at_once(calls).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(super::outcome::Outcome::is_success);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        outcome.refused(422, "invalid_flow_token");
    }
    assert_eq!(site.provider("acme").calls("/token"), 2, "Ada's link, and the one that won");
}

async fn a_flow_lives_for_ten_minutes_to_the_second() {
    let site = with_ada().await;
    for (seconds, is_alive) in [(599, true), (600, false)] {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        site.app.advance(seconds);
        let returned = site.provider("acme").consent(&flow.url, &ada());
        let outcome = visitor.finish(&flow, &returned).await;
        match is_alive {
            true => drop(outcome.signed_in()),
            false => drop(outcome.refused(422, "invalid_flow_token")),
        }
    }
}

async fn a_flow_with_another_bit_is_none() {
    let site = with_ada().await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    let text = flow.token.as_bytes();
    let step = text.len() / 40 + 1;
    for at in (0..text.len()).step_by(step).chain([text.len() - 1]) {
        let mut changed = text.to_vec();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        visitor.plant(&flow.cookie(), &changed);
        let outcome = visitor.finish_with(&flow, &changed, &returned.parameters()).await;
        outcome.refused(422, "invalid_flow_token");
    }
    visitor.plant(&flow.cookie(), &flow.token);
    visitor.finish(&flow, &returned).await.signed_in();
}

async fn a_token_of_another_purpose_is_no_flow() {
    let site = with_ada().await;
    let tokens = site.user("bob@example.com").await;
    let visitor = site.visitor().with(&tokens);
    let app = &site.app;
    let link = visitor.begin_for(Purpose::Link, "acme", &json!({})).await;
    let confirm = site.linked_user("carol@example.com", &Person::new("carol", "carol@example.com")).await;
    let carol = site.visitor().with(&confirm);
    let confirm = carol.begin_for(Purpose::Confirm, "acme", &json!({})).await;
    let mail = email_login::begin(app, EMAIL).await.flow;
    let passkey = app.passkey_options("/auth/passkeys/login/options", None).await["flowToken"].clone();
    let flow = visitor.begin("acme").await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    let others = [
        link.token,
        confirm.token,
        mail,
        passkey.as_str().unwrap().to_owned(),
        tokens.access,
        "x".to_owned(),
    ];
    for token in others {
        visitor.plant(&flow.cookie(), &token);
        let outcome = visitor.finish_with(&flow, &token, &returned.parameters()).await;
        outcome.refused(422, "invalid_flow_token");
    }
    visitor.plant(&flow.cookie(), &flow.token);
    visitor.finish(&flow, &returned).await.signed_in();
}

async fn a_flow_of_a_sign_in_opens_nothing_else() {
    let site = with_ada().await;
    let tokens = site.user("bob@example.com").await;
    let visitor = site.visitor().with(&tokens);
    let flow = visitor.begin("acme").await;
    let app = &site.app;
    email_login::with_code(app, &flow.token, "12345678").await.refused(422, "invalid_flow_token");
    let passkey = json!({ "flowToken": flow.token, "credential": {} });
    app.passkey_login(&passkey).await.expect(422);
    // In a session, too: a sign-in that was begun cannot be finished as a link.
    let eve = Person::new("eve", "eve@example.com");
    let returned = site.provider("acme").consent(&flow.url, &eve);
    if !is_browser() {
        let as_link = Flow { purpose: Purpose::Link, ..flow.clone() };
        visitor.finish(&as_link, &returned).await.refused(422, "invalid_flow_token");
        visitor.link_by_token(&flow.token).await.refused(422, "invalid_flow_token");
    }
    assert!(site.identity("acme", "eve").await.is_none());
}

async fn every_refusal_after_the_code_was_used_leaves_the_flow_spent() {
    let site = with_ada().await;
    let stranger = Person::new("stranger", "nobody@example.com");
    site.app.users.update(EMAIL, |user| user.active = false);
    for (person, status, code) in [
        (ada(), 422, "provider_refused"),
        (stranger.clone().saying(false), 403, "provider_email_unverified"),
        (stranger, 403, "registration_closed"),
    ] {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let returned = site.provider("acme").consent(&flow.url, &person);
        visitor.finish(&flow, &returned).await.refused(status, code);
        site.app.users.update(EMAIL, |user| user.active = true);
        visitor.plant(&flow.cookie(), &flow.token);
        let again = site.provider("acme").consent(&flow.url, &ada());
        visitor.finish(&flow, &again).await.refused(422, "invalid_flow_token");
    }
}

/// It knows no user yet: nothing of an account ends it.
async fn a_flow_that_has_begun_outlives_what_other_people_do() {
    let site = with_ada().await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let id = site.account(EMAIL).id;
    site.app.auth.admin().end_all_sessions(&id).await.unwrap();
    let returned: Return = site.provider("acme").consent(&flow.url, &ada());
    visitor.finish(&flow, &returned).await.signed_in();
}

async fn first_requests_leave_nothing_behind() {
    let site = site().await;
    for _ in 0..50 {
        site.visitor().begin("acme").await;
    }
    assert_eq!(site.provider("acme").calls("/.well-known/openid-configuration"), 1);
    assert!(site.app.users.all().is_empty());
}
