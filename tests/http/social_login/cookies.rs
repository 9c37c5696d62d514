//! The cookies of providers, with every configuration of cookies (specification §27.2).

use super::outcome::Page;
use super::site::{Rules, Site, ada, in_browsers};
use super::visitor::{Purpose, Visitor, callback};
use crate::support::EMAIL;
use crate::support::cookies::SetCookie;
use crate::support::provider::Person;
use axum_auth_module::config::SameSite;
use serde_json::json;
use std::time::SystemTime;

in_browsers![
    each_cookie_has_the_attributes_of_the_configuration,
    a_cookie_of_the_other_mode_is_none,
    cookies_with_a_doubtful_name_or_value_are_none,
    the_longest_cookies_are_as_short_as_is_promised,
];

const MODES: [(SameSite, bool); 4] =
    [(SameSite::Lax, false), (SameSite::Strict, false), (SameSite::Lax, true), (SameSite::Strict, true)];

async fn with(same_site: SameSite, is_insecure: bool) -> Site {
    Site::with(|_| {}, Rules { same_site, is_insecure, ..Rules::default() }).await
}

/// The parameters with which a person comes back, and the flow cookie of the visit.
async fn visited(
    site: &Site,
    visitor: &Visitor,
    provider: &str,
    person: &Person,
) -> (SetCookie, Vec<(&'static str, String)>) {
    let answer = visitor.authorize(Purpose::SignIn, provider, &json!({})).await.expect(200);
    let url = answer.body["authorizationUrl"].as_str().unwrap();
    let returned = site.provider(provider).consent(url, person);
    let flow = answer.set_cookies().into_iter().find(|cookie| !cookie.is_expired()).expect("a flow cookie");
    (flow, returned.parameters())
}

/// The name of the only cookie that a page sets, and its `SameSite`.
fn only(page: &Page) -> (String, String) {
    let set: Vec<_> = page.cookies.iter().filter(|cookie| !cookie.is_expired()).collect();
    assert_eq!(set.len(), 1, "{:?}", page.cookies);
    (set[0].name.clone(), same_site(set[0]))
}

/// `SameSite`; the other attributes are those that are promised.
fn same_site(cookie: &SetCookie) -> String {
    cookie.keeps_the_promises();
    let found = cookie.attributes.iter().find_map(|attribute| attribute.strip_prefix("SameSite="));
    found.expect("SameSite").to_owned()
}

async fn each_cookie_has_the_attributes_of_the_configuration() {
    for (same_site_of_sessions, is_insecure) in MODES {
        let site = with(same_site_of_sessions, is_insecure).await;
        let prefix = if is_insecure { "" } else { "__Host-Http-" };
        let own = if same_site_of_sessions == SameSite::Strict { "Strict" } else { "Lax" };
        let is = |found: (String, String), end: &str, same_site: &str| {
            assert_eq!(found, (format!("{prefix}auth{end}"), same_site.to_owned()));
        };
        let sign_in = async |provider: &'static str, person: &Person| {
            let visitor = site.visitor();
            let (flow, parameters) = visited(&site, &visitor, provider, person).await;
            let page = visitor.open(&callback(provider, &parameters)).await;
            assert!(page.expires(&flow.name), "{:?}", page.cookies);
            (flow, page)
        };
        let (flow, page) = sign_in("acme", &ada()).await;
        let (start, _) = flow.name.split_at(flow.name.len() - 8);
        is((start.to_owned(), same_site(&flow)), "-flow-", "Lax");
        assert_eq!(flow.max_age(), Some(600));
        is(only(&page), "-registration", "Lax");
        let (_, page) = sign_in("acme", &ada().named("Ada")).await;
        is(only(&page), "", own);
        let (_, page) = sign_in("other", &ada()).await;
        is(only(&page), "-link", "Lax");
        site.app.users.update(EMAIL, |user| user.two_factor_confirmed_at = Some(SystemTime::UNIX_EPOCH));
        let (_, page) = sign_in("acme", &ada()).await;
        is(only(&page), "-challenge", own);
    }
}

/// Another application on this machine sets cookies without the prefix, and no page without TLS can set one that has it.
async fn a_cookie_of_the_other_mode_is_none() {
    for (same_site, is_insecure) in MODES {
        let site = with(same_site, is_insecure).await;
        let visitor = site.visitor();
        let (flow, parameters) = visited(&site, &visitor, "acme", &ada().named("Ada")).await;
        let other = match flow.name.strip_prefix("__Host-Http-") {
            Some(name) => name.to_owned(),
            None => format!("__Host-Http-{}", flow.name),
        };
        let elsewhere = site.visitor();
        elsewhere.plant(&other, &flow.value);
        let page = elsewhere.open(&callback("acme", &parameters)).await;
        let leads_to = page.location.unwrap_or(page.text);
        assert!(leads_to.contains("/login?error=invalid_flow_token"), "{leads_to}");
        let page = visitor.open(&callback("acme", &parameters)).await;
        assert!(only(&page).0.ends_with("auth"), "{:?}", page.cookies);
    }
}

/// Programs on the way may read these differently.
async fn cookies_with_a_doubtful_name_or_value_are_none() {
    let site = with(SameSite::Lax, false).await;
    let visitor = site.visitor();
    let (flow, parameters) = visited(&site, &visitor, "acme", &ada().named("Ada")).await;
    let upper = flow.name.to_uppercase();
    let twice = format!("{0}={1}; {0}={1}", flow.name, flow.value);
    for header in [
        format!("{upper}={}", flow.value),
        format!("{}=\"{}\"", flow.name, flow.value),
        format!("{}={}; {upper}=x", flow.name, flow.value),
        format!("x=y; {twice}"),
        twice,
    ] {
        let (name, value) = header.split_once('=').unwrap();
        let doubtful = site.visitor();
        doubtful.plant(name, value);
        doubtful.open(&callback("acme", &parameters)).await.refused("/login", "invalid_flow_token");
    }
    visitor.open(&callback("acme", &parameters)).await.sent_to("/home");
}

/// Everything that a provider or a page chooses is as long as it can be.
async fn the_longest_cookies_are_as_short_as_is_promised() {
    let label = "d".repeat(63);
    let email = format!("{}@{label}.{label}.{}", "e".repeat(64), "d".repeat(61));
    // In JSON each of them has two bytes.
    let person = |first: char| Person::new(&format!("{first}{}", "\"".repeat(254)), &email);
    let site = with(SameSite::Lax, false).await;
    let next = format!("/{}", "n".repeat(511));
    let sign_in = async |provider: &'static str, person: &Person| {
        let visitor = site.visitor();
        let answer = visitor.authorize(Purpose::SignIn, provider, &json!({ "next": next })).await.expect(200);
        let flow = answer.set_cookies().remove(0);
        assert!(flow.value.len() > 900, "{}", flow.value.len());
        let url = answer.body["authorizationUrl"].as_str().unwrap();
        let returned = site.provider(provider).consent(url, person);
        let path = callback(provider, &returned.parameters());
        (visitor.clone(), visitor.open(&path).await)
    };
    // `open` looks at each cookie, and `register` at the one of the session.
    let (visitor, page) = sign_in("acme", &person('1')).await;
    assert!(only(&page).0.ends_with("-registration"), "{:?}", page.cookies);
    let name = "\u{1f980}".repeat(255);
    visitor.register("", &name).await.expect(201);
    let (_, page) = sign_in("other", &person('2')).await;
    assert!(only(&page).0.ends_with("-link"), "{:?}", page.cookies);
    site.app.users.update(&email, |user| user.two_factor_confirmed_at = Some(SystemTime::UNIX_EPOCH));
    let (_, page) = sign_in("acme", &person('1')).await;
    assert!(only(&page).0.ends_with("-challenge"), "{:?}", page.cookies);
}
