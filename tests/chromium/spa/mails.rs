//! A forgotten password, the verification of an address, and logins by mail.

use super::{Credential, OUTBOX, Spa, email};
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;

const NEW: &str = "a better horse battery";

#[tokio::test]
async fn a_forgotten_password_is_replaced() {
    browser::run(async |browser: &mut Browser| {
        let spa = Spa::start();
        spa.open(browser, Credential::Cookie).await;
        spa.register(browser, "Ada").await;
        spa.log_out(browser).await;
        let main = browser.page().main();
        main.follow("Forgotten password").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.press("Send the mail").await;
        main.shows("If an account has this address").await;

        spa.0.follow_mail(browser, OUTBOX, 1).await;
        main.find(Role::Heading, "Choose a new password").await;
        // The token is not left in the address, and so not in the history.
        assert_eq!(browser.address().await, spa.url("/reset-password"));
        main.fill("New password", NEW).await;
        main.fill("The same password again", NEW).await;
        main.press("Set the password").await;
        main.shows("The password has been reset. Log in with the new one.").await;
        spa.send_login(browser, "Ada", PASSWORD).await;
        main.shows("The e-mail address or the password is wrong.").await;
        spa.send_login(browser, "Ada", NEW).await;
        main.find(Role::Heading, "Notes").await;
    })
    .await;
}

#[tokio::test]
async fn an_address_is_verified() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start();
            spa.open(browser, credential).await;
            spa.register(browser, "Ada").await;
            browser.page().follow("Profile").await;
            let main = browser.page().main();
            main.shows("The address is not verified.").await;
            main.press("Send a mail with a link").await;
            spa.0.follow_mail(browser, OUTBOX, 1).await;
            main.shows("The e-mail address is verified.").await;
            main.follow("Go on").await;
            browser.page().follow("Profile").await;
            main.shows("The address is verified.").await;
        })
        .await;
    }
}

/// A link that was opened in a browser without a session: the user logs in first.
#[tokio::test]
async fn an_address_is_verified_after_a_login() {
    browser::run(async |browser: &mut Browser| {
        let spa = Spa::start();
        spa.open(browser, Credential::Cookie).await;
        spa.register(browser, "Ada").await;
        browser.page().follow("Profile").await;
        let main = browser.page().main();
        main.press("Send a mail with a link").await;
        spa.log_out(browser).await;
        spa.0.follow_mail(browser, OUTBOX, 1).await;
        main.shows("Log in to verify your address.").await;
        spa.send_login(browser, "Ada", PASSWORD).await;
        main.shows("The e-mail address is verified.").await;
    })
    .await;
}

#[tokio::test]
async fn a_mail_makes_an_account_by_its_link_and_logs_in_by_its_code() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start();
            spa.open(browser, credential).await;
            let main = browser.page().main();
            ask_for_a_mail(browser).await;
            spa.0.follow_mail(browser, OUTBOX, 1).await;
            // The address has no token, and so the history has none.
            main.find(Role::Button, "Log in").await;
            assert_eq!(browser.address().await, spa.url("/mail"));
            main.press("Log in").await;
            main.find(Role::Heading, "Your new account").await;
            main.fill("Name", "Ada").await;
            main.press("Create the account").await;
            main.find(Role::Heading, "Notes").await;
            spa.log_out(browser).await;

            ask_for_a_mail(browser).await;
            let mail = spa.0.mail(OUTBOX, 2).await;
            let is_code = |line: &&str| {
                line.len() == 9 && line.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ')
            };
            let code = mail.lines().find(is_code).unwrap_or_else(|| panic!("no code in {mail}"));
            main.fill("Code in the mail", "12345678").await;
            main.press("Log in").await;
            main.shows("The code is wrong.").await;
            main.fill("Code in the mail", code).await;
            main.press("Log in").await;
            main.find(Role::Heading, "Notes").await;
        })
        .await;
    }
}

async fn ask_for_a_mail(browser: &Browser) {
    let main = browser.page().main();
    main.follow("Log in by mail").await;
    main.fill("E-mail address", &email("Ada")).await;
    main.press("Send the mail").await;
    main.shows("a mail is on its way.").await;
    main.find(Role::Field, "Code in the mail").await;
}
