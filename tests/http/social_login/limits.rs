//! The limits of sign-ins with providers: 60 failures and 120 calls of a client in a minute.

use super::host;
use super::site::{Rules, Site, ada};
use super::visitor::{Flow, Purpose, Visitor};
use crate::support::EMAIL;
use crate::support::provider::{Person, Return};
use crate::support::routers::{is_browser, on_both_routers};
use axum_auth_module::config::RateLimit;
use serde_json::json;

on_both_routers![
    a_client_fails_sixty_times_a_minute,
    a_client_makes_a_hundred_and_twenty_calls_a_minute,
    first_requests_are_not_counted,
    accounts_of_newcomers_count_as_registrations,
    links_count_towards_the_same_limits,
    the_limit_comes_before_the_session_of_the_flow,
    a_failure_that_is_nobodys_guess_is_not_counted,
];

async fn limited() -> Site {
    let site = Site::with(|_| {}, Rules { limits: host::limits(), ..Rules::default() }).await;
    let tokens = site.user(EMAIL).await;
    site.visitor().from("203.0.113.77").with(&tokens).link(&site, "acme", &ada()).await.linked(201);
    site
}

/// A callback with a code that the provider refuses.
async fn fails(site: &Site, visitor: &Visitor) -> super::outcome::Outcome {
    let flow = visitor.begin("acme").await;
    let mut returned = site.provider("acme").consent(&flow.url, &ada());
    returned.code = Some("made up".to_owned());
    let outcome = visitor.finish(&flow, &returned).await;
    visitor.forget(&flow.cookie());
    outcome
}

/// A callback with a flow that is none.
async fn calls(visitor: &Visitor) -> super::outcome::Outcome {
    let flow = Flow {
        purpose: Purpose::SignIn,
        provider: "acme".to_owned(),
        url: "https://acme.example/authorize?state=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned(),
        token: "garbage".to_owned(),
        next: "/home".to_owned(),
    };
    let state = Some("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned());
    let returned = Return { code: Some("x".to_owned()), state, iss: None, error: None };
    visitor.finish(&flow, &returned).await
}

async fn a_client_fails_sixty_times_a_minute() {
    let site = limited().await;
    let client = site.visitor().from("203.0.113.1");
    for _ in 0..60 {
        fails(&site, &client).await.refused(422, "provider_refused");
    }
    fails(&site, &client).await.refused(429, "too_many_attempts");
    // It comes before the flow is looked at, and a right code is refused as well.
    calls(&client).await.refused(429, "too_many_attempts");
    client.sign_in(&site, "acme", &ada()).await.refused(429, "too_many_attempts");
    site.visitor().from("203.0.113.2").sign_in(&site, "acme", &ada()).await.signed_in();
    site.app.advance(60);
    site.visitor().from("203.0.113.1").sign_in(&site, "acme", &ada()).await.signed_in();
}

async fn a_client_makes_a_hundred_and_twenty_calls_a_minute() {
    let site = limited().await;
    // An office behind one address, in which everybody signs in at nine o'clock.
    for _ in 0..120 {
        site.visitor().from("203.0.113.1").sign_in(&site, "acme", &ada()).await.signed_in();
    }
    let outcome = site.visitor().from("203.0.113.1").sign_in(&site, "acme", &ada()).await;
    outcome.refused(429, "too_many_attempts");
    site.visitor().from("203.0.113.2").sign_in(&site, "acme", &ada()).await.signed_in();
    site.app.advance(60);
    site.visitor().from("203.0.113.1").sign_in(&site, "acme", &ada()).await.signed_in();
}

async fn first_requests_are_not_counted() {
    let site = limited().await;
    for _ in 0..130 {
        site.visitor().from("203.0.113.1").begin("acme").await;
    }
    site.visitor().from("203.0.113.1").sign_in(&site, "acme", &ada()).await.signed_in();
}

async fn accounts_of_newcomers_count_as_registrations() {
    let mut limits = Rules::default().limits;
    limits.register = RateLimit::per_seconds(2, 60);
    let site = Site::with(|_| {}, Rules { limits, ..Rules::default() }).await;
    let newcomer = |number: u32| Person::new(&number.to_string(), &format!("{number}@example.com"));
    let client = site.visitor().from("203.0.113.1");
    client.sign_in(&site, "acme", &newcomer(1).named("Ada")).await.registered();
    // The account is created with the second request.
    let second = site.visitor().from("203.0.113.1");
    let token = second.sign_in(&site, "acme", &newcomer(2)).await.asked_to_register();
    second.register(&token, "Grace").await.expect(201);
    let client = site.visitor().from("203.0.113.1");
    client.sign_in(&site, "acme", &newcomer(3).named("Eve")).await.refused(429, "too_many_attempts");
    assert_eq!(site.app.users.all().len(), 2);
    site.visitor().from("203.0.113.2").sign_in(&site, "acme", &newcomer(3).named("Eve")).await.registered();
    site.visitor().from("203.0.113.1").sign_in(&site, "acme", &newcomer(1)).await.signed_in();
}

async fn links_count_towards_the_same_limits() {
    let site = limited().await;
    let tokens = site.user("bob@example.com").await;
    let client = site.visitor().from("203.0.113.1").with(&tokens);
    for _ in 0..120 {
        calls(&client).await.refused(422, "invalid_flow_token");
    }
    let flow = client.begin_for(Purpose::Link, "other", &json!({})).await;
    let returned = site.provider("other").consent(&flow.url, &ada());
    client.finish(&flow, &returned).await.refused(429, "too_many_attempts");
    client.from("203.0.113.2").finish(&flow, &returned).await.linked(201);
}

async fn the_limit_comes_before_the_session_of_the_flow() {
    let site = limited().await;
    let tokens = site.user("bob@example.com").await;
    let client = site.visitor().from("203.0.113.1").with(&tokens);
    let flow = client.begin_for(Purpose::Link, "other", &json!({})).await;
    let returned = site.provider("other").consent(&flow.url, &ada());
    for _ in 0..120 {
        calls(&client).await.refused(422, "invalid_flow_token");
    }
    if is_browser() {
        site.app.auth.admin().end_all_sessions(&site.account("bob@example.com").id).await.unwrap();
    }
    client.finish(&flow, &returned).await.refused(429, "too_many_attempts");
}

async fn a_failure_that_is_nobodys_guess_is_not_counted() {
    let site = limited().await;
    let client = site.visitor().from("203.0.113.1");
    for _ in 0..70 {
        calls(&client).await.refused(422, "invalid_flow_token");
    }
    client.sign_in(&site, "acme", &ada()).await.signed_in();
}
