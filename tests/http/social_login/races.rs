//! What happens at the same time.

use super::outcome::Outcome;
use super::site::{Site, Word, ada, site, trusting};
use super::visitor::{Flow, Visitor};
use crate::support::provider::{Person, Return};
use crate::support::routers::on_both_routers;
use crate::support::{EMAIL, at_once};
use axum_auth_module::feature::Feature;

on_both_routers![
    threads:
    first_sign_ins_of_one_subject_at_once_make_one_account,
    of_the_last_two_ways_in_one_stays,
    one_identity_that_two_users_link_at_once_is_of_one_of_them,
    a_sign_in_during_the_removal_of_its_identity_does_not_stay,
    arrivals_at_once_end_in_one_owner,
];

async fn begun(site: &Site, person: &Person) -> (Visitor, Flow, Return) {
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let returned = site.provider("acme").consent(&flow.url, person);
    (visitor, flow, returned)
}

/// Sign-ins of this person that finish at once.
async fn sign_ins(site: &Site, person: &Person, number: usize) -> Vec<Outcome> {
    let mut flows = Vec::new();
    for _ in 0..number {
        let (visitor, flow, returned) = begun(site, person).await;
        flows.push(async move { visitor.finish(&flow, &returned).await });
    }
    at_once(flows).await
}

async fn first_sign_ins_of_one_subject_at_once_make_one_account() {
    for round in 0..5 {
        let site = site().await;
        let outcomes = sign_ins(&site, &ada().named("Ada"), 8).await;
        let mut sessions = 0;
        for outcome in outcomes {
            let text = outcome.text();
            if outcome.is_success() {
                sessions += 1;
            } else {
                // Who came second to the address, and first to nothing.
                assert!(
                    text.contains("account_exists") || text.contains("email_taken"),
                    "round {round}: {text}"
                );
            }
        }
        assert!(sessions >= 1, "round {round}");
        assert_eq!(site.app.users.all().len(), 1, "round {round}");
        let identity = site.identity("acme", "ada-at-acme").await.expect("an identity");
        assert!(identity.user_id.ends_with(&format!(" {}", site.account(EMAIL).id)));
        let tokens = site.sign_in("acme", &ada()).await.signed_in();
        assert_eq!(site.app.me(&tokens.access).await.expect(200).text, EMAIL);
    }
}

async fn of_the_last_two_ways_in_one_stays() {
    for round in 0..5 {
        let off = vec![Feature::EMAIL_LOGIN, Feature::PASSWORDLESS_REGISTRATION];
        let site = Site::with(|_| {}, super::site::Rules { off, ..Default::default() }).await;
        let tokens = site.linked_user(EMAIL, &ada()).await;
        site.visitor().with(&tokens).link(&site, "other", &ada()).await.linked(201);
        let tokens = site.app.delete("/auth/user/password").bearer(&tokens.access).await.expect(200).tokens();
        // The second session is confirmed by its sign-in.
        let second = site.sign_in("acme", &ada()).await.signed_in();
        let listed = site.visitor().with(&tokens).identities().await;
        let removals = listed.iter().zip([&tokens, &second]).map(|(identity, tokens)| {
            let path = format!("/auth/user/identities/{}", identity["id"].as_str().unwrap());
            site.app.delete(&path).bearer(&tokens.access).into_future()
        });
        let answers = at_once(removals.collect::<Vec<_>>()).await;
        let removed = answers.iter().filter(|answer| answer.status == 200).count();
        assert!(removed <= 1, "round {round}");
        let left = [site.identity("acme", "ada-at-acme").await, site.identity("other", "ada-at-acme").await];
        assert_eq!(left.iter().flatten().count(), 2 - removed, "round {round}");
    }
}

async fn one_identity_that_two_users_link_at_once_is_of_one_of_them() {
    for round in 0..5 {
        let site = site().await;
        let mut links = Vec::new();
        for email in [EMAIL, "bob@example.com"] {
            let visitor = site.visitor().with(&site.user(email).await);
            let flow = visitor.begin_for(super::visitor::Purpose::Link, "acme", &serde_json::json!({})).await;
            let returned = site.provider("acme").consent(&flow.url, &ada());
            links.push(async move { visitor.finish(&flow, &returned).await });
        }
        let (won, lost): (Vec<_>, Vec<_>) = at_once(links).await.into_iter().partition(Outcome::is_success);
        assert_eq!((won.len(), lost.len()), (1, 1), "round {round}");
        for outcome in lost {
            outcome.refused(409, "identity_taken");
        }
    }
}

async fn a_sign_in_during_the_removal_of_its_identity_does_not_stay() {
    let site = site().await;
    for round in 0..10 {
        let email = format!("ada-{round}@example.com");
        let person = Person::new(&format!("ada-{round}"), &email);
        let tokens = site.linked_user(&email, &person).await;
        let id = site.visitor().with(&tokens).identities().await[0]["id"].as_str().unwrap().to_owned();
        let (visitor, flow, returned) = begun(&site, &person).await;
        let sign_in = tokio::spawn(async move { visitor.finish(&flow, &returned).await });
        let path = format!("/auth/user/identities/{id}");
        let removal = tokio::spawn(site.app.delete(&path).bearer(&tokens.access).into_future());
        let (outcome, removed) = (sign_in.await.unwrap(), removal.await.unwrap());
        removed.expect(200);
        if outcome.is_success() {
            site.app.is_over(&outcome.signed_in()).await;
        }
    }
}

async fn arrivals_at_once_end_in_one_owner() {
    for round in 0..5 {
        let site = trusting(Word::Authoritative, false).await;
        let stranger = site.app.register(EMAIL).await;
        let outcomes = sign_ins(&site, &ada(), 6).await;
        assert!(outcomes.iter().any(Outcome::is_success), "round {round}");
        site.app.is_over(&stranger).await;
        let account = site.account(EMAIL);
        assert!(account.password.is_empty() && account.email_verified_at.is_some(), "round {round}");
        let tokens = site.sign_in("acme", &ada()).await.signed_in();
        assert_eq!(site.visitor().with(&tokens).identities().await.len(), 1, "round {round}");
    }
}
