//! Login CSRF with a provider: the attacker signs in there, and has somebody else's browser come back with what belongs to the attacker's
//! own visit.

use crate::browser::{self, Browser};
use crate::cookies::FLOW;
use crate::hosts::{Origin, Site, callback, consent_as};
use serde_json::json;
use url::form_urlencoded::byte_serialize;

const CALLBACK: &str = "GET /auth/oauth/demo/callback";

/// The page of an attacker, with the address of a callback.
fn attack(site: &Site, from: Origin, callback: &str) -> String {
    let callback: String = byte_serialize(callback.as_bytes()).collect();
    format!("{}/attacks/callback?target={callback}", site.origin(from))
}

/// Opens the attacker's page, and has it do everything that it can do with the callback. None of it may change anything.
async fn is_of_no_use(site: &Site, browser: &Browser, from: Origin, callback: &str) {
    let before = site.snapshot().await;
    browser.open(&attack(site, from, callback)).await;
    site.arrivals();
    browser.page().press("Spin the wheel").await;
    browser.page().shows("That was all.").await;
    let arrivals = site.arrivals();
    let arrived: Vec<_> = arrivals.iter().filter(|arrival| arrival.line == CALLBACK).collect();
    assert_eq!(arrived.len(), 4, "{from:?}: {arrivals:?}");
    assert!(arrived.iter().all(|arrival| arrival.status == 303), "{arrived:?}");

    browser.page().follow("Claim your prize").await;
    browser.page().shows("Log in with the provider").await;
    assert_eq!(browser.address().await, site.url("/login?error=invalid_flow_token"), "{from:?}");
    assert_eq!(site.snapshot().await, before, "{from:?}");
}

#[tokio::test]
async fn the_callback_of_an_attacker_starts_and_replaces_no_session() {
    browser::run(async |browser: &mut Browser| {
        browser::run(async |attacker: &mut Browser| {
            let site = Site::start().await;
            for origin in Origin::FOREIGN {
                site.visit_provider(attacker).await;
                let callback = callback(attacker).await;
                // A visit of the victim's own, which goes on afterwards.
                site.visit_provider(browser).await;
                let own = browser.tab().await;
                browser.new_tab(&site.url("/")).await;
                is_of_no_use(&site, browser, origin, &callback).await;
                site.nobody_is_logged_in(browser).await;
                assert_eq!(browser.cookies("").await.len(), 1, "{origin:?}");
                browser.switch_to(&own).await;
                consent_as(browser, "bob", "Bob").await;
                browser.page().shows("Logged in as Bob").await;
                is_of_no_use(&site, browser, origin, &callback).await;
                site.is_logged_in(browser, "Bob").await;
                site.log_out(browser).await;

                // Nobody has used up the visit or the code: in the attacker's own browser they sign in.
                attacker.open(&attack(&site, origin, &callback)).await;
                attacker.page().follow("Claim your prize").await;
                attacker.page().shows("Logged in as Ada Lovelace").await;
                site.log_out(attacker).await;
            }
        })
        .await;
    })
    .await;
}

/// With the cookie of the attacker's visit the victim would be signed in. A page of another site, or of a sibling subdomain, cannot plant
/// it. Another port of the host can, because cookies do not distinguish ports.
#[tokio::test]
async fn a_sibling_subdomain_cannot_plant_the_cookie_of_a_visit() {
    browser::run(async |browser: &mut Browser| {
        browser::run(async |attacker: &mut Browser| {
            let site = Site::start().await;
            site.visit_provider(attacker).await;
            let cookie = attacker.cookies(FLOW).await.remove(0);
            let cookie = ["name", "value"].map(|part| cookie[part].as_str().unwrap()).join("=");
            let callback = callback(attacker).await;
            let plant = async |from, attributes: &str| {
                browser.open(&attack(&site, from, &callback)).await;
                let send = "await fetch('/attacks/set-cookie', { method: 'POST', body: arguments[0] })";
                let cookie = format!("{cookie}; Path=/; Secure; HttpOnly{attributes}");
                browser.async_script(send, vec![json!(cookie)]).await;
            };
            for origin in [Origin::Sibling, Origin::OtherSite] {
                plant(origin, "; Domain=example.localhost").await;
                plant(origin, "").await;
                is_of_no_use(&site, browser, origin, &callback).await;
                site.nobody_is_logged_in(browser).await;
            }
            plant(Origin::OtherPort, "").await;
            browser.page().follow("Claim your prize").await;
            browser.page().shows("Logged in as Ada Lovelace").await;
        })
        .await;
    })
    .await;
}
