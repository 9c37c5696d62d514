//! What ends an identity, and what is under way with one.

use super::host;
use super::site::{Rules, Site, ada, closed_site, site};
use super::visitor::Purpose;
use crate::reset_passwords::reset_password::{self, NEW};
use crate::support::provider::Person;
use crate::support::routers::on_both_routers;
use crate::support::{EMAIL, Tokens};
use axum_auth_module::delivery::SecurityNoticeMessage;
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use serde_json::json;
use std::time::Duration;

on_both_routers![
    a_sign_in_that_is_under_way_starts_no_session_after_its_identity_was_removed,
    a_session_that_begins_before_its_identity_is_removed_ends,
    a_link_that_is_under_way_does_not_outlive_the_session,
    an_administrator_removes_all,
    an_account_that_is_closed_keeps_none,
    a_reset_keeps_them,
    a_reset_removes_them_if_the_option_says_so,
    the_owner_is_told_and_a_lock_down_removes_what_was_linked_during_the_visit,
    a_suspended_user_links_nothing,
    a_removal_that_breaks_can_be_repeated,
];

/// A host whose providers break as planned, and Ada with an identity. The text is the path of the identity.
async fn breaking(faults: &Faults) -> (Site, Tokens, String) {
    let rules = Rules { faults: faults.clone(), ..Default::default() };
    let site = Site::with(|_| {}, rules).await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let id = site.visitor().with(&tokens).identities().await[0]["id"].as_str().unwrap().to_owned();
    (site, tokens, format!("/auth/user/identities/{id}"))
}

/// Waits until the host has called a provider in this way after so many other calls.
async fn until(faults: &Faults, before: usize, method: ProviderMethod) {
    let waiting = async {
        while !faults.calls()[before..].contains(&method) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
}

async fn a_sign_in_that_is_under_way_starts_no_session_after_its_identity_was_removed() {
    let faults = Faults::new();
    let (site, tokens, path) = breaking(&faults).await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    let before = faults.calls().len();
    faults.next(ProviderMethod::SessionsCreate, Fault::Waits);
    let sign_in = tokio::spawn(async move { visitor.finish(&flow, &returned).await });
    until(&faults, before, ProviderMethod::SessionsCreate).await;
    // The identity was proven, and there is no session that the removal could end.
    site.app.delete(&path).bearer(&tokens.access).await.expect(200);
    faults.heal();
    sign_in.await.unwrap().refused(422, "provider_refused");
    while site.app.event().await.name() != "auth.login-failed" {}
}

async fn a_session_that_begins_before_its_identity_is_removed_ends() {
    let faults = Faults::new();
    let (site, tokens, path) = breaking(&faults).await;
    let before = faults.calls().len();
    faults.next(ProviderMethod::IdentitiesDelete, Fault::Waits);
    let removal = tokio::spawn(site.app.delete(&path).bearer(&tokens.access).into_future());
    until(&faults, before, ProviderMethod::IdentitiesDelete).await;
    // The other sessions may have ended, and the identity is still there.
    let begun = site.sign_in("acme", &ada()).await.signed_in();
    faults.heal();
    removal.await.unwrap().expect(200);
    site.app.is_over(&begun).await;
}

async fn a_link_that_is_under_way_does_not_outlive_the_session() {
    let faults = Faults::new();
    let (site, tokens, _) = breaking(&faults).await;
    let visitor = site.visitor().with(&tokens);
    let flow = visitor.begin_for(Purpose::Link, "other", &json!({})).await;
    let eve = Person::new("eve", "eve@example.com");
    let returned = site.provider("other").consent(&flow.url, &eve);
    let before = faults.calls().len();
    faults.next(ProviderMethod::IdentitiesInsert, Fault::Waits);
    let link = tokio::spawn(async move { visitor.finish(&flow, &returned).await });
    until(&faults, before, ProviderMethod::IdentitiesInsert).await;
    // The session was alive when the request looked.
    site.app.auth.admin().lock_down(&site.account(EMAIL).id).await.unwrap();
    faults.heal();
    let outcome = link.await.unwrap();
    assert!(!outcome.is_success(), "{}", outcome.text());
    assert!(site.identity("other", "eve").await.is_none());
}

async fn an_administrator_removes_all() {
    let site = closed_site().await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    site.visitor().with(&tokens).link(&site, "other", &ada()).await.linked(201);
    let id = site.account(EMAIL).id;
    assert_eq!(host::unlink_identities(&site.app, &id).await, 2);
    site.app.is_over(&tokens).await;
    for name in ["acme", "other"] {
        assert!(site.identity(name, "ada-at-acme").await.is_none());
        site.sign_in(name, &ada()).await.account_exists();
    }
    assert_eq!(host::unlink_identities(&site.app, &id).await, 0);
}

async fn an_account_that_is_closed_keeps_none() {
    let site = closed_site().await;
    site.linked_user(EMAIL, &ada()).await;
    let id = site.account(EMAIL).id;
    site.app.auth.close_account(&id).await.unwrap();
    assert!(site.identity("acme", "ada-at-acme").await.is_none());
}

async fn a_reset_keeps_them() {
    let site = site().await;
    site.linked_user(EMAIL, &ada()).await;
    let token = reset_password::token(&site.app, &site.app.outbox, EMAIL).await;
    reset_password::reset(&site.app, EMAIL, &token, NEW).await.expect(200);
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn a_reset_removes_them_if_the_option_says_so() {
    let rules = Rules { resets_remove_identities: true, ..Default::default() };
    let site = Site::with(|_| {}, rules).await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let token = reset_password::token(&site.app, &site.app.outbox, EMAIL).await;
    reset_password::reset(&site.app, EMAIL, &token, NEW).await.expect(200);
    site.app.is_over(&tokens).await;
    site.sign_in("acme", &ada()).await.account_exists();
}

async fn the_owner_is_told_and_a_lock_down_removes_what_was_linked_during_the_visit() {
    let site = site().await;
    site.linked_user(EMAIL, &ada()).await;
    // An administrator's lock down reaches back seven days.
    site.app.advance(8 * 24 * 60 * 60);
    let thief = site.app.login(EMAIL).await;
    site.app.confirm_password(&thief.access).await;
    site.app.auth.background_work_finished().await;
    while site.app.outbox.take::<SecurityNoticeMessage>().is_some() {}
    let eve = Person::new("eve", "eve@example.com");
    site.visitor().with(&thief).link(&site, "other", &eve).await.linked(201);
    site.app.auth.background_work_finished().await;
    let notice = site.app.outbox.take::<SecurityNoticeMessage>().expect("a notice");
    assert_eq!((notice.kind, notice.email.as_str()), (host::LINKED, EMAIL));
    let token = notice.token.expect("a link that removes it");
    crate::security_notices::secure(&site.app, &token).await.expect(200);
    site.app.is_over(&thief).await;
    let mut names = Vec::new();
    while !names.contains(&"auth.account-secured") {
        names.push(site.app.event().await.name());
    }
    assert!(names.contains(&"auth.identity-unlinked"), "{names:?}");
    assert!(site.identity("other", "eve").await.is_none());
    assert!(site.identity("acme", "ada-at-acme").await.is_some());
}

async fn a_suspended_user_links_nothing() {
    let site = site().await;
    let tokens = site.user(EMAIL).await;
    let visitor = site.visitor().with(&tokens);
    let flow = visitor.begin_for(Purpose::Link, "acme", &json!({})).await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    site.app.users.update(EMAIL, |user| user.active = false);
    let outcome = visitor.finish(&flow, &returned).await;
    assert!(!outcome.is_success(), "{}", outcome.text());
    assert!(site.identity("acme", "ada-at-acme").await.is_none());
}

async fn a_removal_that_breaks_can_be_repeated() {
    let faults = Faults::new();
    let (site, tokens, path) = breaking(&faults).await;
    faults.nth(ProviderMethod::IdentitiesDelete, 1, Fault::IsUnavailable);
    site.app.delete(&path).bearer(&tokens.access).await.expect(503);
    faults.heal();
    site.sign_in("acme", &ada()).await.signed_in();
    site.app.delete(&path).bearer(&tokens.access).await.expect(200);
    assert!(site.identity("acme", "ada-at-acme").await.is_none());
}
