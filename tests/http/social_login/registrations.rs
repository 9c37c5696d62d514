//! A new account by a provider (PASSWORDLESS_REGISTRATION): at once where nothing needs to be asked, otherwise after one more step.

use super::site::{ada, closed_site, in_browsers, site};
use super::visitor::REGISTRATION;
use crate::support::EMAIL;
use crate::support::provider::Person;
use crate::support::routers::{is_browser, on_both_routers};
use serde_json::{Value, json};

on_both_routers![
    who_has_a_name_at_the_provider_gets_an_account_at_once,
    who_has_none_is_asked_for_it,
    the_account_has_no_password_a_proven_address_and_a_confirmed_session,
    a_name_that_is_not_valid_is_asked_for,
    the_registration_step_is_done_once_and_in_half_an_hour,
    a_refused_field_spends_nothing,
    an_address_that_is_taken_meanwhile_is_refused,
    nothing_of_the_body_or_of_the_claims_sets_a_field_of_the_record,
    where_nobody_can_register_nothing_is_created,
];

in_browsers![
    a_browser_has_the_token_in_a_cookie_alone_and_can_prefill_the_form,
    a_registration_that_was_completed_is_not_pending_any_more,
];

async fn who_has_a_name_at_the_provider_gets_an_account_at_once() {
    let site = site().await;
    let tokens = site.sign_in("acme", &ada().named("Ada Lovelace")).await.registered();
    assert_eq!(site.app.me(&tokens.access).await.expect(200).text, EMAIL);
    assert_eq!(site.account(EMAIL).name, "Ada Lovelace");
    let listed = site.visitor().with(&tokens).identities().await;
    assert_eq!((listed.len(), &listed[0]["provider"]), (1, &json!("acme")));
    let again = site.sign_in("acme", &ada()).await.signed_in();
    assert_eq!(site.app.me(&again.access).await.expect(200).text, EMAIL);
    assert_eq!(site.app.users.all().len(), 1);
    let registered = site.app.event().await;
    assert_eq!(registered.name(), "auth.registered");
    assert!(registered.kind.facts().any(|fact| fact == ("methods", "fed")), "{registered:?}");
}

async fn who_has_none_is_asked_for_it() {
    let site = site().await;
    let visitor = site.visitor();
    let token = visitor.sign_in(&site, "acme", &ada()).await.asked_to_register();
    assert!(site.app.users.all().is_empty() && site.identity("acme", "ada-at-acme").await.is_none());
    let tokens = visitor.register(&token, "Ada").await.expect(201).tokens();
    assert_eq!(site.app.me(&tokens.access).await.expect(200).text, EMAIL);
    assert!(visitor.cookie(REGISTRATION).is_none());
    let again = site.sign_in("acme", &ada()).await.signed_in();
    assert_eq!(site.app.me(&again.access).await.expect(200).text, EMAIL);
}

async fn the_account_has_no_password_a_proven_address_and_a_confirmed_session() {
    let site = site().await;
    let tokens = site.sign_in("acme", &ada().named("Ada")).await.registered();
    let account = site.account(EMAIL);
    assert!(account.password.is_empty() && account.email_verified_at.is_some());
    site.app.get("/verified").bearer(&tokens.access).await.expect(200);
    site.app.get("/confirmed").bearer(&tokens.access).await.expect(200);
    let ways = site.app.get("/auth/user/sign-in-methods").bearer(&tokens.access).await.expect(200).body;
    assert_eq!(ways["password"], false);
    assert_eq!(ways["confirmWith"], json!(["email", "provider"]));
}

async fn a_name_that_is_not_valid_is_asked_for() {
    let site = site().await;
    for name in ["", "   ", "a\u{0}b", "\u{202e}evil", &"a".repeat(10_000)] {
        let outcome = site.sign_in("acme", &ada().named(name)).await;
        if outcome.is_success() && outcome.page().is_some() {
            panic!("{name:?} became a name");
        }
        outcome.asked_to_register();
        assert!(site.app.users.all().is_empty(), "{name:?}");
    }
    // A name of another type is none.
    let person = ada().with_claim("name", json!({ "first": "Ada" }));
    site.sign_in("acme", &person).await.asked_to_register();
}

async fn the_registration_step_is_done_once_and_in_half_an_hour() {
    for (seconds, status) in [(1799, 201), (1800, 422)] {
        let site = site().await;
        let visitor = site.visitor();
        let token = visitor.sign_in(&site, "acme", &ada()).await.asked_to_register();
        site.app.advance(seconds);
        visitor.register(&token, "Ada").await.expect(status);
        visitor.plant(REGISTRATION, &token);
        visitor.register(&token, "Ada").await.refused(422, "invalid_flow_token");
    }
}

async fn a_refused_field_spends_nothing() {
    let site = site().await;
    let visitor = site.visitor();
    let token = visitor.sign_in(&site, "acme", &ada()).await.asked_to_register();
    assert_eq!(visitor.register(&token, "").await.field_errors(), ["name: required"]);
    visitor.register(&token, "Ada").await.expect(201);
}

async fn an_address_that_is_taken_meanwhile_is_refused() {
    let site = site().await;
    let visitor = site.visitor();
    let token = visitor.sign_in(&site, "acme", &ada()).await.asked_to_register();
    let owner = site.app.register(EMAIL).await;
    visitor.register(&token, "Ada").await.refused(409, "email_taken");
    site.app.me(&owner.access).await.expect(200);
    assert!(site.identity("acme", "ada-at-acme").await.is_none());
}

async fn a_browser_has_the_token_in_a_cookie_alone_and_can_prefill_the_form() {
    let site = site().await;
    let visitor = site.visitor();
    let pending = visitor.get("/auth/oauth/pending").await.expect(200).body;
    assert_eq!(pending, json!({ "registration": null, "link": null }));
    visitor.sign_in(&site, "acme", &ada()).await.asked_to_register();
    let pending = visitor.get("/auth/oauth/pending").await.expect(200).body;
    let expected = json!({ "provider": "acme", "email": EMAIL, "name": null, "asksFor": ["name"] });
    assert_eq!(pending, json!({ "registration": expected, "link": null }));
    site.app.advance(1800);
    let pending = visitor.get("/auth/oauth/pending").await.expect(200).body;
    assert_eq!(pending["registration"], Value::Null);
}

async fn a_registration_that_was_completed_is_not_pending_any_more() {
    let site = site().await;
    let visitor = site.visitor();
    let token = visitor.sign_in(&site, "acme", &ada()).await.asked_to_register();
    visitor.register(&token, "Ada").await.expect(201);
    // Another tab of the browser, or a copy of its cookies.
    visitor.plant(REGISTRATION, &token);
    let pending = visitor.get("/auth/oauth/pending").await.expect(200).body;
    assert_eq!(pending, json!({ "registration": null, "link": null }));
}

async fn nothing_of_the_body_or_of_the_claims_sets_a_field_of_the_record() {
    let site = site().await;
    let person = ada()
        .named("Ada")
        .with_claim("id", 7)
        .with_claim("password", "x")
        .with_claim("plan", "pro")
        .with_claim("is_active", false)
        .with_claim("twoFactorSecret", "x")
        .with_claim("email_verified_at", Value::Null);
    site.sign_in("acme", &person).await.registered();
    let account = site.account(EMAIL);
    assert_eq!((account.id, account.plan, account.password.as_str()), (1, None, ""));
    assert!(account.active && account.two_factor_secret.is_none());

    let visitor = site.visitor();
    let bob = Person::new("bob", "bob@example.com");
    let token = visitor.sign_in(&site, "acme", &bob).await.asked_to_register();
    let mut body =
        json!({ "name": "Bob", "email": "eve@example.com", "password": "x", "id": 9, "subject": "eve" });
    if !is_browser() {
        body["registrationToken"] = token.into();
    }
    visitor.post("/auth/register/passwordless", &body).await.expect(201);
    assert!(site.app.users.by_email("eve@example.com").is_none());
    assert!(site.account("bob@example.com").password.is_empty());
    assert!(site.identity("acme", "bob").await.is_some());
}

async fn where_nobody_can_register_nothing_is_created() {
    let site = closed_site().await;
    let visitor = site.visitor();
    visitor.sign_in(&site, "acme", &ada().named("Ada")).await.refused(403, "registration_closed");
    assert!(site.app.users.all().is_empty() && visitor.cookie(REGISTRATION).is_none());
    assert!(!is_browser() || visitor.cookie_names().is_empty());
}
