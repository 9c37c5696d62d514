//! What the token endpoint and UserInfo answer: each thing that must be right is wrong once.

use super::site::{Site, ada, closed_site};
use crate::support::EMAIL;
use crate::support::provider::Person;
use crate::support::provider::trouble::Fault;
use crate::support::routers::on_both_routers;
use serde_json::{Value, json};

on_both_routers![
    a_token_response_without_an_id_token_that_can_be_read_is_refused,
    an_error_of_the_token_endpoint_is_a_refusal,
    a_code_that_was_made_up_is_refused,
    userinfo_is_asked_only_if_the_id_token_has_no_address,
    userinfo_of_somebody_else_is_refused,
    an_address_of_userinfo_is_judged_as_one_of_the_id_token,
    userinfo_that_fails_is_an_outage_and_the_flow_is_spent,
    nothing_of_the_providers_tokens_is_kept_or_returned,
];

async fn with_ada() -> Site {
    let site = closed_site().await;
    site.linked_user(EMAIL, &ada()).await;
    site
}

async fn a_token_response_without_an_id_token_that_can_be_read_is_refused() {
    let site = with_ada().await;
    for token in [
        Value::Null,
        json!(""),
        json!(7),
        json!([]),
        json!({}),
        json!("x"),
        json!("a.b"),
        json!("a.b.c"),
        json!("a.b.c.d"),
        json!("..."),
        json!("e30.e30."),
        json!("e30.e30.e30"),
        json!("a.b.c.d.e"),
        json!("\u{0}"),
        json!("x".repeat(100_000)),
    ] {
        let sent = token.clone();
        site.provider("acme").break_token_response(move |response| response["id_token"] = sent.clone());
        let outcome = site.sign_in("acme", &ada()).await;
        assert!(!outcome.is_success(), "{token}: {}", outcome.text());
        outcome.refused(422, "provider_refused");
    }
    // Another spelling of a right token is not it: padding, and a line break.
    for end in ["=", "\n", " ", "."] {
        site.provider("acme").break_token_response(move |response| {
            let token = response["id_token"].as_str().unwrap();
            response["id_token"] = format!("{token}{end}").into();
        });
        site.sign_in("acme", &ada()).await.refused(422, "provider_refused");
    }
    site.provider("acme").break_token_response(|response| {
        response.as_object_mut().unwrap().remove("id_token");
    });
    site.sign_in("acme", &ada()).await.refused(422, "provider_refused");
    site.provider("acme").heal();
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn an_error_of_the_token_endpoint_is_a_refusal() {
    let site = with_ada().await;
    for status in [400, 401, 403, 404] {
        site.provider("acme").fault("/token", Fault::Status(status));
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let returned = site.provider("acme").consent(&flow.url, &ada());
        visitor.finish(&flow, &returned).await.refused(422, "provider_refused");
        // It has decided: the flow is spent.
        site.provider("acme").heal();
        visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
    }
}

async fn a_code_that_was_made_up_is_refused() {
    let site = with_ada().await;
    for code in ["x", "%", "&code=x", "\u{202e}", &"x".repeat(2000)] {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let mut returned = site.provider("acme").consent(&flow.url, &ada());
        returned.code = Some((*code).to_owned());
        visitor.finish(&flow, &returned).await.refused(422, "provider_refused");
    }
    site.is_in_order();
}

/// "userinfo-bearer-header": the provider knows nobody otherwise.
async fn userinfo_is_asked_only_if_the_id_token_has_no_address() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    site.sign_in("acme", &ada()).await.signed_in();
    assert_eq!(acme.calls("/userinfo"), 0);
    acme.keeps_the_address_in_userinfo();
    let tokens = site.sign_in("acme", &Person::new("ada-at-acme", "new@example.net")).await.signed_in();
    assert_eq!(acme.calls("/userinfo"), 1);
    assert_eq!(site.visitor().with(&tokens).identities().await[0]["email"], "new@example.net");
    site.is_in_order();
}

/// "userinfo-invalid-sub".
async fn userinfo_of_somebody_else_is_refused() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    acme.keeps_the_address_in_userinfo();
    for sub in [json!("eve"), json!(""), json!(7), Value::Null, json!(["ada-at-acme"]), json!("ADA-at-acme")]
    {
        let sent = sub.clone();
        acme.break_userinfo(move |profile| profile["sub"] = sent.clone());
        let outcome = site.sign_in("acme", &ada()).await;
        assert!(!outcome.is_success(), "{sub}: {}", outcome.text());
        outcome.refused(422, "provider_refused");
    }
    acme.break_userinfo(|profile| drop(profile.as_object_mut().unwrap().remove("sub")));
    site.sign_in("acme", &ada()).await.refused(422, "provider_refused");
}

/// "scope-userinfo-claims".
async fn an_address_of_userinfo_is_judged_as_one_of_the_id_token() {
    let site = closed_site().await;
    site.user(EMAIL).await;
    let acme = site.provider("acme");
    acme.keeps_the_address_in_userinfo();
    for value in [json!("true"), json!(1), json!(false), Value::Null] {
        let person = ada().saying(value);
        site.sign_in("acme", &person).await.refused(403, "provider_email_unverified");
    }
    site.sign_in("acme", &ada()).await.account_exists();
    // The proof belongs to the address: one of them does not prove the other.
    let bare = Person::new("bare", EMAIL).without_address().with_claim("email_verified", true);
    acme.break_userinfo(|profile| {
        profile["email"] = EMAIL.into();
        drop(profile.as_object_mut().unwrap().remove("email_verified"));
    });
    acme.break_id_token(|_, claims| claims["email_verified"] = true.into());
    site.sign_in("acme", &bare).await.refused(403, "provider_email_unverified");
}

async fn userinfo_that_fails_is_an_outage_and_the_flow_is_spent() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    acme.keeps_the_address_in_userinfo();
    for fault in [Fault::Status(503), Fault::NotSent, Fault::Failed] {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let returned = acme.consent(&flow.url, &ada());
        acme.fault("/userinfo", fault);
        visitor.finish(&flow, &returned).await.refused(503, "provider_unavailable");
        acme.heal();
        // The code was used: nothing can be asked with it again.
        visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
    }
}

async fn nothing_of_the_providers_tokens_is_kept_or_returned() {
    let site = with_ada().await;
    let outcome = site.sign_in("acme", &ada()).await;
    let shown = outcome.answer().map(|answer| answer.text.clone()).unwrap_or_default();
    let tokens = outcome.signed_in();
    let visitor = site.visitor().with(&tokens);
    let listed = format!("{:?}", visitor.identities().await);
    let methods = visitor.get("/auth/user/sign-in-methods").await.expect(200).text;
    for text in [shown, listed, methods] {
        for secret in site.provider("acme").secrets() {
            assert!(!text.contains(&secret), "{secret} is in {text}");
        }
    }
}
