//! The password: a new one, and its confirmation.

use super::{Quickstart, confirm_password};
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;

const NEW: &str = "a better horse battery";

#[tokio::test]
async fn a_user_changes_the_password() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        browser.page().follow("Password").await;
        let main = browser.page().main();
        let change = async |current: &str| {
            main.fill("Current password", current).await;
            main.fill("New password", NEW).await;
            main.fill("The same password again", NEW).await;
            main.press("Change the password").await;
        };
        change("not the password").await;
        main.shows("The password is wrong.").await;
        change(PASSWORD).await;
        main.shows("The password has been changed.").await;

        // This session goes on, with another cookie.
        browser.reload().await;
        main.find(Role::Heading, "Password").await;
        quickstart.log_out(browser).await;
        quickstart.send_login(browser, "Ada", NEW).await;
        main.shows("You are logged in.").await;
    })
    .await;
}

#[tokio::test]
async fn a_user_confirms_the_password() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        browser.page().follow("Password").await;
        let section = browser.page().main().within(Role::Region, "Confirm it");
        section.shows("Not confirmed").await;
        section.press("Confirm the password").await;

        let dialog = browser.page().within(Role::Dialog, "Confirm that it is you");
        dialog.fill("Password", "not the password").await;
        dialog.press("Confirm").await;
        dialog.shows("The password is wrong.").await;
        confirm_password(browser).await;
        section.shows("You have confirmed that it is you.").await;
        section.hides("Not confirmed").await;
    })
    .await;
}
