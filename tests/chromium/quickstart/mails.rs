//! A forgotten password, and the verification of an address: with the mails of the outbox.

use super::{Quickstart, email};
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;

const NEW: &str = "a better horse battery";

#[tokio::test]
async fn a_forgotten_password_is_replaced() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        quickstart.log_out(browser).await;
        let main = browser.page().main();
        main.follow("Forgotten your password?").await;
        main.find(Role::Heading, "Forgotten password").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.press("Send the link").await;
        main.shows("Mails are in the outbox.").await;

        follow_newest_mail(browser, &email("Ada")).await;
        main.find(Role::Heading, "A new password").await;
        assert_eq!(main.value("E-mail address").await, email("Ada"));
        // The token is not left in the address, and so not in the history.
        assert_eq!(browser.address().await, quickstart.url("/reset-password"));
        main.fill("New password", NEW).await;
        main.fill("The same password again", NEW).await;
        main.press("Set the password").await;
        main.shows("The password has been set. Log in with it.").await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.shows("The e-mail address or the password is wrong.").await;
        quickstart.send_login(browser, "Ada", NEW).await;
        main.shows("You are logged in.").await;
    })
    .await;
}

#[tokio::test]
async fn an_address_is_verified() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        let main = browser.page().main();
        main.within(Role::Region, "Verification").shows("Not verified").await;
        main.press("Send a verification mail").await;
        main.shows("Mails are in the outbox.").await;
        follow_newest_mail(browser, &email("Ada")).await;
        main.shows("The e-mail address is verified.").await;
        main.within(Role::Region, "Verification").hides("Not verified").await;
        main.within(Role::Region, "Verification").shows("Verified").await;
        assert_eq!(browser.address().await, quickstart.url("/profile"));
    })
    .await;
}

/// A link that was opened in a browser without a session: the user logs in first.
#[tokio::test]
async fn an_address_is_verified_after_a_login() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        let main = browser.page().main();
        main.press("Send a verification mail").await;
        main.shows("Mails are in the outbox.").await;
        quickstart.log_out(browser).await;
        follow_newest_mail(browser, &email("Ada")).await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.shows("The e-mail address is verified.").await;
    })
    .await;
}

/// The mails are for whoever has the address that the server has printed in its terminal.
#[tokio::test]
async fn the_printed_address_opens_the_outbox() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open(browser, "/outbox").await;
        let main = browser.page().main();
        main.shows("This tab does not have the word").await;
        main.hides("There are no mails yet.").await;
        // In a tab that has the page already, and after it was loaded again.
        quickstart.open_printed(browser).await;
        main.shows("There are no mails yet.").await;
        main.hides("This tab does not have the word").await;
        assert_eq!(browser.address().await, quickstart.url("/outbox"));
        browser.reload().await;
        main.shows("There are no mails yet.").await;
        assert_eq!(browser.address().await, quickstart.url("/outbox"));
    })
    .await;
}

/// Opens the outbox and follows the link of the only mail, which must be to this address.
async fn follow_newest_mail(browser: &Browser, to: &str) {
    browser.page().follow("Outbox").await;
    let main = browser.page().main();
    main.find(Role::Heading, "Outbox").await;
    main.shows(&format!("To {to}")).await;
    let link = main.line("http").await;
    main.follow(&link).await;
}
