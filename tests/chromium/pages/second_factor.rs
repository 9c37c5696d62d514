//! The second factor: setting it up with the QR code on the screen, logging in with it, recovery codes, and switching it off.

use super::{Pages, without_scripts};
use crate::browser::{Browser, Role};
use crate::hosts::{Authenticator, PASSWORD, recovery_codes};

#[tokio::test]
async fn a_user_sets_up_a_second_factor_and_logs_in_with_it() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        let app = set_up(&pages, browser).await;
        pages.log_out(browser).await;

        browser.open(&pages.url("/login")).await;
        pages.send_login(browser, "Ada", PASSWORD).await;
        let main = browser.page().main();
        main.find(Role::Heading, "Your second factor").await;
        main.fill("Six-digit code of your app", &app.wrong_code()).await;
        main.press("Log in").await;
        main.shows("The code is wrong or was used before.").await;
        main.fill("Six-digit code of your app", &app.next_code()).await;
        main.press("Log in").await;
        main.shows("Hello, Ada!").await;
    })
    .await;
}

#[tokio::test]
async fn a_recovery_code_replaces_the_app_once() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        set_up(&pages, browser).await;
        let main = browser.page().main();
        let old = recovery_codes(&main.text().await);
        main.press("Replace all codes").await;
        main.shows("These are your new recovery codes.").await;
        let codes = recovery_codes(&main.text().await);
        assert_eq!((old.len(), codes.len()), (8, 8));
        pages.log_out(browser).await;

        let log_in_with = async |code: &str| {
            browser.open(&pages.url("/login")).await;
            pages.send_login(browser, "Ada", PASSWORD).await;
            main.click(Role::Button, "Use a recovery code").await;
            main.fill("Recovery code", code).await;
            main.press("Log in with a recovery code").await;
        };
        log_in_with(&old[0]).await;
        main.shows("The code is wrong or was used before.").await;
        log_in_with(&codes[0]).await;
        main.shows("Hello, Ada!").await;
        pages.log_out(browser).await;
        log_in_with(&codes[0]).await;
        main.shows("The code is wrong or was used before.").await;
    })
    .await;
}

#[tokio::test]
async fn a_user_switches_the_second_factor_off() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start();
        pages.register(browser, "Ada").await;
        set_up(&pages, browser).await;
        browser.page().follow("Two-factor").await;
        browser.page().main().press("Switch it off").await;
        browser.page().main().shows("Two-factor authentication is off.").await;
        pages.log_out(browser).await;
        pages.log_in(browser, "Ada").await;
    })
    .await;
}

/// Sets up an app with the QR code. The site asks for the password first.
pub(super) async fn set_up(pages: &Pages, browser: &Browser) -> Authenticator {
    pages.follow_and_confirm(browser, "Two-factor").await;
    browser.page().main().press("Set it up").await;
    scan_and_confirm(browser).await
}

/// Sets up an app with the QR code that is on the screen.
pub(super) async fn scan_and_confirm(browser: &Browser) -> Authenticator {
    let main = browser.page().main();
    let app = Authenticator::scan(browser, &main.find(Role::Image, "QR code with the key below").await).await;
    main.shows(app.secret()).await;
    main.fill("Six-digit code of your app", &app.code()).await;
    main.press("Switch it on").await;
    main.shows("Two-factor authentication is on. Keep these recovery codes").await;
    app
}
