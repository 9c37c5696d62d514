//! A provider, which is another site, and everything on the way there and back without a script.

use super::second_factor::scan_and_confirm;
use super::{Pages, confirm_password, without_scripts};
use crate::browser::{Browser, Role};
use crate::hosts::{PASSWORD, consent};

#[tokio::test]
async fn an_account_with_the_address_is_linked_after_a_login_and_unlinked() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start_with_provider().await;
        let main = browser.page().main();
        pages.register(browser, "Ada").await;
        pages.verify(browser, "Ada").await;
        pages.log_out(browser).await;
        pages.visit_provider(browser).await;
        consent(browser).await;
        main.shows("There is an account with your address already.").await;
        pages.send_login(browser, "Ada", PASSWORD).await;
        confirm_password(browser).await;
        main.shows("Somebody has signed in with demo as ada@example.com in this browser.").await;
        main.press("Link demo").await;
        main.shows("You can log in with it now.").await;
        pages.log_out(browser).await;

        pages.visit_provider(browser).await;
        consent(browser).await;
        main.shows("Hello, Ada!").await;
        browser.page().follow("Providers").await;
        main.press("Unlink demo").await;
        main.shows("It is unlinked, and your other sessions have ended.").await;
        main.shows("You have linked none yet.").await;
        main.press("Link demo").await;
        consent(browser).await;
        main.find(Role::Button, "Unlink demo").await;
        assert_eq!(browser.address().await, pages.url("/providers"));
        assert_eq!(browser.cookies("").await.len(), 1);
    })
    .await;
}

/// Which page was wanted is in the cookie of the challenge.
#[tokio::test]
async fn the_second_factor_is_asked_for_after_the_return_and_leads_to_the_wanted_page() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start_with_provider().await;
        let main = browser.page().main();
        pages.visit_provider(browser).await;
        consent(browser).await;
        browser.page().follow("Two-factor").await;
        main.press("Set it up").await;
        let app = scan_and_confirm(browser).await;
        pages.log_out(browser).await;

        browser.open(&pages.url("/profile")).await;
        main.press("Log in with demo").await;
        consent(browser).await;
        main.find(Role::Heading, "Your second factor").await;
        main.fill("Six-digit code of your app", &app.wrong_code()).await;
        main.press("Log in").await;
        main.shows("The code is wrong or was used before.").await;
        main.fill("Six-digit code of your app", &app.next_code()).await;
        main.press("Log in").await;
        main.find(Role::Heading, "Profile").await;
        assert_eq!(browser.cookies("").await.len(), 1);
    })
    .await;
}
