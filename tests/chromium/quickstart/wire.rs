//! The requests and responses beside the page.

use super::Quickstart;
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;
use serde_json::json;
use std::process::Command;

#[tokio::test]
async fn requests_are_shown_with_their_secrets_hidden() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        let wire = browser.page().within(Role::Aside, "On the wire");
        wire.shows("/web/auth/register").await;
        assert!(
            !wire.text().await.contains(PASSWORD),
            "the password is not shown before somebody asks for it"
        );
        wire.press("Clear").await;
        wire.shows("0 requests").await;
        browser.page().follow("Sessions").await;
        wire.shows("GET /web/auth/user/sessions").await;
        wire.shows("200 OK").await;
    })
    .await;
}

/// Beside the scroll bar of the window, a second one would only take space.
#[tokio::test]
async fn a_wide_window_has_one_scroll_bar() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        let bars = "return [document.scrollingElement, ...document.body.querySelectorAll('*')]
            .filter(part => part.scrollHeight > part.clientHeight)
            .filter(part => part === document.scrollingElement || /auto|scroll/.test(getComputedStyle(part).overflowY))
            .map(part => [part.localName, getComputedStyle(part).scrollbarWidth])";
        let bars = browser.script(bars, Vec::new()).await;
        assert_eq!(bars, json!([["html", "auto"], ["aside", "none"]]));
    })
    .await;
}

#[tokio::test]
async fn a_request_runs_in_a_terminal() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        quickstart.log_out(browser).await;
        let wire = browser.page().within(Role::Aside, "On the wire");
        wire.press("Clear").await;
        quickstart.send_login(browser, "Ada", "not the password").await;
        browser.page().main().shows("The e-mail address or the password is wrong.").await;
        wire.press("Show secrets").await;
        wire.shows("not the password").await;
        wire.press("Copy as curl").await;
        let command = browser.clipboard().await;
        let output =
            Command::new("bash").args(["-c", &command]).current_dir(quickstart.0.directory()).output();
        let output = String::from_utf8(output.expect("bash runs").stdout).expect("text");
        assert!(
            output.contains("401 Unauthorized") && output.contains("invalid_credentials"),
            "{command}\n{output}"
        );
    })
    .await;
}
