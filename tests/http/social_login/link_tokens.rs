//! An account exists with the address of an unknown identity: its owner signs in as always, and links it with the link token.

use super::site::{Rules, Site, ada, in_browsers, site};
use super::visitor::{LINK, REGISTRATION};
use crate::support::provider::Person;
use crate::support::routers::{is_browser, on_both_routers};
use crate::support::{EMAIL, PASSWORD, Tokens};
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use serde_json::{Value, json};

on_both_routers![
    the_owner_links_the_identity_after_signing_in,
    a_link_token_is_for_the_user_of_the_address_alone,
    it_needs_a_session_with_a_recent_confirmation_and_a_verified_address,
    it_lives_for_ten_minutes_to_the_second,
    it_works_once,
    it_ends_with_a_change_of_credentials,
    an_error_of_the_server_leaves_it_unless_the_identity_may_be_stored,
    another_token_in_its_place_links_nothing,
    an_identity_that_was_linked_meanwhile_is_not_taken_over,
    an_address_that_is_not_proven_gives_no_link_token,
];

in_browsers![a_browser_has_it_in_a_cookie_alone_and_can_show_what_it_would_link];

/// A host, the owner of an account, and a visitor whose identity has the address of the account.
async fn with_link_token() -> (Site, Tokens, super::visitor::Visitor, String) {
    let site = site().await;
    let tokens = site.user(EMAIL).await;
    let visitor = site.visitor();
    let token = visitor.sign_in(&site, "acme", &ada()).await.account_exists();
    (site, tokens, visitor, token)
}

async fn the_owner_links_the_identity_after_signing_in() {
    let (site, tokens, visitor, token) = with_link_token().await;
    let visitor = visitor.with(&tokens);
    let linked = visitor.link_by_token(&token).await.expect(201);
    assert_eq!(linked.members(), ["createdAt", "email", "id", "lastUsedAt", "provider"]);
    assert_eq!((&linked.body["provider"], &linked.body["email"]), (&json!("acme"), &json!(EMAIL)));
    assert!(visitor.cookie(LINK).is_none(), "a cookie that was used");
    let begun = site.sign_in("acme", &ada()).await.signed_in();
    assert_eq!(site.app.me(&begun.access).await.expect(200).text, EMAIL);
}

/// A thief sends his link token to the owner of another account, or keeps it for his own.
async fn a_link_token_is_for_the_user_of_the_address_alone() {
    let (site, _, visitor, token) = with_link_token().await;
    let bob = site.user("bob@example.com").await;
    let as_bob = visitor.with(&bob);
    as_bob.link_by_token(&token).await.refused(422, "invalid_flow_token");
    assert!(site.identity("acme", "ada-at-acme").await.is_none());
}

async fn it_needs_a_session_with_a_recent_confirmation_and_a_verified_address() {
    let (site, tokens, visitor, token) = with_link_token().await;
    visitor.link_by_token(&token).await.refused(401, "unauthenticated");
    let unconfirmed = site.app.login(EMAIL).await;
    visitor.with(&unconfirmed).link_by_token(&token).await.refused(403, "password_confirmation_required");
    site.app.users.update(EMAIL, |user| user.email_verified_at = None);
    visitor.with(&tokens).link_by_token(&token).await.refused(403, "email_not_verified");
    site.app.verify_address(EMAIL);
    // None of this has spent it.
    visitor.with(&tokens).link_by_token(&token).await.expect(201);
}

async fn it_lives_for_ten_minutes_to_the_second() {
    for (seconds, status) in [(599, 201), (600, 422)] {
        let (site, tokens, visitor, token) = with_link_token().await;
        site.app.advance(seconds);
        site.app.confirm_password(&tokens.access).await;
        visitor.with(&tokens).link_by_token(&token).await.expect(status);
    }
}

async fn it_works_once() {
    let (_site, tokens, visitor, token) = with_link_token().await;
    let visitor = visitor.with(&tokens);
    let linked = visitor.link_by_token(&token).await.expect(201);
    let path = format!("/auth/user/identities/{}", linked.body["id"].as_str().unwrap());
    let tokens = visitor.delete(&path).await.expect(200).tokens();
    let visitor = visitor.with(&tokens);
    visitor.plant(LINK, &token);
    if is_browser() {
        let pending = visitor.get("/auth/oauth/pending").await.expect(200).body;
        assert_eq!(pending["link"], Value::Null);
    }
    visitor.link_by_token(&token).await.refused(422, "invalid_flow_token");
}

async fn it_ends_with_a_change_of_credentials() {
    let (site, tokens, visitor, token) = with_link_token().await;
    let new = "another long password";
    let change = json!({ "currentPassword": PASSWORD, "password": new, "passwordConfirmation": new });
    let answer = site.app.put("/auth/user/password").bearer(&tokens.access).json(&change).await;
    let tokens = answer.expect(200).tokens();
    let again = json!({ "password": new });
    site.app.post("/auth/user/confirm-password").bearer(&tokens.access).json(&again).await.expect(200);
    visitor.with(&tokens).link_by_token(&token).await.refused(422, "invalid_flow_token");
    assert!(site.identity("acme", "ada-at-acme").await.is_none());
}

async fn an_error_of_the_server_leaves_it_unless_the_identity_may_be_stored() {
    let faults = Faults::new();
    let site = Site::with(|_| {}, Rules { faults: faults.clone(), ..Rules::default() }).await;
    let tokens = site.user(EMAIL).await;
    let visitor = site.visitor();
    let token = visitor.sign_in(&site, "acme", &ada()).await.account_exists();
    let visitor = visitor.with(&tokens);
    for method in [ProviderMethod::IdentitiesFindBySubject, ProviderMethod::IdentitiesInsert] {
        faults.nth(method, 1, Fault::IsUnavailable);
        visitor.link_by_token(&token).await.refused(503, "unavailable");
        faults.heal();
    }
    visitor.link_by_token(&token).await.refused(422, "invalid_flow_token");
}

async fn another_token_in_its_place_links_nothing() {
    let (site, tokens, visitor, token) = with_link_token().await;
    let flow = site.visitor().begin("acme").await.token;
    let newcomer = Person::new("new", "new@example.com");
    let registration = site.sign_in("acme", &newcomer).await.asked_to_register();
    let visitor = visitor.with(&tokens);
    for other in
        [flow.as_str(), registration.as_str(), tokens.access.as_str(), "x", &token[..token.len() - 1]]
    {
        visitor.plant(LINK, other);
        visitor.link_by_token(other).await.refused(422, "invalid_flow_token");
    }
    // And a link token is no registration token.
    visitor.plant(REGISTRATION, &token);
    visitor.register(&token, "Ada").await.refused(422, "invalid_flow_token");
    visitor.plant(LINK, &token);
    visitor.link_by_token(&token).await.expect(201);
}

async fn an_identity_that_was_linked_meanwhile_is_not_taken_over() {
    let (site, tokens, visitor, token) = with_link_token().await;
    let bob = site.user("bob@example.com").await;
    site.visitor().with(&bob).link(&site, "acme", &ada()).await.linked(201);
    visitor.with(&tokens).link_by_token(&token).await.refused(409, "identity_taken");
    let begun = site.sign_in("acme", &ada()).await.signed_in();
    assert_eq!(site.app.me(&begun.access).await.expect(200).text, "bob@example.com");
}

async fn a_browser_has_it_in_a_cookie_alone_and_can_show_what_it_would_link() {
    let (site, tokens, visitor, token) = with_link_token().await;
    let pending = visitor.get("/auth/oauth/pending").await.expect(200).body;
    let expected = json!({ "registration": null, "link": { "provider": "acme", "email": EMAIL } });
    assert_eq!(pending, expected);
    // A token that came with a link to the page counts for nothing.
    let other = site.visitor().with(&tokens);
    let answer = other.post("/auth/user/identities", &json!({ "linkToken": token })).await;
    assert!(answer.status >= 400, "{}", answer.text);
    assert!(site.identity("acme", "ada-at-acme").await.is_none());
    let pending = other.get("/auth/oauth/pending").await.expect(200).body;
    assert_eq!(pending, json!({ "registration": null, "link": null }));
    for garbage in ["x", "fl1.x", &token[..40]] {
        other.plant(LINK, garbage);
        let pending = other.get("/auth/oauth/pending").await.expect(200).body;
        assert_eq!(pending["link"], Value::Null);
    }
    // It is gone after its time.
    site.app.advance(600);
    let pending = visitor.get("/auth/oauth/pending").await.expect(200).body;
    assert_eq!(pending["link"], Value::Null);
}

async fn an_address_that_is_not_proven_gives_no_link_token() {
    let site = site().await;
    site.user(EMAIL).await;
    let visitor = site.visitor();
    let outcome = visitor.sign_in(&site, "acme", &ada().saying(false)).await;
    if let Some(answer) = outcome.answer() {
        assert_eq!(answer.body["linkToken"], Value::Null);
    }
    outcome.refused(403, "provider_email_unverified");
    assert!(visitor.cookie(LINK).is_none());
}
