//! Which account a sign-in with a provider leads to: the table of specification §9, row by row.

use super::site::{Word, ada, closed_site, site, trusting};
use crate::delete_accounts::delete;
use crate::support::provider::Person;
use crate::support::routers::on_both_routers;
use crate::support::{EMAIL, PASSWORD};
use serde_json::{Value, json};

on_both_routers![
    a_known_identity_signs_its_user_in,
    the_session_of_a_sign_in_with_a_provider_says_so_and_is_confirmed,
    the_address_of_an_account_never_follows_that_of_the_provider,
    the_list_shows_the_address_of_the_last_sign_in,
    a_stranger_with_the_same_subject_at_another_provider_is_somebody_else,
    subjects_are_compared_byte_by_byte,
    an_unknown_identity_without_an_account_is_refused_where_nobody_can_register,
    an_address_that_is_not_proven_is_refused_before_any_account_is_looked_for,
    an_address_is_proven_only_by_true,
    a_provider_that_is_not_trusted_proves_no_address,
    a_verified_account_is_linked_by_its_address_only_where_the_host_says_so,
    an_account_with_a_second_factor_is_never_linked_by_its_address,
    every_other_account_with_the_address_is_not_entered,
    a_suspended_user_is_refused_and_the_identity_stays,
    a_user_who_is_leaving_is_held_back_and_can_stay,
    an_identity_whose_user_is_gone_is_deleted_and_is_unknown_from_then_on,
    an_identity_without_an_address_still_signs_its_user_in,
    a_text_that_is_no_address_is_none,
    addresses_are_compared_in_their_normal_form,
];

/// "oidcc-client-test" itself.
async fn a_known_identity_signs_its_user_in() {
    let site = site().await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let begun = site.sign_in("acme", &ada()).await.signed_in();
    assert_eq!(site.app.me(&begun.access).await.expect(200).text, EMAIL);
    site.app.me(&tokens.access).await.expect(200);
    site.is_in_order();
    // Neither an address nor its proof is needed.
    for person in [ada().without_address(), ada().saying(false), Person::new("ada-at-acme", "x@example.net")]
    {
        let begun = site.sign_in("acme", &person).await.signed_in();
        assert_eq!(site.app.me(&begun.access).await.expect(200).text, EMAIL);
    }
    site.is_in_order();
}

async fn the_session_of_a_sign_in_with_a_provider_says_so_and_is_confirmed() {
    let site = site().await;
    site.linked_user(EMAIL, &ada()).await;
    let tokens = site.sign_in("acme", &ada()).await.signed_in();
    let app = &site.app;
    app.get("/confirmed").bearer(&tokens.access).await.expect(200);
    app.get("/assured/aal1").bearer(&tokens.access).await.expect(200);
    app.get("/assured/aal2").bearer(&tokens.access).await.refused(401, "insufficient_user_authentication");
    let sessions = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200).body;
    let current = sessions["sessions"].as_array().unwrap().iter().find(|session| session["current"] == true);
    assert_eq!(current.unwrap()["authenticatedBy"], json!(["fed"]));
    loop {
        let event = app.event().await;
        if event.name() == "auth.login" && event.kind.facts().any(|fact| fact == ("methods", "fed")) {
            break;
        }
    }
}

async fn the_address_of_an_account_never_follows_that_of_the_provider() {
    let site = trusting(Word::Authoritative, true).await;
    site.linked_user(EMAIL, &ada()).await;
    let moved = Person::new("ada-at-acme", "moved@example.net");
    site.sign_in("acme", &moved).await.signed_in();
    assert!(site.app.users.by_email("moved@example.net").is_none());
    assert_eq!(site.app.users.all().len(), 1);
    assert_eq!(site.account(EMAIL).name, "Ada");
}

async fn the_list_shows_the_address_of_the_last_sign_in() {
    let site = site().await;
    site.linked_user(EMAIL, &ada()).await;
    for (person, shown) in [
        (Person::new("ada-at-acme", "moved@example.net"), json!("moved@example.net")),
        (ada().without_address(), Value::Null),
        (Person::new("ada-at-acme", "not an address"), Value::Null),
    ] {
        site.app.advance(60);
        let tokens = site.sign_in("acme", &person).await.signed_in();
        let listed = site.visitor().with(&tokens).identities().await;
        assert_eq!(listed[0]["email"], shown);
        let members: Vec<_> = listed[0].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(members, ["createdAt", "email", "id", "lastUsedAt", "provider"]);
        assert!(listed[0]["lastUsedAt"].as_str() > listed[0]["createdAt"].as_str());
    }
}

async fn a_stranger_with_the_same_subject_at_another_provider_is_somebody_else() {
    let site = closed_site().await;
    site.linked_user(EMAIL, &ada()).await;
    let stranger = Person::new("ada-at-acme", "mallory@example.com");
    site.sign_in("other", &stranger).await.refused(403, "registration_closed");
}

async fn subjects_are_compared_byte_by_byte() {
    let site = closed_site().await;
    site.linked_user(EMAIL, &ada()).await;
    for subject in ["ADA-at-acme", "ada-at-acme ", " ada-at-acme", "ada\u{2010}at-acme", "áda-at-acme"] {
        let stranger = Person::new(subject, "mallory@example.com");
        let outcome = site.sign_in("acme", &stranger).await;
        assert!(!outcome.is_success(), "{subject}: {}", outcome.text());
    }
    assert!(site.identity("acme", "ada-at-acme").await.is_some());
}

async fn an_unknown_identity_without_an_account_is_refused_where_nobody_can_register() {
    let site = closed_site().await;
    site.sign_in("acme", &ada()).await.refused(403, "registration_closed");
    assert!(site.app.users.all().is_empty() && site.identity("acme", "ada-at-acme").await.is_none());
    site.is_in_order();
}

/// Otherwise the answer tells who has an account.
async fn an_address_that_is_not_proven_is_refused_before_any_account_is_looked_for() {
    for site in [site().await, closed_site().await, trusting(Word::Authoritative, true).await] {
        site.user(EMAIL).await;
        site.app.register("unverified@example.com").await;
        for email in [EMAIL, "unverified@example.com", "nobody@example.com"] {
            for person in [
                Person::new("stranger", email).saying(false),
                Person::new("stranger", email).saying(Value::Null),
            ] {
                site.sign_in("acme", &person).await.refused(403, "provider_email_unverified");
            }
        }
        let nobody = Person::new("stranger", EMAIL).without_address();
        site.sign_in("acme", &nobody).await.refused(403, "provider_email_unverified");
        assert!(site.identity("acme", "stranger").await.is_none());
        assert!(site.account("unverified@example.com").email_verified_at.is_none());
    }
}

async fn an_address_is_proven_only_by_true() {
    let site = trusting(Word::Authoritative, true).await;
    for value in [
        json!("true"),
        json!("True"),
        json!(1),
        json!("1"),
        json!(1.0),
        json!([true]),
        json!({ "verified": true }),
        json!("yes"),
        json!(""),
        json!(false),
        json!(0),
    ] {
        let person = Person::new("stranger", EMAIL).saying(value.clone());
        let outcome = site.sign_in("acme", &person).await;
        assert!(!outcome.is_success(), "{value}: {}", outcome.text());
        outcome.refused(403, "provider_email_unverified");
    }
    site.sign_in("acme", &ada().named("Ada")).await.registered();
}

async fn a_provider_that_is_not_trusted_proves_no_address() {
    let site = trusting(Word::None, true).await;
    site.user(EMAIL).await;
    for email in [EMAIL, "nobody@example.com"] {
        let person = Person::new("stranger", email);
        site.sign_in("acme", &person).await.refused(403, "provider_email_unverified");
    }
    // Linking in a session needs no proof.
    let tokens = site.user("bob@example.com").await;
    site.visitor().with(&tokens).link(&site, "acme", &ada()).await.linked(201);
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn a_verified_account_is_linked_by_its_address_only_where_the_host_says_so() {
    for (word, links_by_email, is_linked) in [
        (Word::Authoritative, true, true),
        (Word::Authoritative, false, false),
        (Word::Verified, true, false),
        (Word::Verified, false, false),
    ] {
        let site = trusting(word, links_by_email).await;
        let owner = site.user(EMAIL).await;
        let outcome = site.sign_in("acme", &ada()).await;
        match is_linked {
            true => {
                let tokens = outcome.signed_in();
                assert_eq!(site.app.me(&tokens.access).await.expect(200).text, EMAIL);
                while site.app.event().await.name() != "auth.identity-linked" {}
            }
            false => drop(outcome.account_exists()),
        }
        assert_eq!(
            site.identity("acme", "ada-at-acme").await.is_some(),
            is_linked,
            "{word:?} {links_by_email}"
        );
        // A verified account keeps everything either way.
        site.app.me(&owner.access).await.expect(200);
        site.app.login_call(EMAIL, PASSWORD).await.expect(200);
    }
}

async fn an_account_with_a_second_factor_is_never_linked_by_its_address() {
    let site = trusting(Word::Authoritative, true).await;
    site.app.enrolled(EMAIL).await;
    site.app.verify_address(EMAIL);
    site.sign_in("acme", &ada()).await.account_exists();
    assert!(site.identity("acme", "ada-at-acme").await.is_none());
}

async fn every_other_account_with_the_address_is_not_entered() {
    // An unverified account, and a provider that only says so.
    let site = trusting(Word::Verified, true).await;
    let tokens = site.app.register(EMAIL).await;
    site.sign_in("acme", &ada()).await.account_exists();
    assert!(site.account(EMAIL).email_verified_at.is_none());
    site.app.me(&tokens.access).await.expect(200);
    site.app.login_call(EMAIL, PASSWORD).await.expect(200);
    assert!(site.identity("acme", "ada-at-acme").await.is_none());
}

async fn a_user_who_is_leaving_is_held_back_and_can_stay() {
    let site = site().await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    site.app.confirm_password(&tokens.access).await;
    delete(&site.app, &tokens.access).await.expect(202);
    let visitor = site.visitor();
    let body = visitor.sign_in(&site, "acme", &ada()).await.held_back();
    let tokens = visitor.post("/auth/user/restore", &body).await.expect(200).tokens();
    let sessions = site.app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200).body;
    assert_eq!(sessions["sessions"][0]["authenticatedBy"], json!(["fed"]));
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn a_suspended_user_is_refused_and_the_identity_stays() {
    let site = trusting(Word::Authoritative, true).await;
    site.linked_user(EMAIL, &ada()).await;
    site.app.users.update(EMAIL, |user| user.active = false);
    site.sign_in("acme", &ada()).await.refused(422, "provider_refused");
    assert!(site.identity("acme", "ada-at-acme").await.is_some());
    assert_eq!(site.app.users.all().len(), 1);
    site.app.users.update(EMAIL, |user| user.active = true);
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn an_identity_whose_user_is_gone_is_deleted_and_is_unknown_from_then_on() {
    let closed = closed_site().await;
    closed.linked_user(EMAIL, &ada()).await;
    assert!(closed.app.users.remove(EMAIL));
    closed.sign_in("acme", &ada()).await.refused(403, "registration_closed");
    assert!(closed.identity("acme", "ada-at-acme").await.is_none());

    let open = site().await;
    open.linked_user(EMAIL, &ada()).await;
    assert!(open.app.users.remove(EMAIL));
    let tokens = open.sign_in("acme", &ada().named("Ada")).await.registered();
    assert_eq!(open.app.me(&tokens.access).await.expect(200).text, EMAIL);
}

async fn an_identity_without_an_address_still_signs_its_user_in() {
    let site = site().await;
    let tokens = site.user(EMAIL).await;
    let nameless = Person::new("nameless", EMAIL).without_address();
    site.visitor().with(&tokens).link(&site, "acme", &nameless).await.linked(201);
    site.sign_in("acme", &nameless).await.signed_in();
    assert_eq!(site.visitor().with(&tokens).identities().await[0]["email"], Value::Null);
}

async fn a_text_that_is_no_address_is_none() {
    let site = trusting(Word::Authoritative, true).await;
    for email in [
        json!("ada"),
        json!(""),
        json!("a\u{0}@example.com"),
        json!(7),
        json!([EMAIL]),
        json!({}),
        json!("a@b@c"),
    ] {
        let mut person = ada();
        person.email = email.clone();
        let outcome = site.sign_in("acme", &person).await;
        assert!(!outcome.is_success(), "{email}: {}", outcome.text());
    }
    let long = format!("{}@example.com", "a".repeat(300));
    site.sign_in("acme", &Person::new("long", &long)).await.refused(403, "provider_email_unverified");
    assert!(site.app.users.all().is_empty());
}

async fn addresses_are_compared_in_their_normal_form() {
    let site = trusting(Word::Authoritative, true).await;
    site.user(EMAIL).await;
    let person = Person::new("ada-at-acme", "Ada@Example.COM");
    let tokens = site.sign_in("acme", &person).await.signed_in();
    assert_eq!(site.app.me(&tokens.access).await.expect(200).text, EMAIL);
    assert_eq!(site.app.users.all().len(), 1);
}
