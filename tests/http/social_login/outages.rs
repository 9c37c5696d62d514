//! Providers that are down or answer nonsense: nothing else is disturbed, and a flow can be used again if the code certainly was not.

use super::site::{Site, ada, closed_site, in_browsers, site};
use super::visitor::{Purpose, Visitor};
use crate::support::provider::trouble::Fault;
use crate::support::provider::{Person, Provider, Return};
use crate::support::routers::{self, is_browser, on_both_routers};
use crate::support::{EMAIL, PASSWORD, at_once};
use axum_auth_module::testing::{Fault as Broken, Faults, ProviderMethod};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

on_both_routers![
    a_token_endpoint_that_received_nothing_leaves_the_flow,
    a_token_endpoint_that_may_have_used_the_code_spends_the_flow,
    an_answer_of_the_token_endpoint_that_cannot_be_read_signs_nobody_in,
    a_repository_that_fails_after_the_code_was_used_leaves_the_flow_spent,
    two_providers_that_are_down_disturb_nothing_else,
    a_discovery_document_that_does_not_verify_is_an_outage_and_is_not_kept,
    a_discovery_document_is_asked_for_once_a_day,
    endpoints_on_another_host_are_reached_as_hosts_that_the_configuration_does_not_name,
];

in_browsers![an_error_of_the_provider_spends_the_flow];

on_both_routers![threads: a_provider_has_at_most_thirty_two_requests_at_once];

async fn with_ada() -> Site {
    let site = closed_site().await;
    site.linked_user(EMAIL, &ada()).await;
    site
}

async fn a_token_endpoint_that_received_nothing_leaves_the_flow() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let returned = acme.consent(&flow.url, &ada());
    for fault in [
        Fault::NotSent,
        Fault::Status(500),
        Fault::Status(502),
        Fault::Status(503),
        Fault::Status(504),
        Fault::Status(429),
    ] {
        acme.fault("/token", fault);
        visitor.finish(&flow, &returned).await.refused(503, "provider_unavailable");
        acme.heal();
        // A browser keeps the cookie, so that it can come back by the same URL.
        assert!(!is_browser() || visitor.cookie(&flow.cookie()).is_some(), "{fault:?}");
    }
    visitor.finish(&flow, &returned).await.signed_in();
    visitor.plant(&flow.cookie(), &flow.token);
    visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
    site.is_in_order();
}

async fn a_token_endpoint_that_may_have_used_the_code_spends_the_flow() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    for fault in [Fault::Failed, Fault::FailedAfterwards, Fault::TooLong, Fault::Encoded] {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let returned = acme.consent(&flow.url, &ada());
        acme.fault("/token", fault);
        visitor.finish(&flow, &returned).await.refused(503, "provider_unavailable");
        acme.heal();
        visitor.plant(&flow.cookie(), &flow.token);
        visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
    }
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn an_answer_of_the_token_endpoint_that_cannot_be_read_signs_nobody_in() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    for fault in [Fault::NotJson, Fault::NotAnObject, Fault::Empty, Fault::Deep, Fault::Redirect] {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let returned = acme.consent(&flow.url, &ada());
        acme.fault("/token", fault);
        let outcome = visitor.finish(&flow, &returned).await;
        assert!(!outcome.is_success(), "{fault:?}: {}", outcome.text());
        let text = outcome.text();
        assert!(
            text.contains("provider_refused") || text.contains("provider_unavailable"),
            "{fault:?}: {text}"
        );
        acme.heal();
        visitor.plant(&flow.cookie(), &flow.token);
        visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
    }
    assert_eq!(acme.calls("/elsewhere"), 0, "no redirect is followed");
    site.is_in_order();
}

async fn a_repository_that_fails_after_the_code_was_used_leaves_the_flow_spent() {
    let faults = Faults::new();
    let rules = super::site::Rules { faults: faults.clone(), ..Default::default() };
    let site = Site::with(|_| {}, rules).await;
    site.linked_user(EMAIL, &ada()).await;
    for method in [
        ProviderMethod::IdentitiesFindBySubject,
        ProviderMethod::IdentitiesRecordUse,
        ProviderMethod::SessionsCreate,
    ] {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let returned = site.provider("acme").consent(&flow.url, &ada());
        faults.nth(method, 1, Broken::IsUnavailable);
        let outcome = visitor.finish(&flow, &returned).await;
        assert!(!outcome.is_success(), "{method:?}: {}", outcome.text());
        faults.heal();
        // The provider has given its tokens for the code: a second try could only be refused.
        visitor.plant(&flow.cookie(), &flow.token);
        visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
        site.sign_in("acme", &ada()).await.signed_in();
    }
}

async fn two_providers_that_are_down_disturb_nothing_else() {
    let site = Site::planned(
        |net| ["acme", "other", "third"].map(|name| super::site::Offer::openid(name, net)).to_vec(),
        Default::default(),
    )
    .await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let third = Person::new("ada-at-third", EMAIL);
    site.visitor().with(&tokens).link(&site, "third", &third).await.linked(201);
    let flow = site.visitor().begin("acme").await;
    for fault in [Fault::NotSent, Fault::Failed, Fault::Status(500), Fault::TooLong, Fault::NotJson] {
        site.provider("acme").is_down(fault);
        site.provider("other").is_down(fault);
        // It has never been asked, so nothing is known of it.
        let answer = site.visitor().authorize(Purpose::SignIn, "other", &json!({})).await;
        answer.refused(503, "provider_unavailable");
        site.app.login_call(EMAIL, PASSWORD).await.expect(200);
        site.app.me(&tokens.access).await.expect(200);
        site.sign_in("third", &third).await.signed_in();
        let listed = site.visitor().get("/auth/oauth/providers").await.expect(200).body;
        assert_eq!(listed.as_array().unwrap().len(), 3);
        assert_eq!(site.visitor().with(&tokens).identities().await.len(), 2);
    }
    for name in ["acme", "other"] {
        site.provider(name).heal();
    }
    drop(flow);
    site.sign_in("acme", &ada()).await.signed_in();
    site.visitor().begin("other").await;
}

async fn is_an_outage(visitor: &Visitor, name: &str) {
    let answer = visitor.authorize(Purpose::SignIn, "acme", &json!({})).await;
    assert_eq!((answer.status, answer.code()), (503, "provider_unavailable"), "{name}: {}", answer.text);
    assert_eq!(answer.header("retry-after"), Some("5"), "{name}");
}

/// "discovery-issuer-mismatch". It is the operator's problem, and blames no user.
async fn a_discovery_document_that_does_not_verify_is_an_outage_and_is_not_kept() {
    let site = site().await;
    let (acme, visitor) = (site.provider("acme"), site.visitor());
    let changes: Vec<(&str, Value)> = vec![
        ("issuer", json!("https://other.example")),
        ("issuer", json!("https://acme.example/")),
        ("issuer", Value::Null),
        ("issuer", json!(["https://acme.example"])),
        ("authorization_endpoint", Value::Null),
        ("authorization_endpoint", json!("http://acme.example/authorize")),
        ("authorization_endpoint", json!("javascript:alert(1)")),
        ("authorization_endpoint", json!("/authorize")),
        ("authorization_endpoint", json!("")),
        ("authorization_endpoint", json!(7)),
        ("token_endpoint", Value::Null),
        ("token_endpoint", json!("http://acme.example/token")),
        ("token_endpoint", json!("http://127.0.0.1/token")),
        ("token_endpoint", json!("file:///etc/passwd")),
        ("jwks_uri", Value::Null),
        ("jwks_uri", json!("http://acme.example/keys")),
        ("jwks_uri", json!("http://169.254.169.254/latest")),
        ("userinfo_endpoint", json!("http://acme.example/userinfo")),
    ];
    for (member, value) in changes {
        let name = format!("{member} {value}");
        acme.break_metadata(move |metadata| metadata[member] = value.clone());
        is_an_outage(&visitor, &name).await;
    }
    acme.heal();
    for fault in [
        Fault::NotSent,
        Fault::Failed,
        Fault::Status(404),
        Fault::Status(500),
        Fault::Redirect,
        Fault::Encoded,
        Fault::TooLong,
        Fault::NotJson,
        Fault::NotAnObject,
        Fault::Empty,
        Fault::Deep,
    ] {
        acme.fault("/.well-known/openid-configuration", fault);
        is_an_outage(&visitor, &format!("{fault:?}")).await;
    }
    // At once, without waiting.
    acme.heal();
    visitor.begin("acme").await;
    assert_eq!(acme.calls("/elsewhere"), 0);
    site.is_in_order();
}

/// "discovery-openid-config".
async fn a_discovery_document_is_asked_for_once_a_day() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    let discovered = || acme.calls("/.well-known/openid-configuration");
    for _ in 0..3 {
        site.sign_in("acme", &ada()).await.signed_in();
        site.app.advance(3600);
    }
    assert_eq!(discovered(), 1);
    site.app.advance(24 * 3600);
    site.sign_in("acme", &ada()).await.signed_in();
    assert_eq!(discovered(), 2);
}

/// "discovery-jwks-uri-keys". The configuration names the issuer; what its document names besides may have been chosen by somebody else.
async fn endpoints_on_another_host_are_reached_as_hosts_that_the_configuration_does_not_name() {
    let site = Site::planned(
        |net| vec![super::site::Offer::openid("acme", net), super::site::Offer::openid("keys", net)],
        Default::default(),
    )
    .await;
    let (acme, keys): (&Provider, &Provider) = (site.provider("acme"), site.provider("keys"));
    acme.break_metadata(|metadata| metadata["jwks_uri"] = "https://keys.example/keys".into());
    let outcome = site.sign_in("acme", &ada()).await;
    // They are the keys of somebody else.
    outcome.refused(422, "provider_refused");
    let is_configured = |provider: &Provider, path: &str| {
        let requests = provider.requests();
        requests.iter().find(|seen| seen.path.ends_with(path)).expect("a request").is_configured
    };
    assert!(is_configured(acme, "/.well-known/openid-configuration") && is_configured(acme, "/token"));
    assert!(!is_configured(keys, "/keys"));
}

async fn an_error_of_the_provider_spends_the_flow() {
    let site = with_ada().await;
    for (error, status, code) in [
        ("access_denied", 422, "provider_refused"),
        ("invalid_scope", 422, "provider_refused"),
        ("login_required", 422, "provider_refused"),
        ("<script>", 422, "provider_refused"),
        ("", 422, "provider_refused"),
        ("temporarily_unavailable", 503, "provider_unavailable"),
        ("server_error", 503, "provider_unavailable"),
    ] {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let refused = site.provider("acme").refuse(&flow.url, error);
        // `state` and `iss` come first.
        let mut elsewhere = refused.clone();
        elsewhere.iss = Some("https://other.example".to_owned());
        visitor.finish(&flow, &elsewhere).await.refused(422, "provider_refused");
        assert!(visitor.cookie(&flow.cookie()).is_some());
        // A code beside it is of no use.
        let both = Return { code: site.provider("acme").consent(&flow.url, &ada()).code, ..refused };
        visitor.finish(&flow, &both).await.refused(status, code);
        assert!(visitor.cookie(&flow.cookie()).is_none(), "{error}: a cookie that was used");
        visitor.plant(&flow.cookie(), &flow.token);
        let returned = site.provider("acme").consent(&flow.url, &ada());
        visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
    }
}

async fn a_provider_has_at_most_thirty_two_requests_at_once() {
    let faults = Faults::new();
    let rules = super::site::Rules { faults: faults.clone(), ..Default::default() };
    let site = Site::with(|_| {}, rules).await;
    site.linked_user(EMAIL, &ada()).await;
    let finished = Arc::new(AtomicUsize::new(0));
    let mut begun = Vec::new();
    for _ in 0..40 {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let returned = site.provider("acme").consent(&flow.url, &ada());
        let finished = Arc::clone(&finished);
        begun.push(async move {
            let outcome = visitor.finish(&flow, &returned).await;
            finished.fetch_add(1, Ordering::SeqCst);
            (outcome, visitor, flow, returned)
        });
    }
    let before = faults.calls().len();
    faults.always(ProviderMethod::HttpSend, Broken::Waits);
    let finishing = tokio::spawn(routers::on(routers::current(), at_once(begun)));
    let sent = || faults.calls()[before..].iter().filter(|call| **call == ProviderMethod::HttpSend).count();
    let waiting = async {
        while finished.load(Ordering::SeqCst) < 8 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
    // Eight have been refused, and the others wait for the provider. Nobody else waits.
    assert_eq!(sent(), 32);
    site.app.login_call(EMAIL, PASSWORD).await.expect(200);
    faults.heal();
    let (won, lost): (Vec<_>, Vec<_>) =
        finishing.await.unwrap().into_iter().partition(|(outcome, ..)| outcome.is_success());
    assert_eq!((won.len(), lost.len()), (32, 8));
    for (outcome, visitor, flow, returned) in lost {
        outcome.refused(503, "provider_unavailable");
        // Nothing was sent for these.
        visitor.finish(&flow, &returned).await.signed_in();
    }
}
