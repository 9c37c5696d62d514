//! The list of sessions, with two browsers of one user.

use super::{Credential, Spa, confirm_password};
use crate::browser::{self, Browser, Role};

#[tokio::test]
async fn a_user_ends_all_other_sessions() {
    browser::run(async |browser: &mut Browser| {
        browser::run(async |phone: &mut Browser| {
            let spa = Spa::start();
            spa.open(browser, Credential::Cookie).await;
            spa.register(browser, "Ada").await;
            spa.open(phone, Credential::Tokens).await;
            spa.log_in(phone, "Ada").await;
            browser.page().follow("Sessions").await;
            let main = browser.page().main();
            main.shows("This session").await;
            main.shows("Tokens").await;
            main.press("End all other sessions").await;
            confirm_password(browser).await;
            main.shows("The other sessions have ended.").await;
            main.hides("Tokens").await;

            phone.reload().await;
            phone.page().main().find(Role::Heading, "Log in").await;
        })
        .await;
    })
    .await;
}
