//! The list of sessions, with two browsers of one user.

use super::{Pages, confirm_password, without_scripts};
use crate::browser::Browser;

#[tokio::test]
async fn a_user_logs_out_everywhere_else() {
    without_scripts(async |browser: &mut Browser| {
        without_scripts(async |phone: &mut Browser| {
            let pages = Pages::start();
            pages.register(browser, "Ada").await;
            pages.log_in(phone, "Ada").await;
            browser.page().follow("Sessions").await;
            let main = browser.page().main();
            main.shows("This session").await;
            main.press("Log out everywhere else").await;
            confirm_password(browser).await;
            main.press("Log out everywhere else").await;
            main.shows("You are logged out everywhere else.").await;

            phone.reload().await;
            phone.page().main().shows("Hello, stranger!").await;
            browser.open(&pages.url("/")).await;
            main.shows("Hello, Ada!").await;
        })
        .await;
    })
    .await;
}
