//! The second factor: setting it up with the QR code on the screen, logging in with it, recovery codes, and switching it off.

use super::{Credential, Spa, confirm_password};
use crate::browser::{self, Browser, Role};
use crate::hosts::{Authenticator, PASSWORD, recovery_codes};
use fantoccini::key::Key;

#[tokio::test]
async fn a_user_sets_up_a_second_factor_and_logs_in_with_it() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start();
            spa.open(browser, credential).await;
            spa.register(browser, "Ada").await;
            let app = set_up(browser).await;
            let main = browser.page().main();
            let codes = recovery_codes(&main.text().await);
            assert_eq!(codes.len(), 8);
            main.press("Copy").await;
            main.shows("The codes are in the clipboard.").await;
            assert_eq!(browser.clipboard().await.lines().collect::<Vec<_>>(), codes);
            spa.log_out(browser).await;

            spa.send_login(browser, "Ada", PASSWORD).await;
            main.find(Role::Heading, "Second factor").await;
            main.fill("Code of your authenticator app", &app.wrong_code()).await;
            main.press("Log in").await;
            main.shows("The code is wrong or was used before.").await;
            main.fill("Code of your authenticator app", &app.next_code()).await;
            main.press("Log in").await;
            main.find(Role::Heading, "Notes").await;
            spa.log_out(browser).await;

            spa.send_login(browser, "Ada", PASSWORD).await;
            main.press("Use a recovery code instead").await;
            main.fill("Recovery code", &codes[0]).await;
            browser.press_key(Key::Enter).await;
            main.find(Role::Heading, "Notes").await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_device_is_trusted_until_the_user_forgets_it() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start();
            spa.open(browser, credential).await;
            spa.register(browser, "Ada").await;
            let app = set_up(browser).await;
            let main = browser.page().main();
            spa.log_out(browser).await;
            spa.send_login(browser, "Ada", PASSWORD).await;
            main.fill("Code of your authenticator app", &app.next_code()).await;
            main.tick("Do not ask on this device for 30 days").await;
            main.press("Log in").await;
            main.find(Role::Heading, "Notes").await;
            spa.log_out(browser).await;

            spa.log_in(browser, "Ada").await;
            browser.page().follow("Sessions").await;
            main.press("Forget the device: This device").await;
            confirm_password(browser).await;
            main.hides("Trusted devices").await;
            spa.log_out(browser).await;
            spa.send_login(browser, "Ada", PASSWORD).await;
            main.find(Role::Heading, "Second factor").await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_user_replaces_the_recovery_codes_and_switches_the_second_factor_off() {
    browser::run(async |browser: &mut Browser| {
        let spa = Spa::start();
        spa.open(browser, Credential::Cookie).await;
        spa.register(browser, "Ada").await;
        set_up(browser).await;
        let main = browser.page().main();
        let old = recovery_codes(&main.text().await);
        main.press("Make new ones").await;
        main.hides(&old[0]).await;
        assert_eq!(recovery_codes(&main.text().await).len(), 8);
        main.press("Switch it off").await;
        main.shows("Two-factor authentication is disabled.").await;
        spa.log_out(browser).await;
        spa.log_in(browser, "Ada").await;
    })
    .await;
}

/// Sets up an app. The module asks for the password first.
pub(super) async fn set_up(browser: &Browser) -> Authenticator {
    browser.page().follow("Two-factor").await;
    browser.page().main().press("Set it up").await;
    confirm_password(browser).await;
    scan_and_confirm(browser).await
}

/// Sets up an app with the QR code that is on the screen.
pub(super) async fn scan_and_confirm(browser: &Browser) -> Authenticator {
    let main = browser.page().main();
    let app =
        Authenticator::scan(browser, &main.find(Role::Image, "QR code for an authenticator app").await).await;
    main.shows(app.secret()).await;
    main.fill("The code that the app shows now", &app.code()).await;
    main.press("Confirm").await;
    main.shows("Two-factor authentication is on. Keep the recovery codes.").await;
    app
}
