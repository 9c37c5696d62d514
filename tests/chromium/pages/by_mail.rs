//! Sign-in by mail, registration without a password, and the safe, which needs a second factor.

use super::second_factor::scan_and_confirm;
use super::{Pages, email, without_scripts};
use crate::browser::{Browser, Role};

/// Asks for the mail with this number on the page that is shown, and types its code.
async fn prove(browser: &Browser, pages: &Pages, number: usize) {
    let main = browser.page().main();
    main.fill("E-mail address", &email("Ada")).await;
    main.press("Mail me a code").await;
    main.find(Role::Heading, "The code in your mail").await;
    let code = pages.mailed_code(&email("Ada"), number).await;
    main.fill("Code in the mail", &code).await;
    main.press("Log in").await;
}

#[tokio::test]
async fn an_account_needs_no_password_and_the_safe_a_second_factor() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        let main = browser.page().main();
        browser.open(&pages.url("/login")).await;
        main.follow("Log in by mail, without a password").await;
        prove(browser, &pages, 1).await;
        main.find(Role::Heading, "Your new account").await;
        main.fill("Name", "Ada").await;
        main.press("Create the account").await;
        main.shows("Welcome! Your account is ready.").await;

        main.follow("safe").await;
        main.shows("This page needs two-factor authentication.").await;
        main.press("Set it up").await;
        main.find(Role::Image, "QR code with the key below").await;
        scan_and_confirm(browser).await;
        browser.open(&pages.url("/safe")).await;
        main.shows("This page is for Ada, who has proven two factors.").await;

        pages.log_out(browser).await;
        browser.open(&pages.url("/login-by-mail")).await;
        prove(browser, &pages, 2).await;
        main.find(Role::Heading, "Your second factor").await;
    })
    .await;
}
