//! A user name is chosen, and opens the account.

use super::{ACCOUNT, Quickstart, USER_NAME, email};
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;

#[tokio::test]
async fn a_user_logs_in_with_a_name_and_changes_it() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Eve").await;
        quickstart.log_out(browser).await;
        quickstart.open(browser, "/register").await;
        let main = browser.page().main();
        main.fill("Name", "Ada").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.fill(USER_NAME, "admin").await;
        main.fill("Password", PASSWORD).await;
        main.fill("The same password again", PASSWORD).await;
        main.press("Register").await;
        main.shows("This user name is reserved.").await;
        main.fill(USER_NAME, "Ada.L").await;
        main.press("Register").await;
        main.shows("Your account exists, and you are logged in.").await;
        quickstart.log_out(browser).await;

        let log_in = async |name: &str| {
            main.find(Role::Heading, "Log in").await;
            main.fill(ACCOUNT, name).await;
            main.fill("Password", PASSWORD).await;
            main.press("Log in").await;
        };
        log_in("ada.l").await;
        main.shows("You are logged in.").await;
        browser.page().follow("Profile").await;
        assert_eq!(main.value(USER_NAME).await, "ada.l");
        main.fill(USER_NAME, "countess").await;
        main.press("Save").await;
        main.shows("The profile has been updated.").await;
        quickstart.log_out(browser).await;
        log_in("ada.l").await;
        main.shows("The e-mail address or the password is wrong.").await;
        log_in("countess").await;
        main.shows("You are logged in.").await;

        // Without a name the account has its address.
        browser.page().follow("Profile").await;
        main.fill(USER_NAME, "").await;
        main.press("Save").await;
        main.shows("The profile has been updated.").await;
        quickstart.log_out(browser).await;
        quickstart.log_in(browser, "Ada").await;
    })
    .await;
}
