//! A forgotten password, and the verification of an address, which opens the members' page.

use super::{Pages, email, without_scripts};
use crate::browser::{Browser, Role};
use crate::hosts::PASSWORD;

const NEW: &str = "a better horse battery";

#[tokio::test]
async fn a_forgotten_password_is_replaced() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        pages.log_out(browser).await;
        browser.open(&pages.url("/login")).await;
        let main = browser.page().main();
        main.follow("Forgotten your password?").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.press("Send the link").await;
        main.shows("a mail with a link to a new password is on its way").await;

        pages.follow_mail(browser, &email("Ada"), "password-reset").await;
        main.find(Role::Heading, "A new password").await;
        main.fill("New password", NEW).await;
        main.fill("The same password again", NEW).await;
        main.press("Set the password").await;
        main.shows("Log in with the new one.").await;
        pages.send_login(browser, "Ada", PASSWORD).await;
        main.shows("The e-mail address or the password is wrong.").await;
        pages.send_login(browser, "Ada", NEW).await;
        main.shows("Hello, Ada!").await;
    })
    .await;
}

#[tokio::test]
async fn the_members_page_requires_a_verified_address() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        browser.page().follow("Members").await;
        let main = browser.page().main();
        main.shows("This page needs a verified e-mail address.").await;
        main.press("Send me a link").await;
        main.shows("A mail with a link is on its way.").await;

        // The link leads from another site, and the user stays logged in.
        pages.follow_mail(browser, &email("Ada"), "email-verification").await;
        main.press("Yes, verify it").await;
        main.shows("Your e-mail address is verified.").await;
        browser.page().follow("Members").await;
        main.shows("Only members with a verified e-mail address see this page, Ada.").await;
    })
    .await;
}

/// A link that was opened in a browser without a session: the user logs in first.
#[tokio::test]
async fn an_address_is_verified_after_a_login() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        let main = browser.page().main();
        main.press("Send me a link").await;
        main.shows("A mail with a link is on its way.").await;
        pages.log_out(browser).await;
        pages.follow_mail(browser, &email("Ada"), "email-verification").await;
        pages.send_login(browser, "Ada", PASSWORD).await;
        main.press("Yes, verify it").await;
        main.shows("Your e-mail address is verified.").await;
    })
    .await;
}
