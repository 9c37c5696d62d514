//! Confirmation with a provider: who has nothing else can still prove to be here.

use super::site::{Site, ada, site};
use super::visitor::{Flow, Purpose, Visitor};
use crate::support::provider::Person;
use crate::support::routers::{is_browser, on_both_routers};
use crate::support::{EMAIL, Tokens};
use serde_json::{Value, json};

on_both_routers![
    a_session_is_confirmed_by_the_same_identity,
    it_can_be_offered_to_who_has_an_identity_alone,
    another_subject_is_refused,
    it_needs_a_session_and_an_identity_of_the_provider,
    it_belongs_to_the_session_that_asked_for_it,
    a_sign_in_at_the_provider_long_ago_is_none,
    a_flow_of_a_confirmation_is_used_once_and_for_nothing_else,
    an_outage_leaves_the_flow,
];

/// A user whose session is no longer confirmed.
async fn unconfirmed() -> (Site, Tokens, Visitor) {
    let site = site().await;
    site.linked_user(EMAIL, &ada()).await;
    let tokens = site.app.login(EMAIL).await;
    let visitor = site.visitor().with(&tokens);
    (site, tokens, visitor)
}

async fn is_confirmed(site: &Site, tokens: &Tokens) -> bool {
    let answer = site.app.get("/confirmed").bearer(&tokens.access).await;
    assert!(matches!(answer.status, 200 | 403), "{}", answer.text);
    answer.status == 200
}

async fn a_session_is_confirmed_by_the_same_identity() {
    let (site, tokens, visitor) = unconfirmed().await;
    assert!(!is_confirmed(&site, &tokens).await);
    let flow = visitor.begin_for(Purpose::Confirm, "acme", &json!({ "next": "/settings" })).await;
    let asked = site.provider("acme").asked(&flow.url);
    assert_eq!((asked["prompt"].as_str(), asked["max_age"].as_str()), ("login", "0"));
    let returned = site.provider("acme").consent(&flow.url, &ada());
    let confirmed = visitor.finish(&flow, &returned).await.confirmed(&tokens);
    assert!(is_confirmed(&site, &confirmed).await);
    site.app.get("/assured/aal1/300").bearer(&confirmed.access).await.expect(200);
    loop {
        let event = site.app.any_event().await;
        if event.name() == "auth.confirmed" && event.kind.facts().any(|fact| fact == ("methods", "fed")) {
            break;
        }
    }
    site.app.advance(600);
    let later = site.app.renew(&confirmed).await;
    assert!(is_confirmed(&site, &later).await);
    site.app.advance(301);
    assert!(!is_confirmed(&site, &later).await);
    site.is_in_order();
}

async fn it_can_be_offered_to_who_has_an_identity_alone() {
    let (site, tokens, visitor) = unconfirmed().await;
    let refused =
        site.app.get("/auth/user/confirmed-password-status").bearer(&tokens.access).await.expect(200);
    assert_eq!(refused.body["methods"], json!(["password", "email", "provider"]));
    let refused = visitor.authorize(Purpose::Link, "other", &json!({})).await;
    let refused = refused.refused(403, "password_confirmation_required");
    assert_eq!(refused.body["confirmWith"], json!(["password", "email", "provider"]));
    let bob = site.user("bob@example.com").await;
    let status = site.app.get("/auth/user/confirmed-password-status").bearer(&bob.access).await.expect(200);
    assert_eq!(status.body["methods"], json!(["password", "email"]));
}

async fn another_subject_is_refused() {
    let (site, tokens, visitor) = unconfirmed().await;
    site.linked_user("bob@example.com", &Person::new("bob", "bob@example.com")).await;
    for person in [Person::new("bob", EMAIL), Person::new("nobody", EMAIL), Person::new("ADA-at-acme", EMAIL)]
    {
        visitor.confirm(&site, "acme", &person).await.refused(422, "provider_refused");
    }
    assert!(!is_confirmed(&site, &tokens).await);
}

async fn it_needs_a_session_and_an_identity_of_the_provider() {
    let (site, _, visitor) = unconfirmed().await;
    let begin = |visitor: Visitor, name: &'static str| async move {
        visitor.authorize(Purpose::Confirm, name, &json!({})).await
    };
    begin(site.visitor(), "acme").await.refused(401, "unauthenticated");
    begin(visitor.clone(), "nobody").await.refused(404, "not_found");
    begin(visitor, "other").await.refused(404, "not_found");
}

async fn it_belongs_to_the_session_that_asked_for_it() {
    let (site, _, visitor) = unconfirmed().await;
    let flow = visitor.begin_for(Purpose::Confirm, "acme", &json!({})).await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    let second = site.app.login(EMAIL).await;
    let other = site.visitor().with(&second);
    other.plant(&flow.cookie(), &flow.token);
    other.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
    assert!(!is_confirmed(&site, &second).await);
}

async fn a_sign_in_at_the_provider_long_ago_is_none() {
    let (site, tokens, visitor) = unconfirmed().await;
    for age in [3600, 901] {
        site.provider("acme").break_id_token(move |_, claims| {
            let iat = claims["iat"].as_u64().unwrap();
            claims["auth_time"] = (iat - age).into();
        });
        visitor.confirm(&site, "acme", &ada()).await.refused(422, "provider_refused");
    }
    assert!(!is_confirmed(&site, &tokens).await);
    // It is judged if it is sent.
    site.provider("acme")
        .break_id_token(|_, claims| drop(claims.as_object_mut().unwrap().remove("auth_time")));
    let tokens = visitor.confirm(&site, "acme", &ada()).await.confirmed(&tokens);
    assert!(is_confirmed(&site, &tokens).await);
}

async fn a_flow_of_a_confirmation_is_used_once_and_for_nothing_else() {
    let (site, tokens, visitor) = unconfirmed().await;
    let flow = visitor.begin_for(Purpose::Confirm, "acme", &json!({})).await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    if !is_browser() {
        for purpose in [Purpose::SignIn, Purpose::Link] {
            let wrong = Flow { purpose, ..flow.clone() };
            let outcome = visitor.finish(&wrong, &returned).await;
            assert!(!outcome.is_success(), "{purpose:?}: {}", outcome.text());
        }
    }
    visitor.finish(&flow, &returned).await.confirmed(&tokens);
    let again = site.provider("acme").consent(&flow.url, &ada());
    visitor.plant(&flow.cookie(), &flow.token);
    visitor.finish(&flow, &again).await.refused(422, "invalid_flow_token");
    assert_eq!(visitor.identities().await[0]["provider"], Value::from("acme"));
}

async fn an_outage_leaves_the_flow() {
    let (site, tokens, visitor) = unconfirmed().await;
    let flow = visitor.begin_for(Purpose::Confirm, "acme", &json!({})).await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    site.provider("acme").is_down(crate::support::provider::trouble::Fault::NotSent);
    visitor.finish(&flow, &returned).await.refused(503, "provider_unavailable");
    site.provider("acme").heal();
    let tokens = visitor.finish(&flow, &returned).await.confirmed(&tokens);
    assert!(is_confirmed(&site, &tokens).await);
}
