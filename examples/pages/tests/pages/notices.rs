//! Security notices, and what their links do.

use crate::authenticator::code;
use crate::browser::{Browser, PASSWORD};
use crate::site::Site;

const ADA: &str = "ada@example.com";
const STOLEN: &str = "battery staple";

const PASSWORD_CHANGED: &str = "security-notice; kind=PasswordChanged";

/// A user whose password somebody has changed in that user's session.
async fn robbed(site: &Site) -> Browser<'_> {
    let mut browser = Browser::new(site);
    browser.register(ADA).await;
    browser.verify_email().await;
    browser.open("/password").await;
    let entered = [("currentPassword", PASSWORD), ("password", STOLEN), ("passwordConfirmation", STOLEN)];
    browser.send("password", &entered).await;
    browser
}

#[tokio::test]
async fn the_link_in_a_notice_locks_the_account_down() {
    let site = Site::start();
    let mut thief = robbed(&site).await;
    let mail = site.mail(PASSWORD_CHANGED, 1).await;
    assert!(mail.contains("To: ada@example.com"), "{mail}");
    let link = site.link(PASSWORD_CHANGED, 1).await;
    assert!(link.starts_with("/secure?token="), "{link}");

    // The owner is not logged in, and the link alone changes nothing.
    let mut owner = Browser::new(&site);
    owner.open(&link).await;
    assert_eq!(owner.page.text_of("h1"), "Lock your account down");
    assert_eq!(owner.page.headers["referrer-policy"], "same-origin");
    assert_eq!(owner.page.headers["cache-control"], "no-store");
    thief.open("/").await;
    assert_eq!(thief.page.text("greeting"), "Hello, Ada!");
    owner.send("secure", &[]).await;
    assert_eq!((owner.page.status, owner.page.text_of("h1")), (200, "Your account is locked down".into()));
    assert_eq!(owner.page.address, "/secure", "the token is not in the address any more");
    assert!(owner.page.element("login-link").is_some());

    thief.open("/profile").await;
    assert_eq!(thief.page.address, "/login?next=%2Fprofile");
    thief.log_in(ADA, STOLEN).await;
    assert_eq!(thief.page.text("login-errors"), "The e-mail address or the password is wrong.");

    owner.open(&site.link("password-reset; kind=LockedDown", 1).await).await;
    let new = [("password", PASSWORD), ("passwordConfirmation", PASSWORD)];
    owner.send("reset", &new).await;
    owner.log_in(ADA, PASSWORD).await;
    assert_eq!(owner.page.text("greeting"), "Hello, Ada!");
}

#[tokio::test]
async fn a_browser_with_a_session_of_the_account_is_logged_out() {
    let site = Site::start();
    let mut browser = robbed(&site).await;
    browser.open(&site.link(PASSWORD_CHANGED, 1).await).await;
    browser.send("secure", &[]).await;
    let login = browser.page.element("login-link").unwrap().attribute("href").unwrap().to_owned();
    browser.open(&login).await;
    assert_eq!(browser.page.text_of("h1"), "Log in");
    assert!(browser.page.element("login-form").is_some());
}

#[tokio::test]
async fn a_second_factor_is_told_too() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register(ADA).await;
    browser.verify_email().await;
    browser.open("/two-factor").await;
    browser.confirm_password().await;
    browser.send("enable", &[]).await;
    let key = browser.page.text("secret-key");
    browser.send("confirm", &[("code", &code(&key, 0))]).await;
    let link = site.link("security-notice; kind=TwoFactorEnabled", 1).await;
    browser.open(&link).await;
    browser.send("secure", &[]).await;
    assert_eq!(browser.page.text_of("h1"), "Your account is locked down");

    // What was added to the account is gone with it.
    browser.open(&site.link("password-reset; kind=LockedDown", 1).await).await;
    browser.send("reset", &[("password", STOLEN), ("passwordConfirmation", STOLEN)]).await;
    browser.log_in(ADA, STOLEN).await;
    assert_eq!(browser.page.text("greeting"), "Hello, Ada!");
}

#[tokio::test]
async fn a_link_that_does_not_work_is_an_error_on_its_page() {
    let site = Site::start();
    let mut browser = robbed(&site).await;
    browser.open("/secure").await;
    browser.send("secure", &[("token", "x")]).await;
    let refused = (browser.page.status, browser.page.text("secure-errors"));
    assert_eq!(refused, (422, "This link is not valid any more.".into()));
    // The page of another site sends no form, although nobody has to be logged in.
    browser.open(&site.link(PASSWORD_CHANGED, 1).await).await;
    browser.send_from_elsewhere("secure", &[]).await;
    assert_eq!((browser.page.status, browser.page.text_of("h1")), (403, "Not from here".into()));
    browser.open("/").await;
    assert_eq!(browser.page.text("greeting"), "Hello, Ada!");
}
