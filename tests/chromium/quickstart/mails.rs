//! A forgotten password, and the verification of an address: with the mails of the outbox.

use super::{Quickstart, email};
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;

const NEW: &str = "a better horse battery";

#[tokio::test]
async fn a_forgotten_password_is_replaced() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open_with_mails(browser).await;
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
        quickstart.open_with_mails(browser).await;
        quickstart.register(browser, "Ada").await;
        let main = browser.page().main();
        main.within(Role::Region, "Verification").shows("Not verified").await;
        quickstart.verify(browser, "Ada").await;
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
        quickstart.open_with_mails(browser).await;
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

/// The mailbox of an address that is verified is a way in beside the password, with the code or with the link.
#[tokio::test]
async fn a_mail_signs_in() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open_with_mails(browser).await;
        quickstart.register(browser, "Ada").await;
        let main = browser.page().main();
        quickstart.verify(browser, "Ada").await;
        quickstart.log_out(browser).await;

        main.follow("Sign in by mail").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.press("Send the mail").await;
        main.shows("Mails are in the outbox.").await;
        main.fill("Code of the mail", "0000 000").await;
        main.press("Sign in").await;
        main.shows("Correct the field that is marked.").await;
        sign_in_with_the_code(browser, &quickstart).await;
        main.shows("You are signed in.").await;
        main.hides("The password of this account was removed.").await;
        quickstart.log_out(browser).await;
        quickstart.log_in(browser, "Ada").await;
    })
    .await;
}

/// Takes the code from the outbox, in which it is the only one, and types it.
async fn sign_in_with_the_code(browser: &Browser, quickstart: &Quickstart) {
    let main = browser.page().main();
    browser.page().follow("Outbox").await;
    main.find(Role::Heading, "Outbox").await;
    let is_code = |line: &&str| line.len() == 9 && line.replace(' ', "").parse::<u64>().is_ok();
    let text = main.text().await;
    let code = text.lines().map(str::trim).find(is_code).expect("a code").to_owned();
    quickstart.open(browser, "/login-by-mail").await;
    main.fill("Code of the mail", &code).await;
    main.press("Sign in").await;
}

/// Who has proven an address needs no password for an account.
#[tokio::test]
async fn a_mail_registers() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open_with_mails(browser).await;
        let main = browser.page().main();
        quickstart.open(browser, "/login-by-mail").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.press("Send the mail").await;
        main.shows("Mails are in the outbox.").await;
        sign_in_with_the_code(browser, &quickstart).await;
        browser.page().shows(&format!("There is no account for {} yet.", email("Ada"))).await;
        main.find(Role::Heading, "Your new account").await;
        main.press("Create the account").await;
        main.shows("The name is required.").await;
        main.fill("Name", "Ada").await;
        main.press("Create the account").await;
        main.shows("Your account exists, and you are signed in.").await;
        main.within(Role::Region, "Verification").shows("Verified").await;
        // Nothing of the registration is left for the next visitor.
        quickstart.log_out(browser).await;
        quickstart.open(browser, "/register-by-mail").await;
        main.shows("Prove the address first.").await;
    })
    .await;
}

/// Nobody has proven the address of a new account. The first person who does gets the account, and its password is removed.
#[tokio::test]
async fn the_link_of_a_mail_removes_a_password_that_nobody_had_proven() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open_with_mails(browser).await;
        quickstart.register(browser, "Ada").await;
        quickstart.log_out(browser).await;
        let main = browser.page().main();
        main.follow("Sign in by mail").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.press("Send the mail").await;
        main.shows("Mails are in the outbox.").await;
        follow_newest_mail(browser, &email("Ada")).await;
        main.shows("You are signed in. The password of this account was removed. You can set another one.")
            .await;
        main.find(Role::Heading, "Profile").await;
        assert_eq!(browser.address().await, quickstart.url("/profile"));
    })
    .await;
}

/// Opens the outbox and follows the link of the only mail, which must be to this address.
pub(super) async fn follow_newest_mail(browser: &Browser, to: &str) {
    browser.page().follow("Outbox").await;
    let main = browser.page().main();
    main.find(Role::Heading, "Outbox").await;
    main.shows(&format!("To {to}")).await;
    let link = main.line("http").await;
    main.follow(&link).await;
}

/// Without the word the page says where the mails are.
#[tokio::test]
async fn a_page_without_the_word_shows_no_mails() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open(browser, "/outbox").await;
        browser.page().main().shows("This page has no key to the mails.").await;
        quickstart.open_with_mails(browser).await;
        assert!(!browser.address().await.contains("outbox="), "the word is not left in the address");
        browser.page().follow("Outbox").await;
        browser.page().main().shows("There are no mails yet.").await;
    })
    .await;
}
