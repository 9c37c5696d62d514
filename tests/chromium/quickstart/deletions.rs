//! An account is deleted, and its user changes their mind in each of the two ways.

use super::addresses::{follow_mail, register_and_verify};
use super::{Quickstart, confirm_password, email};
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;

/// The subject of the mail.
const SCHEDULED: &str = "Your Quickstart account will be deleted";

/// Deletes the account whose user is logged in, with the button of the profile.
async fn delete(browser: &Browser) {
    browser.page().follow("Profile").await;
    browser.page().main().press("Delete my account").await;
    confirm_password(browser).await;
    browser.page().main().shows("The account will be deleted.").await;
}

#[tokio::test]
async fn who_signs_in_keeps_the_account() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        register_and_verify(browser, &quickstart).await;
        delete(browser).await;
        let main = browser.page().main();
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Keep your account?").await;
        main.press("Keep my account").await;
        main.shows(&format!("You are logged in as {}.", email("Ada"))).await;
        quickstart.log_out(browser).await;
        quickstart.log_in(browser, "Ada").await;
    })
    .await;
}

#[tokio::test]
async fn the_link_in_the_mail_keeps_the_account_and_logs_nobody_in() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        register_and_verify(browser, &quickstart).await;
        delete(browser).await;
        let main = browser.page().main();
        follow_mail(browser, SCHEDULED, "Ada").await;
        main.find(Role::Heading, "Keep your account").await;
        // The token is not left in the address, and so not in the history.
        assert_eq!(browser.address().await, quickstart.url("/restore"));
        main.press("Keep my account").await;
        main.shows("The account will not be deleted.").await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.shows(&format!("You are logged in as {}.", email("Ada"))).await;
    })
    .await;
}

#[tokio::test]
async fn without_grace_the_account_is_gone_at_once() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_with(&[("AUTH_DELETION_GRACE_SECONDS", "0")]);
        quickstart.register(browser, "Ada").await;
        delete(browser).await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        browser.page().main().shows("The e-mail address or the password is wrong.").await;
        quickstart.register(browser, "Ada").await;
    })
    .await;
}
