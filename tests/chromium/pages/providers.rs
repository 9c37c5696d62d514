//! A provider, which is another site, and everything on the way there and back without a script.

use super::second_factor::scan_and_confirm;
use super::{Pages, confirm_password, without_scripts};
use crate::browser::{self, Browser, Role};
use crate::cookies::FLOW;
use crate::hosts::{PASSWORD, callback, consent, consent_as};

const REFUSED: &str = "The provider has not confirmed who you are, or you have cancelled.";
const OVER: &str = "That took too long, or began in another browser.";

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

#[tokio::test]
async fn who_cancels_is_told_so_and_who_has_no_name_is_asked_for_one() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start_with_provider().await;
        let main = browser.page().main();
        pages.visit_provider(browser).await;
        main.press("Cancel").await;
        main.shows(REFUSED).await;
        assert!(browser.cookies("").await.is_empty());

        pages.visit_provider(browser).await;
        consent_as(browser, "ada", "").await;
        main.find(Role::Heading, "Your new account").await;
        main.shows("demo says that ada@example.com is yours.").await;
        main.fill("Name", "Ada").await;
        main.press("Create the account").await;
        main.shows("Welcome! Your account is ready. You log in with the provider").await;
        browser.page().follow("Providers").await;
        main.press("Link demo").await;
        main.press("Cancel").await;
        main.shows(REFUSED).await;
        main.find(Role::Heading, "Providers").await;
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

#[tokio::test]
async fn two_tabs_log_in_at_once_and_going_back_does_no_harm() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start_with_provider().await;
        let main = browser.page().main();
        pages.visit_provider(browser).await;
        let first = browser.tab().await;
        browser.new_tab(&pages.url("/")).await;
        pages.visit_provider(browser).await;
        assert_eq!(browser.cookies(FLOW).await.len(), 2);
        consent(browser).await;
        main.shows("Hello, Ada Lovelace!").await;
        browser.switch_to(&first).await;
        consent(browser).await;
        main.shows("Hello, Ada Lovelace!").await;
        assert_eq!(browser.cookies("").await.len(), 1);

        browser.back().await;
        consent(browser).await;
        main.shows("Hello, Ada Lovelace!").await;
        browser.page().follow("Sessions").await;
        main.shows("This session").await;
    })
    .await;
}

#[tokio::test]
async fn a_callback_is_of_no_use_to_another_browser() {
    without_scripts(async |browser: &mut Browser| {
        browser::run(async |other: &mut Browser| {
            let pages = Pages::start_with_provider().await;
            pages.visit_provider(browser).await;
            let callback = callback(browser).await;
            other.open(&callback).await;
            other.page().main().shows(OVER).await;
            assert_eq!(other.address().await, pages.url("/login?error=invalid_flow_token"));
            assert!(other.cookies("").await.is_empty());
            browser.open(&callback).await;
            browser.page().main().shows("Hello, Ada Lovelace!").await;
        })
        .await;
    })
    .await;
}
