//! The identities of a user: linking one in a session, the list, and removing one.

use super::site::{Site, ada, closed_site, in_browsers, site};
use super::visitor::Purpose;
use crate::reset_passwords::reset_password;
use crate::support::provider::Person;
use crate::support::routers::{is_browser, on_both_routers};
use crate::support::{EMAIL, PASSWORD};
use axum_auth_module::feature::Feature;
use serde_json::{Value, json};

on_both_routers![
    an_identity_is_linked_and_listed,
    the_list_needs_a_session_and_shows_the_users_own_alone,
    linking_needs_a_recent_confirmation_and_a_verified_address,
    an_identity_that_is_linked_already_is_no_mistake,
    an_identity_of_another_user_is_not_taken_over,
    a_second_identity_of_the_same_provider_can_be_linked,
    a_link_belongs_to_the_session_that_asked_for_it,
    a_link_ends_with_a_change_of_credentials,
    what_does_not_verify_is_not_linked,
    removing_an_identity_needs_a_recent_confirmation,
    an_identity_is_removed_and_the_other_sessions_end,
    an_identity_of_somebody_else_is_not_found,
    the_only_way_in_stays,
    an_identity_whose_provider_is_not_configured_is_no_way_in,
    linking_ends_no_session,
    the_oldest_identity_is_the_first_of_the_list,
    a_removal_leaves_a_reset_token,
];

in_browsers![the_provider_refuses_a_link];

const BOB: &str = "bob@example.com";

async fn an_identity_is_linked_and_listed() {
    let site = site().await;
    let tokens = site.user(EMAIL).await;
    let visitor = site.visitor().with(&tokens);
    assert!(visitor.identities().await.is_empty());
    let flow = visitor.begin_for(Purpose::Link, "acme", &json!({ "next": "/settings" })).await;
    // Another address than that of the account, and not proven: the user is here.
    let person = Person::new("ada-at-acme", "work@example.net").saying(false);
    let returned = site.provider("acme").consent(&flow.url, &person);
    let outcome = visitor.finish(&flow, &returned).await;
    let listed = visitor.identities().await;
    if let Some(answer) = outcome.answer() {
        assert_eq!(json!([answer.body]), json!(listed));
    }
    outcome.linked(201);
    assert_eq!(listed.len(), 1);
    let identity = &listed[0];
    assert_eq!((&identity["provider"], &identity["email"]), (&json!("acme"), &json!("work@example.net")));
    assert_eq!(identity["lastUsedAt"], Value::Null);
    assert_eq!(identity["id"].as_str().unwrap().len(), 22);
    let ways = visitor.get("/auth/user/sign-in-methods").await.expect(200).body;
    let expected = json!([{ "id": identity["id"], "provider": "acme", "email": "work@example.net" }]);
    assert_eq!(ways["identities"], expected);
    assert_eq!(ways["confirmWith"], json!(["password", "email", "provider"]));
    while site.app.event().await.name() != "auth.identity-linked" {}
    assert!(site.app.users.by_email("work@example.net").is_none());
    site.is_in_order();
}

async fn the_list_needs_a_session_and_shows_the_users_own_alone() {
    let site = site().await;
    site.visitor().get("/auth/user/identities").await.refused(401, "unauthenticated");
    site.linked_user(EMAIL, &ada()).await;
    let bob = site.user(BOB).await;
    assert!(site.visitor().with(&bob).identities().await.is_empty());
}

async fn linking_needs_a_recent_confirmation_and_a_verified_address() {
    let site = site().await;
    let begin = |visitor: super::visitor::Visitor| async move {
        visitor.authorize(Purpose::Link, "acme", &json!({})).await
    };
    begin(site.visitor()).await.refused(401, "unauthenticated");
    let tokens = site.app.register(EMAIL).await;
    let visitor = site.visitor().with(&tokens);
    begin(visitor.clone()).await.refused(403, "password_confirmation_required");
    site.app.confirm_password(&tokens.access).await;
    let visitor = visitor.with(&tokens);
    begin(visitor.clone()).await.refused(403, "email_not_verified");
    site.app.verify_address(EMAIL);
    let flow = visitor.begin_for(Purpose::Link, "acme", &json!({})).await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    // At the second request, too, and it spends nothing.
    site.app.users.update(EMAIL, |user| user.email_verified_at = None);
    visitor.finish(&flow, &returned).await.refused(403, "email_not_verified");
    site.app.verify_address(EMAIL);
    if is_browser() {
        // The redirect cannot tell what was spent; a new attempt is right in any case.
        visitor.link(&site, "acme", &ada()).await.linked(201);
    } else {
        visitor.finish(&flow, &returned).await.linked(201);
    }
}

async fn an_identity_that_is_linked_already_is_no_mistake() {
    let site = site().await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let visitor = site.visitor().with(&tokens);
    let before = visitor.identities().await;
    visitor.link(&site, "acme", &ada()).await.linked(200);
    let after = visitor.identities().await;
    assert_eq!((before.len(), after.len(), &before[0]["id"]), (1, 1, &after[0]["id"]));
}

async fn an_identity_of_another_user_is_not_taken_over() {
    let site = site().await;
    site.linked_user(EMAIL, &ada()).await;
    let bob = site.user(BOB).await;
    let visitor = site.visitor().with(&bob);
    visitor.link(&site, "acme", &ada()).await.refused(409, "identity_taken");
    assert!(visitor.identities().await.is_empty());
    let begun = site.sign_in("acme", &ada()).await.signed_in();
    assert_eq!(site.app.me(&begun.access).await.expect(200).text, EMAIL);
    // Of a user who is gone it is free.
    assert!(site.app.users.remove(EMAIL));
    visitor.link(&site, "acme", &ada()).await.linked(201);
    let begun = site.sign_in("acme", &ada()).await.signed_in();
    assert_eq!(site.app.me(&begun.access).await.expect(200).text, BOB);
}

async fn a_second_identity_of_the_same_provider_can_be_linked() {
    let site = site().await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let visitor = site.visitor().with(&tokens);
    let at_work = Person::new("ada-at-work", "ada@work.example");
    visitor.link(&site, "acme", &at_work).await.linked(201);
    visitor.link(&site, "other", &ada()).await.linked(201);
    let listed = visitor.identities().await;
    let mut shown: Vec<_> =
        listed.iter().map(|identity| (&identity["provider"], &identity["email"])).collect();
    shown.sort_by_key(|shown| format!("{shown:?}"));
    let (acme, other) = (json!("acme"), json!("other"));
    assert_eq!(shown, [(&acme, &json!(EMAIL)), (&acme, &json!("ada@work.example")), (&other, &json!(EMAIL))]);
    for (provider, person) in [("acme", &at_work), ("acme", &ada()), ("other", &ada())] {
        let begun = site.sign_in(provider, person).await.signed_in();
        assert_eq!(site.app.me(&begun.access).await.expect(200).text, EMAIL);
    }
}

async fn a_link_belongs_to_the_session_that_asked_for_it() {
    let site = site().await;
    let tokens = site.user(EMAIL).await;
    let visitor = site.visitor().with(&tokens);
    let flow = visitor.begin_for(Purpose::Link, "acme", &json!({})).await;
    let eve = Person::new("eve", "eve@example.com");
    let returned = site.provider("acme").consent(&flow.url, &eve);
    let others = [site.app.login(EMAIL).await, site.user(BOB).await];
    for other in &others {
        let other = site.visitor().with(other);
        other.plant(&flow.cookie(), &flow.token);
        other.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
    }
    // And it is worth nothing once that session has ended.
    visitor.post("/auth/logout", &json!({})).await.expect(200);
    let outcome = visitor.finish(&flow, &returned).await;
    assert!(!outcome.is_success(), "{}", outcome.text());
    assert!(site.identity("acme", "eve").await.is_none());
}

async fn a_link_ends_with_a_change_of_credentials() {
    let site = site().await;
    let tokens = site.user(EMAIL).await;
    let visitor = site.visitor().with(&tokens);
    let flow = visitor.begin_for(Purpose::Link, "acme", &json!({})).await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    let new = "another long password";
    let change = json!({ "currentPassword": PASSWORD, "password": new, "passwordConfirmation": new });
    let answer = site.app.put("/auth/user/password").bearer(&tokens.access).json(&change).await.expect(200);
    let visitor = visitor.with(&answer.tokens());
    visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
    assert!(visitor.identities().await.is_empty());
}

async fn what_does_not_verify_is_not_linked() {
    let site = site().await;
    let tokens = site.user(EMAIL).await;
    let visitor = site.visitor().with(&tokens);
    site.provider("acme").break_id_token(|_, claims| claims["nonce"] = "x".into());
    visitor.link(&site, "acme", &ada()).await.refused(422, "provider_refused");
    site.provider("acme").heal();
    let flow = visitor.begin_for(Purpose::Link, "acme", &json!({})).await;
    let mut returned = site.provider("acme").consent(&flow.url, &ada());
    returned.iss = Some("https://other.example".to_owned());
    visitor.finish(&flow, &returned).await.refused(422, "provider_refused");
    assert!(visitor.identities().await.is_empty());
}

async fn the_provider_refuses_a_link() {
    let site = site().await;
    let tokens = site.user(EMAIL).await;
    let visitor = site.visitor().with(&tokens);
    for (error, status, code) in
        [("access_denied", 422, "provider_refused"), ("server_error", 503, "provider_unavailable")]
    {
        let flow = visitor.begin_for(Purpose::Link, "acme", &json!({ "next": "/settings" })).await;
        let returned = site.provider("acme").refuse(&flow.url, error);
        visitor.finish(&flow, &returned).await.refused(status, code);
    }
}

async fn removing_an_identity_needs_a_recent_confirmation() {
    let site = site().await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let id = site.visitor().with(&tokens).identities().await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/auth/user/identities/{id}");
    site.visitor().delete(&path).await.refused(401, "unauthenticated");
    let other = site.app.login(EMAIL).await;
    site.visitor().with(&other).delete(&path).await.refused(403, "password_confirmation_required");
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn an_identity_is_removed_and_the_other_sessions_end() {
    let site = closed_site().await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let other = site.sign_in("acme", &ada()).await.signed_in();
    let visitor = site.visitor().with(&tokens);
    let id = visitor.identities().await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/auth/user/identities/{id}");
    let answer = visitor.delete(&path).await.expect(200);
    assert_eq!(answer.members_beside_the_session(), ["message"]);
    let tokens = answer.tokens();
    site.app.is_over(&other).await;
    site.app.me(&tokens.access).await.expect(200);
    assert!(visitor.with(&tokens).identities().await.is_empty());
    site.sign_in("acme", &ada()).await.account_exists();
    visitor.with(&tokens).delete(&path).await.refused(404, "not_found");
    while site.app.event().await.name() != "auth.identity-unlinked" {}
    // It can be linked again, also by somebody else.
    let bob = site.user(BOB).await;
    site.visitor().with(&bob).link(&site, "acme", &ada()).await.linked(201);
}

async fn an_identity_of_somebody_else_is_not_found() {
    let site = site().await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let id = site.visitor().with(&tokens).identities().await[0]["id"].as_str().unwrap().to_owned();
    let bob = site.user(BOB).await;
    for id in [&*id, "AAAAAAAAAAAAAAAAAAAAAA", "x", "%00"] {
        let path = format!("/auth/user/identities/{id}");
        site.visitor().with(&bob).delete(&path).await.refused(404, "not_found");
    }
    site.sign_in("acme", &ada()).await.signed_in();
}

/// A host in which the mailbox is no way in, and a user who has only a provider.
async fn with_a_provider_alone(off: Vec<Feature>) -> (Site, crate::support::Tokens) {
    let rules = super::site::Rules { off, ..Default::default() };
    let site = Site::with(|_| {}, rules).await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let answer = site.app.delete("/auth/user/password").bearer(&tokens.access).await.expect(200);
    (site, answer.tokens())
}

async fn the_only_way_in_stays() {
    let (site, tokens) =
        with_a_provider_alone(vec![Feature::EMAIL_LOGIN, Feature::PASSWORDLESS_REGISTRATION]).await;
    let visitor = site.visitor().with(&tokens);
    let first = visitor.identities().await[0]["id"].as_str().unwrap().to_owned();
    let remove = |id: &str| format!("/auth/user/identities/{id}");
    visitor.delete(&remove(&first)).await.refused(409, "last_sign_in_method");
    site.sign_in("acme", &ada()).await.signed_in();
    visitor.link(&site, "other", &ada()).await.linked(201);
    let tokens = visitor.delete(&remove(&first)).await.expect(200).tokens();
    let visitor = visitor.with(&tokens);
    let second = visitor.identities().await[0]["id"].as_str().unwrap().to_owned();
    visitor.delete(&remove(&second)).await.refused(409, "last_sign_in_method");
}

async fn an_identity_whose_provider_is_not_configured_is_no_way_in() {
    let off = vec![Feature::EMAIL_LOGIN, Feature::PASSWORDLESS_REGISTRATION];
    let site = Site::with(|_| {}, super::site::Rules { off, ..Default::default() }).await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let user_id = format!(
        "{} {}",
        <crate::support::Account as axum_auth_module::AuthUser>::realm(),
        site.account(EMAIL).id
    );
    // A row of a provider that the host no longer offers.
    use axum_auth_module::repository::{IdentityRecord, IdentityRepository};
    let now = std::time::SystemTime::UNIX_EPOCH;
    let mut gone =
        IdentityRecord::new("AAAAAAAAAAAAAAAAAAAAAA", user_id, "https://gone.example", "default ada", now);
    gone.provider = "gone".to_owned();
    assert!(site.identities.insert(gone).await.unwrap());
    let tokens = site.app.delete("/auth/user/password").bearer(&tokens.access).await.expect(200).tokens();
    let visitor = site.visitor().with(&tokens);
    let listed = visitor.identities().await;
    let acme = listed.iter().find(|identity| identity["provider"] == "acme").expect("the one that works");
    let path = format!("/auth/user/identities/{}", acme["id"].as_str().unwrap());
    visitor.delete(&path).await.refused(409, "last_sign_in_method");
}

async fn linking_ends_no_session() {
    let site = site().await;
    let tokens = site.user(EMAIL).await;
    let other = site.app.login(EMAIL).await;
    site.visitor().with(&tokens).link(&site, "acme", &ada()).await.linked(201);
    for tokens in [&tokens, &other] {
        site.app.me(&tokens.access).await.expect(200);
    }
}

async fn the_oldest_identity_is_the_first_of_the_list() {
    let site = site().await;
    let visitor = site.visitor().with(&site.user(EMAIL).await);
    let subjects = ["z", "b", "a", "y"];
    for subject in subjects {
        let person = Person::new(subject, &format!("{subject}@example.net"));
        visitor.link(&site, "acme", &person).await.linked(201);
        site.app.advance(1);
    }
    let listed = visitor.identities().await;
    let listed: Vec<_> = listed.iter().map(|identity| identity["email"].as_str().unwrap()).collect();
    assert_eq!(listed, subjects.map(|subject| format!("{subject}@example.net")));
}

async fn a_removal_leaves_a_reset_token() {
    let site = site().await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let token = reset_password::token(&site.app, &site.app.outbox, EMAIL).await;
    let visitor = site.visitor().with(&tokens);
    let path = format!("/auth/user/identities/{}", visitor.identities().await[0]["id"].as_str().unwrap());
    visitor.delete(&path).await.expect(200);
    reset_password::reset(&site.app, EMAIL, &token, reset_password::NEW).await.expect(200);
}
