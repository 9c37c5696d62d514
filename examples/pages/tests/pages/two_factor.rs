//! Two-factor authentication, and the confirmation of the password before it.

use crate::authenticator::{code, wrong_code};
use crate::browser::{Browser, PASSWORD};
use crate::html::tags;
use crate::site::Site;

/// Sets up two-factor authentication, and returns the key of the app. The recovery codes are shown.
async fn set_up(browser: &mut Browser<'_>) -> String {
    browser.open("/two-factor").await;
    assert_eq!(browser.page.address, "/confirm?next=%2Ftwo%2Dfactor");
    browser.confirm_password().await;
    assert_eq!(browser.page.text("two-factor-state"), "Two-factor authentication is off.");
    browser.send("enable", &[]).await;
    let key = browser.page.text("secret-key");
    let image = browser.page.element("qr-code").unwrap();
    assert!(image.attribute("src").unwrap().starts_with("data:image/svg+xml;base64,"));
    browser.send("confirm", &[("code", &code(&key, 0))]).await;
    assert_eq!(browser.page.address, "/recovery-codes?notice=two-factor-on");
    key
}

fn recovery_codes(browser: &Browser<'_>) -> Vec<String> {
    let list = browser.page.element("recovery-codes-list").unwrap();
    tags(list.inner()).iter().filter(|tag| tag.name == "code").map(super::html::Tag::text).collect()
}

#[tokio::test]
async fn a_login_needs_a_code_of_the_app_or_a_recovery_code() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    let key = set_up(&mut browser).await;
    let codes = recovery_codes(&browser);
    assert_eq!(codes.len(), 8);

    let mut phone = Browser::new(&site);
    phone.open("/profile").await;
    let entered = [("email", "ada@example.com"), ("password", PASSWORD), ("remember", "yes")];
    phone.send("login", &entered).await;
    assert_eq!(phone.page.address, "/two-factor-challenge?next=%2Fprofile");
    phone.send("challenge", &[("code", &wrong_code(&key))]).await;
    assert_eq!(phone.page.text("challenge-code-error"), "The code is wrong or was used before.");
    assert!(phone.page.element("recovery").unwrap().attribute("open").is_none());
    phone.send("challenge", &[("code", &code(&key, 1))]).await;
    assert_eq!(phone.page.address, "/profile");
    phone.close();
    phone.open("/profile").await;
    assert_eq!(phone.page.address, "/profile", "the choice to be remembered is kept in the second step");

    let mut tablet = Browser::new(&site);
    tablet.log_in("ada@example.com", PASSWORD).await;
    tablet.send("recovery", &[("recoveryCode", "wrong")]).await;
    assert_eq!(tablet.page.text("recovery-recoveryCode-error"), "The code is wrong or was used before.");
    assert!(tablet.page.element("recovery").unwrap().attribute("open").is_some());
    tablet.send("recovery", &[("recoveryCode", &codes[0])]).await;
    assert_eq!(tablet.page.text("greeting"), "Hello, Ada!");
}

#[tokio::test]
async fn recovery_codes_are_replaced_and_two_factor_is_switched_off() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    browser.open("/two-factor").await;
    browser.confirm_password().await;
    browser.send("enable", &[]).await;
    let key = browser.page.text("secret-key");
    browser.send("confirm", &[("code", &wrong_code(&key))]).await;
    assert_eq!(browser.page.text("confirm-code-error"), "The code is wrong or was used before.");
    assert!(browser.page.element("qr-code").is_some());
    browser.send("cancel", &[]).await;
    assert_eq!(browser.page.text("notice"), "Two-factor authentication is off.");
    browser.open("/recovery-codes").await;
    assert_eq!(browser.page.address, "/two-factor", "there are none");

    browser.send("enable", &[]).await;
    let key = browser.page.text("secret-key");
    browser.send("confirm", &[("code", &code(&key, 0))]).await;
    let codes = recovery_codes(&browser);
    browser.send("recovery-codes", &[]).await;
    assert_eq!(browser.page.address, "/recovery-codes?notice=recovery-codes-replaced");
    assert!(recovery_codes(&browser).iter().all(|code| !codes.contains(code)));
    browser.open("/two-factor").await;
    assert_eq!(browser.page.text("two-factor-state"), "Two-factor authentication is on.");
    browser.send("disable", &[]).await;
    assert_eq!(browser.page.text("two-factor-state"), "Two-factor authentication is off.");
    let mut phone = Browser::new(&site);
    phone.log_in("ada@example.com", PASSWORD).await;
    assert_eq!(phone.page.text("greeting"), "Hello, Ada!");
}

#[tokio::test]
async fn a_second_step_without_a_first_one_leads_to_the_login_page() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/two-factor-challenge?next=%2Fprofile").await;
    assert_eq!(browser.page.text_of("h1"), "Log in");
    assert!(browser.page.text("notice").starts_with("Please log in again"), "{}", browser.page.html);
}

#[tokio::test]
async fn a_wrong_password_does_not_confirm() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    browser.open("/recovery-codes").await;
    browser.send("confirm-password", &[("currentPassword", "wrong")]).await;
    assert_eq!(browser.page.text("confirm-password-currentPassword-error"), "The password is wrong.");
    browser.open("/two-factor").await;
    browser.confirm_password().await;
    assert_eq!(browser.page.address, "/two-factor?notice=confirmed");
}
