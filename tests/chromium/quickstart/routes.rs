//! The page of the routes.

use super::Quickstart;
use crate::browser::wait::until;
use crate::browser::{self, Browser, Page, Role};
use fantoccini::key::Key;
use serde_json::json;

async fn open(browser: &Browser, quickstart: &Quickstart) {
    browser.open(&format!("{}/page/openapi.html", quickstart.0.address())).await;
}

/// How many lines of the page are this route.
async fn listed(main: &Page<'_>, route: &str) -> usize {
    main.text().await.lines().filter(|line| line.trim() == route).count()
}

#[tokio::test]
async fn a_route_is_listed_once_and_found_by_its_words() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        open(browser, &quickstart).await;
        let main = browser.page().main();
        main.shows("POST /auth/refresh").await;
        assert_eq!(listed(&main, "POST /auth/login").await, 1);
        assert_eq!(listed(&main, "POST /web/auth/login").await, 0);
        main.click(Role::Radio, "/web/auth for browsers, with a cookie").await;
        main.shows("GET /web/auth/session").await;
        assert_eq!(listed(&main, "POST /web/auth/login").await, 1);
        assert_eq!(listed(&main, "POST /auth/login").await, 0);

        main.fill("Filter by method, path, feature or what a route does", "Delete /user/sessions").await;
        main.shows("2 routes").await;
        main.shows("DELETE /web/auth/user/sessions/{id}").await;
        main.hides("GET /web/auth/user/sessions").await;
        main.fill("Filter by method, path, feature or what a route does", "nonsense").await;
        main.shows("0 routes").await;
        assert!(!main.text().await.contains("/web/auth/"), "no heading without a route");
    })
    .await;
}

#[tokio::test]
async fn a_route_is_unfolded_by_keyboard_and_its_code_is_code() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        open(browser, &quickstart).await;
        let main = browser.page().main();
        main.shows("POST /auth/login").await;
        browser.tab_to("Filter by method, path, feature or what a route does").await;
        browser.type_text("auth/login account").await;
        main.hides("/auth/logout").await;
        browser.press_key(Key::Tab).await;
        browser.press_key(Key::Enter).await;
        main.shows("Response 401").await;
        main.shows("invalid_credentials: login: the address is unknown").await;
        let text = main.text().await;
        assert!(!text.contains('`') && !text.contains("\n* "), "{text}");
        let codes =
            "return [...document.querySelectorAll('#routes details p code')].map(code => code.innerText)";
        let codes = browser.script(codes, Vec::new()).await;
        assert!(
            codes.as_array().is_some_and(|codes| codes.iter().any(|code| code == "invalid_credentials")),
            "{codes}"
        );
    })
    .await;
}

/// Every route, so that no schema is of a kind that the page does not know.
#[tokio::test]
async fn every_route_unfolds() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        open(browser, &quickstart).await;
        let main = browser.page().main();
        main.shows("POST /auth/login").await;
        for router in ["/auth for programs, with tokens", "/web/auth for browsers, with a cookie"] {
            main.click(Role::Radio, router).await;
            let unfold =
                "for (const route of document.querySelectorAll('#routes details')) route.open = true";
            browser.script(unfold, Vec::new()).await;
            let empty = "const routes = [...document.querySelectorAll('#routes details')];
                const empty = routes.filter(({ innerText }) => !/Response \\d/.test(innerText));
                return [routes.length > 50, empty.map(({ innerText }) => innerText)];";
            until("responses of every route", async || {
                let found = browser.script(empty, Vec::new()).await;
                if found == json!([true, []]) { Ok(()) } else { Err(found.to_string()) }
            })
            .await;
            assert!(!browser.is_too_wide().await);
        }
        let errors = browser.console().await;
        assert!(errors.is_empty(), "{errors:?}");
    })
    .await;
}
