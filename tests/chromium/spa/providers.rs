//! A provider, which is another site, on both routers. With tokens it leads back to the application, with cookies to the module.

use super::second_factor::scan_and_confirm;
use super::{Credential, OUTBOX, Spa, confirm_password};
use crate::browser::{self, Browser, Role};
use crate::hosts::{PASSWORD, callback, consent, consent_as};

const REFUSED: &str = "The provider has not confirmed who you are, or you have cancelled.";
const OVER: &str = "That took too long, or began in another browser.";
const UNLINK: &str = "Unlink demo, ada@example.com";

#[tokio::test]
async fn an_account_with_the_address_is_linked_after_a_login_and_unlinked() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start_with_provider().await;
            spa.open(browser, credential).await;
            spa.register(browser, "Ada").await;
            let (page, main) = (browser.page(), browser.page().main());
            page.follow("Profile").await;
            main.press("Send a mail with a link").await;
            spa.0.follow_mail(browser, OUTBOX, 1).await;
            main.shows("The e-mail address is verified.").await;
            spa.log_out(browser).await;
            spa.visit_provider(browser).await;
            consent(browser).await;
            main.shows("There is an account with your address. Log in to it as always.").await;
            spa.send_login(browser, "Ada", PASSWORD).await;
            main.find(Role::Heading, "Link your account").await;
            main.shows(
                "Somebody has logged in with demo in this browser, whose address there is ada@example.com",
            )
            .await;
            main.press("Link it").await;
            confirm_password(browser).await;
            main.shows("You can log in with it now.").await;
            main.find(Role::Button, UNLINK).await;
            spa.log_out(browser).await;

            spa.visit_provider(browser).await;
            consent(browser).await;
            page.follow("Providers").await;
            main.press(UNLINK).await;
            main.shows("You have linked none yet.").await;
            main.press("Link demo").await;
            consent(browser).await;
            main.find(Role::Button, UNLINK).await;
            assert_eq!(browser.address().await, spa.url("/providers"));
        })
        .await;
    }
}

#[tokio::test]
async fn who_cancels_is_told_so_and_who_has_no_name_is_asked_for_one() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start_with_provider().await;
            spa.open(browser, credential).await;
            let main = browser.page().main();
            spa.visit_provider(browser).await;
            main.press("Cancel").await;
            main.shows(REFUSED).await;
            assert!(browser.cookies("").await.is_empty());
            spa.visit_provider(browser).await;
            consent_as(browser, "ada", "").await;
            main.find(Role::Heading, "Your new account").await;
            if credential == Credential::Cookie {
                browser.reload().await;
            }
            main.shows("An account for ada@example.com needs a name, and no password.").await;
            main.fill("Name", "Ada").await;
            main.press("Create the account").await;
            main.find(Role::Heading, "Notes").await;
            browser.reload().await;
            browser.page().shows("Ada").await;
            assert_eq!(browser.cookies("").await.len(), usize::from(credential == Credential::Cookie));
        })
        .await;
    }
}

#[tokio::test]
async fn the_second_factor_is_asked_for_after_the_return() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start_with_provider().await;
            spa.open(browser, credential).await;
            let main = browser.page().main();
            spa.visit_provider(browser).await;
            consent(browser).await;
            browser.page().follow("Two-factor").await;
            main.press("Set it up").await;
            let app = scan_and_confirm(browser).await;
            spa.log_out(browser).await;

            spa.visit_provider(browser).await;
            consent(browser).await;
            main.find(Role::Heading, "Second factor").await;
            main.fill("Code of your authenticator app", &app.next_code()).await;
            main.press("Log in").await;
            main.find(Role::Heading, "Notes").await;
        })
        .await;
    }
}

/// A reload at the provider and one after the return change nothing, and the page of the provider can be left only once.
#[tokio::test]
async fn a_reload_and_the_back_button_do_no_harm() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start_with_provider().await;
            spa.open(browser, credential).await;
            let main = browser.page().main();
            spa.visit_provider(browser).await;
            browser.reload().await;
            consent(browser).await;
            main.find(Role::Heading, "Notes").await;
            browser.reload().await;
            browser.page().shows("Ada Lovelace").await;
            browser.back().await;
            consent(browser).await;
            main.shows(OVER).await;
            browser.page().shows("Ada Lovelace").await;
        })
        .await;
    }
}

/// The tab that began first comes back last.
#[tokio::test]
async fn two_tabs_log_in_at_once() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start_with_provider().await;
            spa.open(browser, credential).await;
            spa.visit_provider(browser).await;
            let first = browser.tab().await;
            let second = browser.new_tab(&spa.url("/login")).await;
            spa.visit_provider(browser).await;
            consent_as(browser, "grace", "Grace").await;
            browser.page().shows("Grace").await;
            browser.switch_to(&first).await;
            consent(browser).await;
            browser.page().shows("Ada Lovelace").await;
            browser.switch_to(&second).await;
            // No script of the first tab knows when a cookie was replaced.
            if credential == Credential::Cookie {
                browser.reload().await;
            }
            browser.page().shows("Ada Lovelace").await;
            assert_eq!(browser.cookies("").await.len(), usize::from(credential == Credential::Cookie));
        })
        .await;
    }
}

#[tokio::test]
async fn a_callback_is_of_no_use_to_another_browser() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            browser::run(async |other: &mut Browser| {
                let spa = Spa::start_with_provider().await;
                spa.open(browser, credential).await;
                spa.visit_provider(browser).await;
                let callback = callback(browser).await;
                spa.open(other, credential).await;
                other.open(&callback).await;
                other.page().main().shows(OVER).await;
                other.page().main().find(Role::Heading, "Log in").await;
                browser.open(&callback).await;
                browser.page().shows("Ada Lovelace").await;
            })
            .await;
        })
        .await;
    }
}
