//! Trusted devices: a login there asks for no second factor, until they are forgotten.

use super::passkeys::with_passkey;
use super::second_factor::set_up;
use super::{Quickstart, confirm_password, passkeys};
use crate::browser::{self, Browser, Role};
use crate::gallery::Gallery;
use crate::hosts::PASSWORD;

/// The name of the checkbox beside the code.
const TRUST: &str = "Trust this device for 30 days: no code is asked for here";

/// What the browser keeps of a trusted device.
const COOKIE: &str = "__Host-Http-auth-device";

#[tokio::test]
async fn a_trusted_device_asks_for_no_code_until_it_is_forgotten() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        let app = set_up(browser).await;
        quickstart.log_out(browser).await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        let main = browser.page().main();
        main.find(Role::Heading, "Your second factor").await;
        main.fill("Code of your authenticator app", &app.next_code()).await;
        main.tick(TRUST).await;
        main.press("Continue").await;
        main.shows("You are logged in.").await;

        quickstart.log_out(browser).await;
        quickstart.log_in(browser, "Ada").await;
        browser.page().follow("Sessions").await;
        main.shows("password and trusted device").await;
        browser.page().follow("Trusted devices").await;
        main.shows("This device").await;
        Gallery::new(browser, "quickstart/trusted-devices").take("trusted-devices").await;
        assert_eq!(browser.cookies(COOKIE).await.len(), 1);
        main.press("Forget: Chrome on Linux").await;
        confirm_password(browser).await;
        main.shows("The device is no longer trusted.").await;
        main.shows("You trust no device.").await;
        assert!(browser.cookies(COOKIE).await.is_empty(), "the cookie has expired");

        quickstart.log_out(browser).await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Your second factor").await;
        main.find(Role::Checkbox, TRUST).await;
        // A recovery code makes no device trusted.
        main.press("Use a recovery code").await;
        main.find(Role::Field, "Recovery code").await;
        main.hides("Trust this device").await;
    })
    .await;
}

#[tokio::test]
async fn a_passkey_makes_a_device_trusted_and_all_devices_are_forgotten() {
    browser::run(async |browser: &mut Browser| {
        let (quickstart, key) = with_passkey(browser).await;
        passkeys::set_up(browser).await;
        browser.is_touched(&key, false).await;
        quickstart.log_out(browser).await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        let main = browser.page().main();
        main.tick(TRUST).await;
        browser.recognizes_its_user(&key, false).await;
        browser.is_touched(&key, true).await;
        main.press("Use a passkey").await;
        main.shows("You are logged in.").await;

        browser.page().follow("Trusted devices").await;
        main.shows("This device").await;
        main.press("Forget all").await;
        let question = browser.page().within(Role::Dialog, "Forget all devices?");
        question.press("Cancel").await;
        main.shows("Nothing was changed.").await;
        main.press("Forget all").await;
        question.press("Forget all").await;
        confirm_password(browser).await;
        main.shows("No device is trusted any more.").await;
        main.shows("You trust no device.").await;
    })
    .await;
}
