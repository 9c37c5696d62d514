//! Cookies that a sibling subdomain or another port plants.

use super::SESSION;
use crate::browser::{self, Browser};
use crate::hosts::{Origin, Site};
use serde_json::json;

/// What a page of another host could write.
const PLANTED: [&str; 2] =
    ["; Domain=example.localhost; Path=/; Secure", "; Domain=example.localhost; Path=/; Secure; HttpOnly"];

#[tokio::test]
async fn a_sibling_subdomain_cannot_plant_a_session_cookie() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        for origin in [Origin::Sibling, Origin::OtherSite] {
            browser.open(&site.attack(origin, "form")).await;
            for attributes in PLANTED {
                let cookie = format!("{SESSION}=planted{attributes}");
                browser.script("document.cookie = arguments[0]", vec![json!(cookie)]).await;
                // The same in a response of that host.
                let url = format!("{}/attacks/set-cookie", site.origin(origin));
                let send = "await fetch(arguments[0], { method: 'POST', body: arguments[1] })";
                browser.async_script(send, vec![json!(url), json!(cookie)]).await;
                assert!(browser.cookies(SESSION).await.is_empty(), "{origin:?} {cookie}");
            }
        }
        // Cookies without a prefix have no such protection.
        browser.open(&site.attack(Origin::Sibling, "form")).await;
        browser
            .script("document.cookie = 'theme=planted; Domain=example.localhost; Path=/; Secure'", Vec::new())
            .await;
        browser.open(&site.url("/")).await;
        assert_eq!(browser.script("return document.cookie", Vec::new()).await, "theme=planted");
    })
    .await;
}

/// Cookies do not distinguish ports: another program on the same host can plant one, and it is not a session.
#[tokio::test]
async fn a_planted_cookie_is_no_session_and_is_replaced_at_login() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        browser.open(&site.attack(Origin::OtherPort, "form")).await;
        let send = "await fetch('/attacks/set-cookie', { method: 'POST', body: arguments[0] })";
        let cookie = format!("{SESSION}=planted; Path=/; Secure; HttpOnly");
        browser.async_script(send, vec![json!(cookie)]).await;
        assert_eq!(browser.cookies(SESSION).await[0]["value"], "planted");

        site.nobody_is_logged_in(browser).await;
        site.log_in(browser, "Ada", false).await;
        let cookies = browser.cookies(SESSION).await;
        assert_eq!(cookies.len(), 1, "{cookies:?}");
        assert_ne!(cookies[0]["value"], "planted");
    })
    .await;
}
