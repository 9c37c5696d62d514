//! Who is refused although the provider has said the truth: by the host's policy (specification §7.6), as suspended, or for want of a
//! second factor. Nobody gets a session, the flow is spent, and the event says whose account it is.

use super::native;
use super::outcome::Outcome;
use super::site::{Rules, Site, Word, ada, closed_site, site};
use super::visitor::{REGISTRATION, Visitor};
use crate::change_emails;
use crate::every_route::policy;
use crate::support::EMAIL;
use crate::support::provider::Person;
use crate::support::providers::CAUSE;
use crate::support::routers::{is_browser, on_both_routers};
use axum_auth_module::feature::Feature;

on_both_routers![
    a_login_that_the_policy_refuses_starts_no_session,
    a_challenge_that_the_policy_refuses_is_not_begun,
    an_address_that_the_policy_refuses_gets_no_account,
    an_address_that_the_policy_refuses_at_the_second_step_spends_nothing,
    a_newcomer_who_may_not_log_in_has_an_account_and_no_session,
    an_owner_who_may_not_log_in_has_arrived,
    an_account_that_is_linked_by_its_address_stays_linked_if_the_policy_refuses,
    a_policy_that_fails_shows_nothing,
    an_id_token_does_not_get_around_the_policy,
    an_id_token_of_a_suspended_user_is_refused,
    a_suspended_account_with_the_address_is_refused,
    a_second_factor_whose_feature_is_off_is_not_skipped,
    each_refusal_is_an_event,
    what_is_no_sign_in_is_no_failed_login,
];

/// A host with a policy that allows everything so far, and what `acme` is trusted with.
async fn with_policy(word: Option<Word>) -> (Site, policy::Rules) {
    let policy = policy::Rules::default();
    let rules = Rules { policy: policy.clone(), ..Rules::default() };
    let change = |offers: &mut Vec<super::site::Offer>| {
        (offers[0].trust, offers[0].links_by_email) = (word, word == Some(Word::Authoritative));
        offers[0].audiences = vec![native::WEB.to_owned()];
    };
    (Site::with(change, rules).await, policy)
}

/// Signs in at `acme`, and shows that the flow is spent afterwards.
async fn refused(site: &Site, person: &Person, status: u16, code: &str) -> (Visitor, Outcome) {
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let returned = site.provider("acme").consent(&flow.url, person);
    let outcome = visitor.finish(&flow, &returned).await.refused(status, code);
    assert!(
        visitor.cookie_names().iter().all(|name| name.ends_with("-link")),
        "{:?}",
        visitor.cookie_names()
    );
    let again = site.visitor();
    again.plant(&flow.cookie(), &flow.token);
    again.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
    (visitor, outcome)
}

/// Whose account the next `auth.login-failed` is about.
async fn failure(site: &Site) -> Option<String> {
    loop {
        let event = site.app.event().await;
        if event.name() == "auth.login-failed" {
            assert!(event.kind.facts().any(|fact| fact == ("method", "fed")), "{event:?}");
            return event.user_id;
        }
    }
}

async fn a_login_that_the_policy_refuses_starts_no_session() {
    let (site, policy) = with_policy(None).await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    policy.refuse(&["login"]);
    policy.asked();
    let (_, outcome) = refused(&site, &ada(), 403, "not_allowed").await;
    if let Some(answer) = outcome.answer() {
        assert_eq!(answer.body["reason"], "no_login");
        assert_eq!(answer.body["detail"], "The login is refused.");
    }
    assert_eq!(policy.asked(), ["login: 1 192.0.2.1"]);
    assert_eq!(failure(&site).await.as_deref(), Some("1"));
    // Nothing that was there is touched.
    let sessions = site.app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200).body;
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1);
    assert!(site.identity("acme", "ada-at-acme").await.is_some());
    policy.refuse(&[]);
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn a_challenge_that_the_policy_refuses_is_not_begun() {
    let (site, policy) = with_policy(None).await;
    let enrolled = site.app.enrolled(EMAIL).await;
    site.app.verify_address(EMAIL);
    site.visitor().with(&enrolled.tokens).link(&site, "acme", &ada()).await.linked(201);
    policy.refuse(&["login"]);
    refused(&site, &ada(), 403, "not_allowed").await;
    policy.refuse(&[]);
    // And after the second factor the policy is asked again.
    let challenge = site.sign_in("acme", &ada()).await.challenged();
    policy.refuse(&["login"]);
    let code = enrolled.authenticator.code(&site.app);
    let refused = site.app.challenge(&challenge, &code).await.refused(403, "not_allowed");
    assert!(!refused.has_credentials());
}

async fn an_address_that_the_policy_refuses_gets_no_account() {
    let (site, policy) = with_policy(None).await;
    policy.refuse(&["email"]);
    // Nothing that can be typed would help, so nobody is asked for a name.
    for person in [ada(), ada().named("Ada")] {
        let (visitor, _) = refused(&site, &person, 403, "registration_closed").await;
        assert!(visitor.cookie(REGISTRATION).is_none());
        assert_eq!(policy.asked(), [format!("email: {EMAIL} None")]);
        assert_eq!(failure(&site).await, None);
    }
    assert!(site.app.users.all().is_empty() && site.identity("acme", "ada-at-acme").await.is_none());
    policy.refuse(&[]);
    site.sign_in("acme", &ada().named("Ada")).await.registered();
}

async fn an_address_that_the_policy_refuses_at_the_second_step_spends_nothing() {
    let (site, policy) = with_policy(None).await;
    let visitor = site.visitor();
    let token = visitor.sign_in(&site, "acme", &ada()).await.asked_to_register();
    policy.refuse(&["email"]);
    assert_eq!(visitor.register(&token, "Ada").await.field_errors(), ["email: no_email"]);
    assert!(site.app.users.all().is_empty());
    policy.refuse(&[]);
    visitor.register(&token, "Ada").await.expect(201);
}

async fn a_newcomer_who_may_not_log_in_has_an_account_and_no_session() {
    let (site, policy) = with_policy(None).await;
    policy.refuse(&["login"]);
    refused(&site, &ada().named("Ada"), 403, "not_allowed").await;
    let bob = Person::new("bob", "bob@example.com");
    let visitor = site.visitor();
    let token = visitor.sign_in(&site, "acme", &bob).await.asked_to_register();
    let answer = visitor.register(&token, "Bob").await.refused(403, "not_allowed");
    assert!(!answer.has_credentials());
    assert_eq!(site.app.users.all().len(), 2);
    policy.refuse(&[]);
    for person in [ada(), bob] {
        site.sign_in("acme", &person).await.signed_in();
    }
}

/// Somebody else has made the account: the mailbox is proven whatever the policy says.
async fn an_owner_who_may_not_log_in_has_arrived() {
    let (site, policy) = with_policy(Some(Word::Authoritative)).await;
    let stranger = site.app.register(EMAIL).await;
    policy.refuse(&["login"]);
    refused(&site, &ada(), 403, "not_allowed").await;
    site.app.is_over(&stranger).await;
    assert!(site.account(EMAIL).password.is_empty());
    policy.refuse(&[]);
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn an_account_that_is_linked_by_its_address_stays_linked_if_the_policy_refuses() {
    let (site, policy) = with_policy(Some(Word::Authoritative)).await;
    let owner = site.user(EMAIL).await;
    policy.refuse(&["login"]);
    refused(&site, &ada(), 403, "not_allowed").await;
    assert_eq!(site.visitor().with(&owner).identities().await.len(), 1);
}

async fn a_policy_that_fails_shows_nothing() {
    let (site, policy) = with_policy(None).await;
    site.linked_user(EMAIL, &ada()).await;
    let newcomer = Person::new("bob", "bob@example.com");
    policy.fail(true);
    for person in [ada(), newcomer] {
        let (_, outcome) = refused(&site, &person, 500, "internal_error").await;
        assert!(!outcome.text().contains(CAUSE), "{}", outcome.text());
    }
    policy.fail(false);
    assert_eq!(site.app.users.all().len(), 1);
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn an_id_token_does_not_get_around_the_policy() {
    let (site, policy) = with_policy(None).await;
    site.linked_user(EMAIL, &ada()).await;
    policy.refuse(&["login", "email"]);
    let newcomer = Person::new("bob", "bob@example.com").named("Bob");
    for (person, code, user_id) in
        [(ada(), "not_allowed", Some("1")), (newcomer, "registration_closed", None)]
    {
        let visitor = site.visitor();
        let (nonce, flow) = native::nonce(&visitor, "acme").await;
        let token = site.provider("acme").id_token(&person, &nonce, native::WEB);
        let refused = native::sign_in(&visitor, &flow, &token).await.refused(403, code);
        assert!(!refused.has_credentials());
        assert!(code != "not_allowed" || refused.body["reason"] == "no_login", "{}", refused.text);
        assert_eq!(failure(&site).await.as_deref(), user_id);
        policy.refuse(&[]);
        native::sign_in(&visitor, &flow, &token).await.refused(422, "invalid_flow_token");
        policy.refuse(&["login", "email"]);
    }
    assert_eq!(site.app.users.all().len(), 1);
}

async fn an_id_token_of_a_suspended_user_is_refused() {
    let (site, _) = with_policy(None).await;
    site.linked_user(EMAIL, &ada()).await;
    site.app.users.update(EMAIL, |user| user.active = false);
    let visitor = site.visitor();
    let (nonce, flow) = native::nonce(&visitor, "acme").await;
    let token = site.provider("acme").id_token(&ada(), &nonce, native::WEB);
    let refused = native::sign_in(&visitor, &flow, &token).await.refused(422, "provider_refused");
    assert!(!refused.has_credentials());
    assert_eq!(failure(&site).await.as_deref(), Some("1"));
    assert!(site.identity("acme", "ada-at-acme").await.is_some());
    site.app.users.update(EMAIL, |user| user.active = true);
    native::sign_in(&visitor, &flow, &token).await.refused(422, "invalid_flow_token");
}

async fn a_suspended_account_with_the_address_is_refused() {
    for word in [Word::Verified, Word::Authoritative] {
        for is_verified in [true, false] {
            let (site, _) = with_policy(Some(word)).await;
            site.app.register(EMAIL).await;
            if is_verified {
                site.app.verify_address(EMAIL);
            }
            site.app.users.update(EMAIL, |user| user.active = false);
            refused(&site, &ada(), 422, "provider_refused").await;
            assert_eq!(failure(&site).await.as_deref(), Some("1"));
            let account = site.account(EMAIL);
            assert_eq!(
                (account.password.is_empty(), account.email_verified_at.is_some()),
                (false, is_verified)
            );
            assert!(site.identity("acme", "ada-at-acme").await.is_none());
        }
    }
}

async fn a_second_factor_whose_feature_is_off_is_not_skipped() {
    let off = vec![Feature::TWO_FACTOR_AUTHENTICATION, Feature::TRUSTED_DEVICES];
    let change = |offers: &mut Vec<super::site::Offer>| offers[0].trust = Some(Word::Authoritative);
    let site = Site::with(change, Rules { off, ..Rules::default() }).await;
    site.linked_user(EMAIL, &ada()).await;
    let unproven = "bob@example.com";
    site.app.register(unproven).await;
    for email in [EMAIL, unproven] {
        let now = Some(std::time::SystemTime::UNIX_EPOCH);
        site.app.users.update(email, |user| user.two_factor_confirmed_at = now);
    }
    // The second one is an arrival, which removes nothing.
    for (person, id) in [(ada(), "1"), (Person::new("bob", unproven), "2")] {
        refused(&site, &person, 403, "second_factor_unavailable").await;
        assert_eq!(failure(&site).await.as_deref(), Some(id));
    }
    let account = site.account(unproven);
    assert!(!account.password.is_empty() && account.email_verified_at.is_none());
    assert!(site.identity("acme", "bob").await.is_none());
}

async fn each_refusal_is_an_event() {
    let site = site().await;
    site.user(EMAIL).await;
    refused(&site, &ada().saying(false), 403, "provider_email_unverified").await;
    assert_eq!(failure(&site).await, None);
    refused(&site, &ada(), 409, "account_exists").await;
    assert_eq!(failure(&site).await.as_deref(), Some("1"));
    site.provider("acme").break_id_token(|_, claims| claims["nonce"] = "x".into());
    refused(&site, &ada(), 422, "provider_refused").await;
    assert_eq!(failure(&site).await, None);
    site.provider("acme").heal();
    // For a week the address stays that of the user who has moved to another one.
    let owner = site.app.login(EMAIL).await;
    site.app.confirm_password(&owner.access).await;
    change_emails::moved(&site.app, &owner.access, EMAIL, "moved@example.com").await;
    refused(&site, &ada().named("Ada"), 409, "email_taken").await;
    assert_eq!(failure(&site).await, None);

    let closed = closed_site().await;
    refused(&closed, &ada(), 403, "registration_closed").await;
    assert_eq!(failure(&closed).await, None);
}

async fn what_is_no_sign_in_is_no_failed_login() {
    let site = site().await;
    let visitor = site.visitor().with(&site.linked_user(EMAIL, &ada()).await);
    let stranger = Person::new("stranger", EMAIL);
    visitor.confirm(&site, "acme", &stranger).await.refused(422, "provider_refused");
    let bob = site.visitor().with(&site.user("bob@example.com").await);
    bob.link(&site, "acme", &ada()).await.refused(409, "identity_taken");
    if is_browser() {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let cancelled = site.provider("acme").refuse(&flow.url, "access_denied");
        visitor.finish(&flow, &cancelled).await.refused(422, "provider_refused");
    }
    site.app.register("last@example.com").await;
    loop {
        let event = site.app.event().await;
        assert_ne!(event.name(), "auth.login-failed");
        if event.name() == "auth.registered" && event.user_id.as_deref() == Some("3") {
            return;
        }
    }
}
