//! Passkeys, the only thing on the site that needs a script.

use super::{Pages, confirm_password, without_scripts};
use crate::browser::{self, Browser, Kind, Role};
use crate::hosts::PASSWORD;

#[tokio::test]
async fn a_passkey_is_added_logs_in_confirms_and_is_removed() {
    browser::run(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        let (page, main) = (browser.page(), browser.page().main());
        pages.follow_and_confirm(browser, "Passkeys").await;
        main.follow("Verify your e-mail address").await;
        pages.verify(browser, "Ada").await;

        let device = browser.connect(Kind::Computer).await;
        page.follow("Passkeys").await;
        main.press("Add a passkey").await;
        main.shows("You can log in with the passkey now.").await;
        main.press("Add a passkey").await;
        main.shows("credentials already registered").await;
        main.fill("Name", "").await;
        main.press("Rename it").await;
        main.shows("The name is required.").await;
        main.fill("Name", "Desk").await;
        main.press("Rename it").await;
        main.shows("The passkey has another name.").await;
        main.find(Role::Heading, "Desk").await;

        pages.log_out(browser).await;
        browser.open(&pages.url("/safe")).await;
        main.press("Log in with a passkey").await;
        // Back to the page that was wanted; a passkey is two factors.
        main.find(Role::Heading, "Safe").await;

        pages.log_out(browser).await;
        pages.log_in(browser, "Ada").await;
        page.follow("Passkeys").await;
        main.press("Use a passkey").await;
        main.find(Role::Heading, "Desk").await;
        main.press("Remove Desk").await;
        main.shows("The passkey is removed, and your other sessions have ended.").await;
        main.shows("You have none yet.").await;
        pages.log_out(browser).await;
        browser.open(&pages.url("/login")).await;
        main.press("Log in with a passkey").await;
        main.shows("This passkey is not known here any more.").await;
        browser.disconnect(device).await;
    })
    .await;
}

#[tokio::test]
async fn a_passkey_is_the_second_factor() {
    browser::run(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        pages.verify(browser, "Ada").await;
        let main = browser.page().main();
        browser.connect(Kind::Computer).await;
        pages.follow_and_confirm(browser, "Passkeys").await;
        main.press("Add a passkey").await;
        main.shows("You can log in with the passkey now.").await;
        browser.page().follow("Two-factor").await;
        main.press("Set it up").await;
        super::second_factor::scan_and_confirm(browser).await;
        pages.log_out(browser).await;
        browser.open(&pages.url("/login")).await;
        pages.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Your second factor").await;
        main.press("Use a passkey").await;
        main.shows("Hello, Ada!").await;
    })
    .await;
}

#[tokio::test]
async fn without_scripts_no_button_for_a_passkey_is_shown() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        browser.open(&pages.url("/login")).await;
        let main = browser.page().main();
        main.find(Role::Button, "Log in").await;
        main.hides("passkey").await;
        pages.register(browser, "Ada").await;
        pages.verify(browser, "Ada").await;
        browser.page().follow("Passkeys").await;
        confirm_password(browser).await;
        main.shows("To add a passkey, the page needs JavaScript.").await;
    })
    .await;
}
