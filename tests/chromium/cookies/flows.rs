//! The cookie of a visit to a provider, which is another site.

use super::{FLOW, SESSION};
use crate::browser::{self, Browser};
use crate::hosts::{Site, consent, consent_as};
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};

const CALLBACK: &str = "GET /auth/oauth/demo/callback";

#[tokio::test]
async fn the_cookie_of_a_visit_has_the_attributes_of_the_contract_and_comes_back_from_another_site() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.visit_provider(browser).await;
        let cookies = browser.cookies("").await;
        let [cookie] = &cookies[..] else { panic!("one cookie is expected: {cookies:?}") };
        let name = cookie["name"].as_str().unwrap();
        assert_eq!(name.strip_prefix(FLOW).map(str::len), Some(8), "{name}");
        // No `Domain`: a cookie for subdomains would have a dot here.
        assert_eq!(cookie["domain"], "app.example.localhost");
        assert_eq!((&cookie["path"], &cookie["sameSite"]), (&json!("/"), &json!("Lax")));
        assert_eq!((&cookie["httpOnly"], &cookie["secure"]), (&json!(true), &json!(true)));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
        let left = cookie["expires"].as_f64().unwrap() - now;
        assert!((540.0..=600.0).contains(&left), "{cookie:?}");
        assert!(cookie["size"].as_u64().unwrap() < 1024, "{cookie:?}");

        site.arrivals();
        consent(browser).await;
        browser.page().shows("Logged in as Ada Lovelace").await;
        let arrival = site.arrival(CALLBACK).await;
        assert_eq!((arrival.status, arrival.sec_fetch_site.as_deref()), (303, Some("cross-site")));
        let cookies = browser.cookies("").await;
        assert_eq!(cookies.len(), 1, "{cookies:?}");
        assert_eq!(cookies[0]["name"], SESSION);
    })
    .await;
}

/// The browser comes from another site, so it neither sends a session cookie that is `Strict`, nor with the redirect one that it has just
/// got.
#[tokio::test]
async fn a_strict_session_begins_and_links_another_identity() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start_strict().await;
        site.visit_provider(browser).await;
        assert_eq!(browser.cookies(FLOW).await[0]["sameSite"], "Lax");
        consent(browser).await;
        browser.page().shows("Logged in as Ada Lovelace").await;
        assert_eq!(browser.cookies("").await[0]["sameSite"], "Strict");

        browser.page().press("Link the provider").await;
        site.arrivals();
        consent_as(browser, "countess", "Countess").await;
        browser.page().shows("Logged in as Ada Lovelace").await;
        let arrival = site.arrival(CALLBACK).await;
        assert!(!arrival.has_cookie, "{arrival:?}");
        assert_eq!(browser.address().await, site.url("/"));

        site.log_out(browser).await;
        site.visit_provider(browser).await;
        consent_as(browser, "countess", "Countess").await;
        browser.page().shows("Logged in as Ada Lovelace").await;
    })
    .await;
}

/// Back from the finished sign-in is the page of the provider, whose form leads to a visit that is over.
#[tokio::test]
async fn back_and_forth_after_a_sign_in_starts_no_second_session() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.visit_provider(browser).await;
        consent(browser).await;
        browser.page().shows("Logged in as Ada Lovelace").await;
        let before = site.snapshot().await;
        browser.back().await;
        consent(browser).await;
        browser.page().shows("Log in with the provider").await;
        assert_eq!(browser.address().await, site.url("/login?error=invalid_flow_token"));
        assert_eq!(site.snapshot().await, before);
        site.is_logged_in(browser, "Ada Lovelace").await;
    })
    .await;
}

/// Each tab has a cookie of its own. The tab that began first comes back last.
#[tokio::test]
async fn two_tabs_sign_in_at_once() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.visit_provider(browser).await;
        let first = browser.tab().await;
        browser.new_tab(&site.url("/")).await;
        site.visit_provider(browser).await;
        assert_eq!(browser.cookies(FLOW).await.len(), 2);
        consent(browser).await;
        browser.page().shows("Logged in as Ada Lovelace").await;
        assert_eq!(browser.cookies(FLOW).await.len(), 1);
        browser.switch_to(&first).await;
        consent(browser).await;
        browser.page().shows("Logged in as Ada Lovelace").await;
        let cookies = browser.cookies("").await;
        assert_eq!(cookies.len(), 1, "{cookies:?}");
        // The second sign-in has replaced the session that the browser had.
        assert_eq!(site.snapshot().await.sessions.len(), 1);
    })
    .await;
}
