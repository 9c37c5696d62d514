//! Registration, login, logout, profile and password.

use super::{Credential, Spa, confirm_password, email};
use crate::browser::{self, Browser, Role};
use crate::hosts::{PASSWORD, consent};

const REMEMBER: &str = "Stay logged in on this device";
const NEW: &str = "a better horse battery";

#[tokio::test]
async fn a_guest_registers_and_logs_out_and_in() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start();
            spa.open(browser, credential).await;
            spa.register(browser, "Ada").await;
            browser.reload().await;
            browser.page().shows("Ada").await;
            spa.log_out(browser).await;
            spa.send_login(browser, "Ada", "not the password").await;
            browser.page().main().shows("The e-mail address or the password is wrong.").await;
            spa.log_in(browser, "Ada").await;
        })
        .await;
    }
}

/// The first sign-in makes an account, and the second one logs in to that account.
#[tokio::test]
async fn a_guest_registers_and_logs_in_with_a_provider() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start_with_provider().await;
            spa.open(browser, credential).await;
            let main = browser.page().main();
            spa.visit_provider(browser).await;
            consent(browser).await;
            main.find(Role::Heading, "Notes").await;
            assert_eq!(browser.address().await, spa.url("/notes"));
            spa.log_out(browser).await;
            spa.visit_provider(browser).await;
            main.fill("Name", "Countess").await;
            consent(browser).await;
            main.find(Role::Heading, "Notes").await;
            browser.page().shows("Ada Lovelace").await;
            assert_eq!(browser.cookies("").await.len(), usize::from(credential == Credential::Cookie));
        })
        .await;
    }
}

#[tokio::test]
async fn a_user_is_remembered_on_request() {
    browser::run(async |browser: &mut Browser| {
        let spa = Spa::start();
        spa.open(browser, Credential::Cookie).await;
        spa.register(browser, "Ada").await;
        browser.restart().await;
        browser.open(&spa.url("/profile")).await;
        let main = browser.page().main();
        main.find(Role::Heading, "Log in").await;
        main.tick(REMEMBER).await;
        spa.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Profile").await;
        browser.restart().await;
        browser.open(&spa.url("/profile")).await;
        let main = browser.page().main();
        main.find(Role::Heading, "Profile").await;
        assert_eq!(main.value("Name").await, "Ada");
    })
    .await;
}

#[tokio::test]
async fn a_user_changes_name_address_and_password() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start();
            spa.open(browser, credential).await;
            spa.register(browser, "Ada").await;
            browser.page().follow("Profile").await;
            let main = browser.page().main();
            main.fill("Name", "Countess").await;
            main.fill("E-mail address", &email("Countess")).await;
            main.press("Save").await;
            main.shows("The profile has been updated.").await;

            browser.page().follow("Password").await;
            main.fill("Current password", PASSWORD).await;
            main.fill("New password", NEW).await;
            main.fill("The same password again", NEW).await;
            main.press("Change the password").await;
            main.shows("The password has been changed.").await;
            // The session goes on.
            browser.reload().await;
            main.find(Role::Heading, "Password").await;
            spa.log_out(browser).await;
            spa.send_login(browser, "Countess", NEW).await;
            browser.page().shows("Countess").await;
        })
        .await;
    }
}

/// The deletion asks for the password, and a login for whether the account is to stay.
#[tokio::test]
async fn a_user_deletes_the_account_and_keeps_it_after_all() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start();
            spa.open(browser, credential).await;
            spa.register(browser, "Ada").await;
            let main = browser.page().main();
            browser.page().follow("Profile").await;
            main.press("Delete my account").await;
            confirm_password(browser).await;
            main.shows("Your account will be deleted. The mail says when. If you want to keep it, log in.")
                .await;
            spa.send_login(browser, "Ada", PASSWORD).await;
            main.find(Role::Heading, "Keep your account?").await;
            main.press("Keep my account").await;
            main.find(Role::Heading, "Notes").await;
            spa.log_out(browser).await;
            spa.log_in(browser, "Ada").await;
        })
        .await;
    }
}
