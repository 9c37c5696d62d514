//! Registration, login, logout, profile and password.

use super::{ACCOUNT, Pages, email, without_scripts};
use crate::browser::{Browser, Role};
use crate::hosts::{PASSWORD, consent};

const REMEMBER: &str = "Stay logged in on this device";
const NEW: &str = "a better horse battery";

#[tokio::test]
async fn a_guest_registers_and_logs_out_and_in() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        browser.open(&pages.url("/")).await;
        browser.page().main().shows("Hello, stranger!").await;
        pages.register(browser, "Ada").await;
        pages.log_out(browser).await;
        pages.log_in(browser, "Ada").await;
    })
    .await;
}

/// The first sign-in makes an account, and the second one logs in to that account.
#[tokio::test]
async fn a_guest_registers_and_logs_in_with_a_provider() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start_with_provider().await;
        let main = browser.page().main();
        pages.visit_provider(browser).await;
        consent(browser).await;
        main.shows("Hello, Ada Lovelace!").await;
        pages.log_out(browser).await;
        browser.open(&pages.url("/profile")).await;
        main.press("Log in with demo").await;
        main.fill("Name", "Countess").await;
        consent(browser).await;
        // The login page leads back to the wanted page.
        main.find(Role::Heading, "Profile").await;
        assert_eq!(main.value("Name").await, "Ada Lovelace");
        assert_eq!(browser.cookies("").await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_user_is_remembered_on_request() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        browser.restart().await;
        browser.open(&pages.url("/profile")).await;
        browser.page().main().tick(REMEMBER).await;
        pages.send_login(browser, "Ada", PASSWORD).await;
        // The login page leads back to the wanted page.
        browser.page().main().find(Role::Heading, "Profile").await;
        browser.restart().await;
        browser.open(&pages.url("/")).await;
        browser.page().main().shows("Hello, Ada!").await;
    })
    .await;
}

#[tokio::test]
async fn errors_are_shown_at_their_fields() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        pages.log_out(browser).await;
        browser.open(&pages.url("/login")).await;
        pages.send_login(browser, "Ada", "not the password").await;
        let main = browser.page().main();
        main.shows("The e-mail address or the password is wrong.").await;
        assert_eq!(main.value(ACCOUNT).await, email("Ada"), "what was entered stays");
        assert_eq!(main.value("Password").await, "", "except the password");

        browser.open(&pages.url("/register")).await;
        main.fill("Name", "Bob").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.fill("Password", PASSWORD).await;
        main.fill("The same password again", "something else").await;
        main.press("Register").await;
        let field = main.find(Role::Field, "The same password again").await;
        assert_eq!(field.attr("aria-invalid").await.unwrap().as_deref(), Some("true"));
    })
    .await;
}

#[tokio::test]
async fn a_user_changes_the_name() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        browser.page().follow("Profile").await;
        let main = browser.page().main();
        main.fill("Name", "Countess").await;
        main.press("Save").await;
        main.shows("Your profile is saved.").await;
        browser.open(&pages.url("/")).await;
        main.shows("Hello, Countess!").await;
    })
    .await;
}

#[tokio::test]
async fn a_user_changes_the_password() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        browser.page().follow("Password").await;
        let main = browser.page().main();
        let change = async |current: &str| {
            main.fill("Current password", current).await;
            main.fill("New password", NEW).await;
            main.fill("The new password again", NEW).await;
            main.press("Change the password").await;
        };
        change("not the password").await;
        main.shows("The password is wrong.").await;
        change(PASSWORD).await;
        main.shows("Your password has changed").await;
        pages.log_out(browser).await;
        browser.open(&pages.url("/login")).await;
        pages.send_login(browser, "Ada", NEW).await;
        main.shows("Hello, Ada!").await;
    })
    .await;
}
