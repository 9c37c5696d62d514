//! Secrets that stay secret: the client's secret, codes, verifiers, tokens of the provider and our own are in no log, no event and no
//! error; and what is stored about an identity.

use super::site::{Rules, Site, ada};
use super::visitor::Purpose;
use crate::support::logs;
use crate::support::provider::trouble::Fault;
use crate::support::routers::on_both_routers;
use crate::support::{EMAIL, PASSWORD};
use axum_auth_module::testing::{Fault as Broken, Faults, ProviderMethod};
use serde_json::json;

on_both_routers![
    nothing_secret_is_logged_whatever_happens,
    an_event_has_no_secret_and_no_address_of_the_provider,
    a_row_has_nothing_of_the_providers_tokens,
];

async fn nothing_secret_is_logged_whatever_happens() {
    let faults = Faults::new();
    let site = Site::with(|_| {}, Rules { faults: faults.clone(), ..Rules::default() }).await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let acme = site.provider("acme");
    let mut flows = Vec::new();
    for fault in [
        None,
        Some(Fault::NotSent),
        Some(Fault::Failed),
        Some(Fault::FailedAfterwards),
        Some(Fault::Status(400)),
        Some(Fault::Status(500)),
        Some(Fault::NotJson),
        Some(Fault::TooLong),
        Some(Fault::Redirect),
    ] {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let returned = acme.consent(&flow.url, &ada());
        if let Some(fault) = fault {
            acme.fault("/token", fault);
        }
        visitor.finish(&flow, &returned).await;
        acme.heal();
        flows.push(flow.token);
    }
    acme.break_id_token(|_, claims| claims["nonce"] = "x".into());
    site.sign_in("acme", &ada()).await.refused(422, "provider_refused");
    acme.break_token_response(|response| response["id_token"] = 7.into());
    site.sign_in("acme", &ada()).await.refused(422, "provider_refused");
    acme.heal();
    for method in
        [ProviderMethod::IdentitiesFindBySubject, ProviderMethod::HttpSend, ProviderMethod::SessionsCreate]
    {
        faults.next(method, Broken::Panics);
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let returned = acme.consent(&flow.url, &ada());
        visitor.finish(&flow, &returned).await;
        faults.heal();
    }
    let visitor = site.visitor().with(&tokens);
    visitor.link(&site, "other", &ada()).await.linked(201);
    visitor.begin_for(Purpose::Confirm, "acme", &json!({})).await;
    let logged = logs::recorded();
    let other = site.provider("other");
    let encoded = acme.secret().replace('+', "%2B").replace('/', "%2F");
    let mut secrets = [acme.secrets(), other.secrets(), flows].concat();
    secrets.extend([acme.secret().to_owned(), other.secret().to_owned(), encoded, PASSWORD.to_owned()]);
    for secret in secrets.iter().filter(|secret| secret.len() > 8) {
        assert!(!logged.contains(secret.as_str()), "{secret} is in the log");
    }
    for beginning in ["canary-code-", "canary-access-token-", "canary-refresh-token-", "canary-secret"] {
        assert!(!logged.contains(beginning), "{beginning} is in the log");
    }
}

async fn an_event_has_no_secret_and_no_address_of_the_provider() {
    let site = Site::with(|_| {}, Rules::default()).await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    site.sign_in("acme", &ada()).await.signed_in();
    site.provider("acme").break_id_token(|_, claims| claims["nonce"] = "x".into());
    site.sign_in("acme", &ada()).await.refused(422, "provider_refused");
    site.provider("acme").heal();
    let visitor = site.visitor().with(&tokens);
    let id = visitor.identities().await[0]["id"].as_str().unwrap().to_owned();
    visitor.delete(&format!("/auth/user/identities/{id}")).await.expect(200);
    let mut names = Vec::new();
    while names.last() != Some(&"auth.identity-unlinked") {
        let event = site.app.any_event().await;
        let shown = format!("{event:?}");
        for secret in site.provider("acme").secrets() {
            assert!(!shown.contains(&secret), "{shown}");
        }
        assert!(!shown.contains("ada-at-acme"), "{shown}");
        names.push(event.name());
    }
    for name in ["auth.identity-linked", "auth.login", "auth.login-failed"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
}

async fn a_row_has_nothing_of_the_providers_tokens() {
    let site = Site::with(|_| {}, Rules::default()).await;
    site.linked_user(EMAIL, &ada()).await;
    let row = site.identity("acme", "ada-at-acme").await.unwrap();
    assert_eq!((row.provider.as_str(), row.issuer.as_str()), ("acme", "https://acme.example"));
    assert_eq!((row.email.as_deref(), row.id.len()), (Some(EMAIL), 22));
    let fields = [&row.id, &row.user_id, &row.provider, &row.issuer, &row.subject];
    for secret in site.provider("acme").secrets() {
        assert!(fields.iter().all(|field| !field.contains(&secret)));
    }
}
