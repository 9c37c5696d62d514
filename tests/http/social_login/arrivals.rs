//! The owner's arrival by a provider that is authoritative for the address: nothing of the stranger who had made the account is left
//! (specification §15.7).

use super::site::{Word, ada, site, trusting};
use crate::email_login::{begin, sign_in as sign_in_by_mail, with_code};
use crate::reset_passwords::reset_password::{self, NEW};
use crate::support::authenticator::Enrolled;
use crate::support::passkeys::passkey;
use crate::support::provider::Person;
use crate::support::routers::on_both_routers;
use crate::support::{EMAIL, PASSWORD, every_endpoint};
use serde_json::json;

on_both_routers![
    a_strangers_password_and_sessions_end,
    a_strangers_passkeys_identities_and_second_factor_are_gone,
    what_a_stranger_has_begun_leads_nowhere,
    a_session_that_comes_along_changes_nothing_of_this,
    a_second_factor_of_a_verified_address_must_be_passed_and_then_the_address_is_verified,
    a_provider_that_only_says_so_does_not_let_the_owner_arrive,
    every_arrival_removes_the_identities_of_a_stranger,
];

async fn a_strangers_password_and_sessions_end() {
    let site = trusting(Word::Authoritative, false).await;
    let [first, second] = [site.app.register(EMAIL).await, site.app.login(EMAIL).await];
    site.app.event_names::<2>().await;
    let outcome = site.sign_in("acme", &ada()).await;
    if let Some(answer) = outcome.answer() {
        assert_eq!(answer.members_beside_the_session(), ["passwordRemoved", "twoFactor"]);
        assert_eq!(answer.body["passwordRemoved"], true);
    }
    let owner = outcome.signed_in();
    for stranger in [&first, &second] {
        site.app.is_over(stranger).await;
    }
    site.app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    let account = site.account(EMAIL);
    assert!(account.password.is_empty() && account.email_verified_at.is_some());
    let names: [_; 4] = site.app.event_names().await;
    for name in ["auth.email-verified", "auth.account-reclaimed", "auth.identity-linked", "auth.login"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    site.app.me(&owner.access).await.expect(200);
    // From now on a sign-in takes nothing away.
    let again = site.sign_in("acme", &ada()).await;
    assert!(again.answer().is_none_or(|answer| answer.body["passwordRemoved"].is_null()));
    again.signed_in();
    site.app.me(&owner.access).await.expect(200);
}

async fn a_strangers_passkeys_identities_and_second_factor_are_gone() {
    let site = trusting(Word::Authoritative, false).await;
    let Enrolled { tokens, .. } = site.app.enrolled(EMAIL).await;
    // While the address counted as verified, the stranger has added everything.
    site.app.verify_address(EMAIL);
    site.app.confirm_password(&tokens.access).await;
    let mut strangers = passkey();
    site.app.add_passkey(&tokens.access, &mut strangers).await;
    let eve = Person::new("eve", "eve@example.com");
    site.visitor().with(&tokens).link(&site, "other", &eve).await.linked(201);
    site.app.users.update(EMAIL, |user| user.email_verified_at = None);
    // Confirmed with a mark: it was put in force while nobody had proven the address.
    let outcome = site.sign_in("acme", &ada()).await;
    let owner = outcome.signed_in();
    let removed = ["auth.passkey-removed", "auth.identity-unlinked", "auth.two-factor-disabled"];
    let arrival = ["auth.email-verified", "auth.account-reclaimed"];
    let mut names = Vec::new();
    while !names.contains(&arrival[1]) {
        names.push(site.app.event().await.name());
    }
    // Each endpoint with which an owner can arrive declares these events.
    let arrives =
        ["loginWithProvider", "returnFromProvider", "loginWithIdToken", "loginWithEmail", "resetPassword"];
    let mut endpoints = every_endpoint();
    endpoints.retain(|endpoint| arrives.contains(&endpoint.operation));
    assert_eq!(endpoints.len(), arrives.len());
    for name in removed.iter().chain(&arrival) {
        assert!(names.contains(name), "{name}: {names:?}");
        for endpoint in &endpoints {
            assert!(endpoint.events().any(|event| event.as_str() == *name), "{}: {name}", endpoint.path);
        }
    }
    site.app.sign_in_with(&mut strangers).await.refused(404, "unknown_passkey");
    assert!(site.identity("other", "eve").await.is_none());
    let account = site.account(EMAIL);
    assert!(account.two_factor_secret.is_none() && account.two_factor_confirmed_at.is_none());
    let listed = site.visitor().with(&owner).identities().await;
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(listed[0]["provider"], "acme");
}

async fn what_a_stranger_has_begun_leads_nowhere() {
    let site = trusting(Word::Authoritative, false).await;
    let app = &site.app;
    let stranger = app.confirmed_session(EMAIL).await;
    app.verify_address(EMAIL);
    let visitor = site.visitor().with(&stranger);
    let linking = visitor.begin_for(super::visitor::Purpose::Link, "other", &json!({})).await;
    let eve = Person::new("eve", "eve@example.com");
    let returned = site.provider("other").consent(&linking.url, &eve);
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    let mail = begin(app, EMAIL).await;
    let reset = reset_password::token(app, &app.outbox, EMAIL).await;
    app.advance(1);
    site.sign_in("acme", &ada()).await.signed_in();
    with_code(app, &mail.flow, mail.code()).await.refused(422, "invalid_flow_token");
    reset_password::reset(app, EMAIL, &reset, NEW).await.refused(422, "invalid_reset_token");
    let outcome = visitor.finish(&linking, &returned).await;
    assert!(!outcome.is_success(), "{}", outcome.text());
    assert!(site.identity("other", "eve").await.is_none());
}

async fn a_session_that_comes_along_changes_nothing_of_this() {
    let site = trusting(Word::Authoritative, false).await;
    let stranger = site.app.register(EMAIL).await;
    let owner = site.visitor().with(&stranger).sign_in(&site, "acme", &ada()).await.signed_in();
    site.app.is_over(&stranger).await;
    site.app.me(&owner.access).await.expect(200);
    assert!(site.account(EMAIL).password.is_empty());
}

async fn a_second_factor_of_a_verified_address_must_be_passed_and_then_the_address_is_verified() {
    let site = trusting(Word::Authoritative, false).await;
    let Enrolled { tokens, .. } = site.app.enrolled(EMAIL).await;
    // A confirmed factor without the mark: it was put in force under a verified address.
    site.app.verify_address(EMAIL);
    let tokens = site.app.disable(&tokens.access).await.expect(200).tokens();
    site.app.confirm_password(&tokens.access).await;
    site.app.enable(&tokens.access).await.expect(200);
    let authenticator = site.app.authenticator(&tokens.access).await;
    let code = authenticator.code(&site.app);
    let tokens = site.app.confirm_two_factor(&tokens.access, &code).await.expect(200).tokens();
    site.app.next_step();
    site.app.users.update(EMAIL, |user| user.email_verified_at = None);

    let challenge = site.sign_in("acme", &ada()).await.challenged();
    assert!(site.account(EMAIL).email_verified_at.is_none());
    site.app.me(&tokens.access).await.expect(200);
    site.app.challenge(&challenge, &authenticator.code(&site.app)).await.expect(200);
    assert!(site.account(EMAIL).email_verified_at.is_some());
    site.app.login_call(EMAIL, PASSWORD).await.expect(200);
}

async fn a_provider_that_only_says_so_does_not_let_the_owner_arrive() {
    let site = site().await;
    let stranger = site.app.register(EMAIL).await;
    site.sign_in("acme", &ada()).await.account_exists();
    site.app.me(&stranger.access).await.expect(200);
    assert!(!site.account(EMAIL).password.is_empty());
}

async fn every_arrival_removes_the_identities_of_a_stranger() {
    for by_reset in [false, true] {
        let site = site().await;
        let eve = Person::new("eve", "eve@example.com");
        let stranger = site.linked_user(EMAIL, &eve).await;
        site.app.users.update(EMAIL, |user| user.email_verified_at = None);
        if by_reset {
            let token = reset_password::token(&site.app, &site.app.outbox, EMAIL).await;
            reset_password::reset(&site.app, EMAIL, &token, NEW).await.expect(200);
        } else {
            sign_in_by_mail(&site.app, EMAIL).await;
        }
        site.app.is_over(&stranger).await;
        assert!(site.identity("acme", "eve").await.is_none());
        // She is nobody here.
        site.sign_in("acme", &eve).await.asked_to_register();
    }
}
