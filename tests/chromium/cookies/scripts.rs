//! Scripts of the site itself.

use super::SESSION;
use crate::browser::{self, Browser};
use crate::hosts::Site;
use serde_json::json;

/// What a script could try in order to change the cookie, or to remove it.
const ATTEMPTS: [&str; 5] = [
    "document.cookie = name + '=planted; Secure; Path=/'",
    "document.cookie = name + '=; Secure; Path=/; Max-Age=0'",
    "document.cookie = name.toLowerCase() + '=planted; Secure; Path=/'",
    "await cookieStore.set(name, 'planted')",
    "await cookieStore.delete(name)",
];

#[tokio::test]
async fn scripts_cannot_read_the_cookie() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        site.log_in(browser, "Ada", false).await;
        let read = "document.cookie = 'theme=dark';
            const all = await cookieStore.getAll();
            return [document.cookie, ...all.map(cookie => cookie.name)].join('; ')";
        let read = browser.async_script(read, Vec::new()).await;
        assert_eq!(read["value"], "theme=dark; theme", "another cookie can be read, and no more than that");
        let one = "return (await cookieStore.get(arguments[0]))?.value";
        let one = browser.async_script(one, vec![json!(SESSION)]).await;
        assert_eq!(one["value"], json!(null));
    })
    .await;
}

#[tokio::test]
async fn scripts_cannot_set_or_remove_the_cookie() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;

        // Without a session, there is nothing to overwrite.
        site.nobody_is_logged_in(browser).await;
        for attempt in ATTEMPTS {
            browser
                .async_script(&format!("const name = arguments[0]; {attempt}"), vec![json!(SESSION)])
                .await;
            assert!(browser.cookies("").await.is_empty(), "{attempt}");
        }

        site.log_in(browser, "Ada", false).await;
        let before = browser.cookies("").await;
        assert_eq!(before.len(), 1, "{before:?}");
        for attempt in ATTEMPTS {
            browser
                .async_script(&format!("const name = arguments[0]; {attempt}"), vec![json!(SESSION)])
                .await;
            assert_eq!(browser.cookies("").await, before, "{attempt}");
        }
        site.is_logged_in(browser, "Ada").await;
    })
    .await;
}

#[tokio::test]
async fn a_user_stays_logged_in_after_a_reload_and_in_a_new_tab() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        site.log_in(browser, "Ada", false).await;
        let first = browser.tab().await;
        browser.reload().await;
        browser.page().shows("Logged in as Ada").await;
        browser.new_tab(&site.url("/")).await;
        browser.page().shows("Logged in as Ada").await;

        // A logout in one tab holds for all.
        browser.page().press("Log out").await;
        browser.page().shows("Not logged in").await;
        browser.switch_to(&first).await;
        browser.reload().await;
        browser.page().shows("Not logged in").await;
    })
    .await;
}

#[tokio::test]
async fn the_cookie_has_the_attributes_of_the_contract() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        for remember in [false, true] {
            site.log_in(browser, "Ada", remember).await;
            let cookies = browser.cookies("").await;
            let [cookie] = &cookies[..] else { panic!("one cookie is expected: {cookies:?}") };
            assert_eq!(cookie["name"], SESSION);
            // No `Domain`: a cookie for subdomains would have a dot here.
            assert_eq!(cookie["domain"], "app.example.localhost");
            assert_eq!((&cookie["path"], &cookie["sameSite"]), (&json!("/"), &json!("Lax")));
            assert_eq!((&cookie["httpOnly"], &cookie["secure"]), (&json!(true), &json!(true)));
            assert_eq!(cookie["session"], json!(!remember));
            assert!(cookie["size"].as_u64().unwrap() < 1024, "{cookie:?}");
            browser.page().press("Log out").await;
            browser.page().shows("Not logged in").await;
            assert!(browser.cookies("").await.is_empty());
        }
    })
    .await;
}
