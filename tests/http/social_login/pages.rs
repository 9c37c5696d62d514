//! What is only in browsers: redirects, cookies, `next`, and what a page can ask about the step that is missing.

use super::site::{Rules, Site, ada, closed_site, in_browsers, site};
use super::visitor::{FLOW, Purpose};
use crate::support::provider::Person;
use crate::support::routers::{self, CHALLENGE_COOKIE, SESSION_COOKIE, on_both_routers};
use crate::support::{EMAIL, PASSWORD};
use axum_auth_module::config::SameSite;
use reqwest::Method;
use serde_json::json;

on_both_routers![next_is_a_path_of_this_host_and_short];

in_browsers![
    the_callback_leads_where_the_first_request_said,
    the_query_of_the_callback_decides_nothing,
    a_head_request_to_the_callback_consumes_nothing,
    other_methods_of_the_callback_are_not_there,
    the_flow_is_in_a_cookie_of_its_own,
    at_most_four_flows_are_kept,
    two_tabs_do_not_disturb_each_other,
    cookies_of_somebody_else_are_ignored,
    a_second_factor_is_asked_for_on_the_page_for_it,
    without_a_challenge_there_is_nothing_to_know_about_it,
    a_session_is_remembered_if_the_first_request_said_so,
    a_strict_session_cookie_arrives_by_a_page_that_leads_on,
    a_link_in_a_strict_browser_needs_the_flow_cookie_alone,
    an_error_leads_to_the_login_page_and_repeats_nothing,
    the_default_pages_are_those_of_the_documentation,
];

async fn with_ada() -> Site {
    let site = closed_site().await;
    site.linked_user(EMAIL, &ada()).await;
    site
}

async fn next_is_a_path_of_this_host_and_short() {
    let site = site().await;
    site.linked_user(EMAIL, &ada()).await;
    let long = |length: usize| format!("/{}", "a".repeat(length - 1));
    // What the flow token has escaped counts twice.
    let escaped = |pairs: usize| format!("/a{}", "\"\\".repeat(pairs));
    for next in ["/", "/a?b=c&d=%2F", "/#x", "/%0d%0a", &*long(512), &*escaped(127)] {
        site.visitor().authorize(Purpose::SignIn, "acme", &json!({ "next": next })).await.expect(200);
    }
    for next in [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "a",
        " /a",
        "/a b",
        "/\t/evil.example",
        "/\n",
        "/ä",
        &*long(513),
        &*escaped(128),
    ] {
        let answer = site.visitor().authorize(Purpose::SignIn, "acme", &json!({ "next": next })).await;
        if routers::is_browser() {
            assert_eq!(answer.field_errors(), ["next: invalid"], "{next:?}");
        } else {
            // Programs go nowhere.
            answer.expect(200);
        }
    }
    // A redirect URI that is named has its share.
    let uri = super::site::callback("acme");
    for (length, is_short) in [(512 - uri.len(), true), (513 - uri.len(), false)] {
        let body = json!({ "next": long(length), "redirectUri": uri });
        let answer = site.visitor().authorize(Purpose::SignIn, "acme", &body).await;
        match is_short || !routers::is_browser() {
            true => drop(answer.expect(200)),
            false => assert_eq!(answer.field_errors(), ["next: invalid"]),
        }
    }
}

async fn the_callback_leads_where_the_first_request_said() {
    let site = with_ada().await;
    for next in ["/", "/orders?page=2&sort=%2Fx", "/a#b"] {
        let visitor = site.visitor();
        let flow = visitor.begin_for(Purpose::SignIn, "acme", &json!({ "next": next })).await;
        let returned = site.provider("acme").consent(&flow.url, &ada());
        // The outcome is a redirect to exactly that path.
        visitor.finish(&flow, &returned).await.signed_in();
        assert_eq!(visitor.get("/me").await.expect(200).text, EMAIL);
    }
}

async fn the_query_of_the_callback_decides_nothing() {
    let site = with_ada().await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    let mut parameters = returned.parameters();
    for (name, value) in [
        ("next", "https://evil.example"),
        ("next", "/elsewhere"),
        ("redirect_uri", "https://evil.example"),
        ("flowToken", "x"),
        ("remember", "true"),
        ("session_state", "x"),
        ("scope", "openid"),
    ] {
        parameters.push((name, value.to_owned()));
    }
    let outcome = visitor.finish_with(&flow, &flow.token, &parameters).await;
    let session =
        outcome.page().unwrap().cookies.iter().find(|cookie| cookie.name == SESSION_COOKIE).cloned();
    assert_eq!(session.expect("a session cookie").max_age(), None);
    outcome.signed_in();
}

async fn a_head_request_to_the_callback_consumes_nothing() {
    let site = with_ada().await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    let path = super::visitor::callback("acme", &returned.parameters());
    let page = visitor.open_with(Method::HEAD, &path).await;
    assert_eq!(page.status, 405);
    assert!(page.cookies.is_empty());
    visitor.finish(&flow, &returned).await.signed_in();
}

async fn other_methods_of_the_callback_are_not_there() {
    let site = with_ada().await;
    let visitor = site.visitor();
    for method in [Method::POST, Method::PUT, Method::DELETE] {
        let path = "/auth/oauth/acme/callback?code=x&state=x";
        let answer = visitor.call(method.clone(), path).json(&json!({})).await;
        answer.refused(405, "method_not_allowed");
    }
}

async fn the_flow_is_in_a_cookie_of_its_own() {
    for same_site in [SameSite::Lax, SameSite::Strict] {
        let site = Site::with(|_| {}, Rules { same_site, ..Rules::default() }).await;
        let visitor = site.visitor();
        let next = format!("/{}", "a".repeat(511));
        let answer = visitor.authorize(Purpose::SignIn, "acme", &json!({ "next": next })).await.expect(200);
        let cookies = answer.set_cookies();
        assert_eq!(cookies.len(), 1);
        let cookie = &cookies[0];
        assert!(cookie.name.starts_with(FLOW) && cookie.name.len() == FLOW.len() + 8, "{}", cookie.name);
        assert_eq!(cookie.max_age(), Some(600));
        // The browser must send it when it comes back from the provider.
        assert!(cookie.attributes.contains(&"SameSite=Lax".to_owned()), "{:?}", cookie.attributes);
        let url = answer.body["authorizationUrl"].as_str().unwrap();
        let state = &site.provider("acme").asked(url)["state"];
        assert!(cookie.name.ends_with(&state[..8]), "{} {state}", cookie.name);
        assert!(!answer.text.contains(&cookie.value) && !answer.text.contains("flowToken"));
    }
}

async fn at_most_four_flows_are_kept() {
    let site = with_ada().await;
    let visitor = site.visitor();
    let mut flows = Vec::new();
    for _ in 0..6 {
        flows.push(visitor.begin("acme").await);
        assert!(visitor.flow_cookies().len() <= 4, "{:?}", visitor.flow_cookies());
    }
    let newest = flows.last().unwrap();
    assert!(visitor.flow_cookies().contains(&newest.cookie()));
    let returned = site.provider("acme").consent(&newest.url, &ada());
    visitor.finish(newest, &returned).await.signed_in();
    // A browser that has more of them, as after a clock that was wrong, gets rid of them.
    let full = site.visitor();
    for number in 0..10 {
        full.plant(&format!("{FLOW}AAAAAA{number:02}"), "x");
    }
    full.begin("acme").await;
    assert!(full.flow_cookies().len() <= 4, "{:?}", full.flow_cookies());
}

async fn two_tabs_do_not_disturb_each_other() {
    let site = with_ada().await;
    let (first_tab, second_tab) = {
        let browser = site.visitor();
        (browser.clone(), browser)
    };
    let first = first_tab.begin_for(Purpose::SignIn, "acme", &json!({ "next": "/first" })).await;
    let second = second_tab.begin_for(Purpose::SignIn, "acme", &json!({ "next": "/second" })).await;
    assert_ne!(first.cookie(), second.cookie());
    let at_first = site.provider("acme").consent(&first.url, &ada());
    let at_second = site.provider("acme").consent(&second.url, &ada());
    second_tab.finish(&second, &at_second).await.signed_in();
    assert_eq!(second_tab.flow_cookies(), [first.cookie()]);
    first_tab.finish(&first, &at_first).await.signed_in();
    assert!(first_tab.flow_cookies().is_empty());
}

async fn cookies_of_somebody_else_are_ignored() {
    let site = with_ada().await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    for (name, value) in [
        (FLOW.to_owned(), "x"),
        (format!("{FLOW}AAAAAAAA"), "fl1.x"),
        (format!("{FLOW}AAAAAAAAA"), "x"),
        ("__Host-Http-other-flow-AAAAAAAA".to_owned(), "x"),
        (CHALLENGE_COOKIE.to_owned(), "x"),
        (SESSION_COOKIE.to_owned(), "x"),
    ] {
        visitor.plant(&name, value);
    }
    let returned = site.provider("acme").consent(&flow.url, &ada());
    visitor.finish(&flow, &returned).await.signed_in();
}

/// A host, and Ada with an identity and a second factor.
async fn with_second_factor() -> (Site, crate::support::authenticator::Authenticator) {
    let site = site().await;
    let enrolled = site.app.enrolled(EMAIL).await;
    site.app.verify_address(EMAIL);
    site.visitor().with(&enrolled.tokens).link(&site, "acme", &ada()).await.linked(201);
    (site, enrolled.authenticator)
}

async fn a_second_factor_is_asked_for_on_the_page_for_it() {
    let (site, authenticator) = with_second_factor().await;
    let visitor = site.visitor();
    let flow =
        visitor.begin_for(Purpose::SignIn, "acme", &json!({ "next": "/orders", "remember": true })).await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    visitor.finish(&flow, &returned).await.challenged();
    assert!(visitor.flow_cookies().is_empty());
    let known = visitor.get("/auth/two-factor-challenge").await.expect(200).body;
    assert_eq!(known, json!({ "methods": ["totp", "recovery_code"], "next": "/orders" }));
    let body = json!({ "code": authenticator.code(&site.app) });
    let answer = visitor.post("/auth/two-factor-challenge", &body).await.expect(200);
    let session = answer.set_cookies().into_iter().find(|cookie| cookie.name == SESSION_COOKIE).unwrap();
    assert!(session.max_age().is_some(), "remembered");
    site.app.get("/assured/aal2").bearer(&answer.tokens().access).await.expect(200);
    visitor.get("/auth/two-factor-challenge").await.refused(401, "invalid_challenge_token");
}

async fn without_a_challenge_there_is_nothing_to_know_about_it() {
    let (site, _) = with_second_factor().await;
    site.visitor().get("/auth/two-factor-challenge").await.expect(401);
    let visitor = site.visitor();
    visitor.plant(CHALLENGE_COOKIE, "x");
    visitor.get("/auth/two-factor-challenge").await.expect(401);
    // One of a password knows no page.
    let body = json!({ "email": EMAIL, "password": PASSWORD });
    let visitor = site.visitor();
    visitor.post("/auth/login", &body).await.expect(200);
    let known = visitor.get("/auth/two-factor-challenge").await.expect(200).body;
    assert_eq!(known["methods"], json!(["totp", "recovery_code"]));
    site.app.advance(300);
    visitor.get("/auth/two-factor-challenge").await.expect(401);
}

async fn a_session_is_remembered_if_the_first_request_said_so() {
    let site = with_ada().await;
    for remember in [true, false] {
        let visitor = site.visitor();
        let flow = visitor.begin_for(Purpose::SignIn, "acme", &json!({ "remember": remember })).await;
        let returned = site.provider("acme").consent(&flow.url, &ada());
        let outcome = visitor.finish(&flow, &returned).await;
        let cookies = &outcome.page().unwrap().cookies;
        let session = cookies.iter().find(|cookie| cookie.name == SESSION_COOKIE).expect("a session cookie");
        assert_eq!(session.max_age().is_some(), remember);
        outcome.signed_in();
    }
}

/// A redirect is part of the chain that began at the provider, and a browser sends no strict cookie along it.
async fn a_strict_session_cookie_arrives_by_a_page_that_leads_on() {
    let site = Site::with(|_| {}, Rules { same_site: SameSite::Strict, ..Rules::default() }).await;
    let newcomer = Person::new("new", "new@example.com").named("<New> & \"old\"");
    let visitor = site.visitor();
    let next = "/orders?a=1&b=%22%3E%3Cscript%3E";
    let flow = visitor.begin_for(Purpose::SignIn, "acme", &json!({ "next": next })).await;
    let returned = site.provider("acme").consent(&flow.url, &newcomer);
    let path = super::visitor::callback("acme", &returned.parameters());
    let page = visitor.open(&path).await;
    assert_eq!((page.status, &page.location), (200, &None), "{}", page.text);
    let header = |name: &str| page.headers.get(name).map(|value| value.to_str().unwrap());
    assert!(header("content-type").unwrap().starts_with("text/html"));
    assert!(header("content-security-policy").unwrap().contains("default-src 'none'"));
    assert!(
        page.text.contains("http-equiv=\"refresh\"") && page.text.contains("/orders?a=1&amp;b="),
        "{}",
        page.text
    );
    assert!(!page.text.contains("<script") && !page.text.contains("New"), "{}", page.text);
    assert!(page.cookie(SESSION_COOKIE).is_some() && page.expires(&flow.cookie()));
    assert_eq!(visitor.get("/me").await.expect(200).text, "new@example.com");
}

async fn a_link_in_a_strict_browser_needs_the_flow_cookie_alone() {
    let site = Site::with(|_| {}, Rules { same_site: SameSite::Strict, ..Rules::default() }).await;
    let tokens = site.user(EMAIL).await;
    let visitor = site.visitor().with(&tokens);
    let flow = visitor.begin_for(Purpose::Link, "acme", &json!({})).await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    // The browser comes back without its session cookie.
    let session = visitor.cookie(SESSION_COOKIE).unwrap();
    visitor.forget(SESSION_COOKIE);
    let page = visitor.open(&super::visitor::callback("acme", &returned.parameters())).await;
    assert!(matches!(page.status, 200 | 303), "{}", page.text);
    visitor.plant(SESSION_COOKIE, &session);
    assert_eq!(visitor.identities().await.len(), 1);
}

async fn an_error_leads_to_the_login_page_and_repeats_nothing() {
    let site = with_ada().await;
    let visitor = site.visitor();
    for query in [
        "code=canary-x&state=canary-y",
        "error=canary-x&error_description=canary-y&state=canary-z",
        "error=access_denied&error_uri=https://evil.example&next=//evil.example",
        "code=%0d%0aSet-Cookie:%20x=y&state=%0d%0a",
    ] {
        let page = visitor.open(&format!("/oauth/acme/callback?{query}")).await;
        page.refused("/login", "invalid_flow_token");
    }
}

async fn the_default_pages_are_those_of_the_documentation() {
    let site = Site::with(|_| {}, Rules { has_default_pages: true, ..Rules::default() }).await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let returned = site.provider("acme").consent(&flow.url, &ada().named("Ada"));
    let page = visitor.open(&super::visitor::callback("acme", &returned.parameters())).await;
    page.sent_to("/");
}
