//! Changes of the address, and the links with which the owner of an account takes it back or locks it down.

use super::second_factor::set_up;
use super::{Pages, confirm_password, email, without_scripts};
use crate::browser::{Browser, Role};
use crate::hosts::PASSWORD;

const STOLEN: &str = "a stolen horse battery";

pub(super) const CONFIRM: &str = "email-change; kind=Confirm";
pub(super) const CHANGED: &str = "email-change; kind=Changed";
pub(super) const PASSWORD_CHANGED: &str = "security-notice; kind=PasswordChanged";
const LOCKED_DOWN: &str = "password-reset; kind=LockedDown";

/// Asks for the address `<name>@example.com` from the profile page, where the password is confirmed on the way.
async fn ask(browser: &Browser, name: &str) {
    browser.page().follow("Profile").await;
    browser.page().main().follow("Change it").await;
    confirm_password(browser).await;
    send_request(browser, name).await;
}

/// Fills in the form for another address.
pub(super) async fn send_request(browser: &Browser, name: &str) {
    let main = browser.page().main();
    main.fill("New e-mail address", &email(name)).await;
    main.press("Send the link").await;
    main.shows("A mail to the new address has a link.").await;
}

/// Changes the password on the page for it.
pub(super) async fn change_password(browser: &Browser, current: &str, new: &str) {
    browser.page().follow("Password").await;
    let main = browser.page().main();
    main.fill("Current password", current).await;
    main.fill("New password", new).await;
    main.fill("The new password again", new).await;
    main.press("Change the password").await;
    main.shows("Your password has changed").await;
}

/// Sets a password with the link in the mail after a lock down, and logs in with it.
async fn recover(pages: &Pages, browser: &Browser) {
    pages.follow_mail(browser, &email("Ada"), LOCKED_DOWN).await;
    let main = browser.page().main();
    main.find(Role::Heading, "A new password").await;
    main.fill("New password", PASSWORD).await;
    main.fill("The same password again", PASSWORD).await;
    main.press("Set the password").await;
    main.shows("Log in with the new one.").await;
    pages.log_in(browser, "Ada").await;
}

#[tokio::test]
async fn a_user_changes_the_address() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        ask(browser, "Countess").await;
        let main = browser.page().main();
        main.shows("You have asked for countess@example.com.").await;

        // The link leads from another site, and the user stays logged in.
        pages.follow_mail(browser, &email("Countess"), CONFIRM).await;
        main.shows("It changes to countess@example.com").await;
        main.press("Change my address").await;
        main.shows("Your e-mail address has changed").await;
        main.shows("Your e-mail address is countess@example.com.").await;
        pages.log_out(browser).await;
        browser.open(&pages.url("/login")).await;
        pages.send_login(browser, "Countess", PASSWORD).await;
        main.shows("Hello, Ada!").await;
    })
    .await;
}

#[tokio::test]
async fn a_change_is_cancelled() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        ask(browser, "Countess").await;
        let main = browser.page().main();
        main.press("Cancel the change").await;
        main.shows("Your e-mail address stays as it is.").await;
        pages.follow_mail(browser, &email("Countess"), CONFIRM).await;
        main.press("Change my address").await;
        main.shows("This link is not valid any more.").await;
    })
    .await;
}

/// A thief has a session of the user and knows the password.
#[tokio::test]
async fn the_previous_address_takes_the_account_back() {
    without_scripts(async |thief: &mut Browser| {
        without_scripts(async |owner: &mut Browser| {
            let pages = Pages::start();
            pages.register(thief, "Ada").await;
            pages.verify(thief, "Ada").await;
            ask(thief, "Thief").await;
            pages.follow_mail(thief, &email("Thief"), CONFIRM).await;
            thief.page().main().press("Change my address").await;
            thief.page().main().shows("Your e-mail address has changed").await;

            // The owner is not logged in.
            pages.follow_mail(owner, &email("Ada"), CHANGED).await;
            let main = owner.page().main();
            main.find(Role::Heading, "Take your account back").await;
            main.press("Take my account back").await;
            main.find(Role::Heading, "Your account is yours again").await;
            main.follow("log in").await;
            main.find(Role::Heading, "Log in").await;

            thief.open(&pages.url("/profile")).await;
            thief.page().main().find(Role::Heading, "Log in").await;
            pages.send_login(thief, "Thief", PASSWORD).await;
            thief.page().main().shows("The e-mail address or the password is wrong.").await;
            recover(&pages, owner).await;
        })
        .await;
    })
    .await;
}

/// Here the link of the notice is opened where the account is logged in.
#[tokio::test]
async fn a_notice_of_another_password_locks_the_account_down() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        pages.verify(browser, "Ada").await;
        change_password(browser, PASSWORD, STOLEN).await;

        pages.follow_mail(browser, &email("Ada"), PASSWORD_CHANGED).await;
        let main = browser.page().main();
        main.find(Role::Heading, "Lock your account down").await;
        main.press("Lock my account down").await;
        main.find(Role::Heading, "Your account is locked down").await;
        // The browser still has the cookie of the session, which has ended.
        main.follow("log in").await;
        main.find(Role::Heading, "Log in").await;
        pages.send_login(browser, "Ada", STOLEN).await;
        main.shows("The e-mail address or the password is wrong.").await;
        recover(&pages, browser).await;
    })
    .await;
}

#[tokio::test]
async fn the_token_survives_a_login_with_a_second_factor() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        let app = set_up(&pages, browser).await;
        // The password was confirmed for the second factor.
        browser.page().follow("Profile").await;
        browser.page().main().follow("Change it").await;
        send_request(browser, "Countess").await;
        pages.log_out(browser).await;

        pages.follow_mail(browser, &email("Countess"), CONFIRM).await;
        let main = browser.page().main();
        main.find(Role::Heading, "Log in").await;
        pages.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Your second factor").await;
        main.fill("Six-digit code of your app", &app.next_code()).await;
        main.press("Log in").await;
        main.shows("It changes to countess@example.com").await;
        main.press("Change my address").await;
        main.shows("Your e-mail address is countess@example.com.").await;
    })
    .await;
}
