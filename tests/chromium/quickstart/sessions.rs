//! The list of sessions, with two browsers of one user.

use super::{Quickstart, confirm_password};
use crate::browser::{self, Browser, Role};

#[tokio::test]
async fn a_user_ends_the_session_of_another_browser() {
    browser::run(async |browser: &mut Browser| {
        browser::run(async |phone: &mut Browser| {
            let quickstart = Quickstart::start();
            quickstart.register(browser, "Ada").await;
            quickstart.log_in(phone, "Ada").await;
            browser.page().follow("Sessions").await;
            let main = browser.page().main();
            main.shows("This one").await;
            main.press("End it: Chrome on Linux").await;
            confirm_password(browser).await;
            main.shows("The session has ended.").await;

            phone.reload().await;
            phone.page().main().shows("Log in").await;
            phone.page().main().find(Role::Heading, "Log in").await;
            browser.reload().await;
            main.find(Role::Heading, "Sessions").await;
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_user_logs_out_everywhere_else() {
    browser::run(async |browser: &mut Browser| {
        browser::run(async |phone: &mut Browser| {
            let quickstart = Quickstart::start();
            quickstart.register(browser, "Ada").await;
            quickstart.log_in(phone, "Ada").await;
            browser.page().follow("Sessions").await;
            let main = browser.page().main();
            main.press("Log out everywhere else").await;
            browser
                .page()
                .within(Role::Dialog, "Log out everywhere else?")
                .press("Log out everywhere else")
                .await;
            confirm_password(browser).await;
            main.shows("The other sessions have ended. There were 1.").await;

            // The page of the other browser notices it with its next request.
            phone.page().follow("Sessions").await;
            phone.page().main().shows("Your session has ended. Log in again.").await;
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_user_ends_the_current_session() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        browser.page().follow("Sessions").await;
        browser.page().main().press("Log out: Chrome on Linux").await;
        confirm_password(browser).await;
        browser.page().main().shows("You are logged out.").await;
        assert!(browser.cookies("").await.is_empty(), "the cookie has expired");
    })
    .await;
}
