//! The forgotten password.

use crate::browser::{Browser, PASSWORD};
use crate::site::Site;

#[tokio::test]
async fn the_link_in_the_mail_leads_to_a_new_password() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    let mut visitor = Browser::new(&site);
    visitor.open("/forgot-password").await;
    visitor.send("forgot", &[("email", "ada@example.com")]).await;
    let sent =
        "If there is an account with this address, a mail with a link to a new password is on its way.";
    assert_eq!(visitor.page.text("notice"), sent);

    let link = site.link("password-reset", 1).await;
    visitor.open(&link).await;
    assert_eq!(visitor.page.headers["referrer-policy"], "same-origin");
    assert_eq!(visitor.page.value("reset-email"), "ada@example.com");
    visitor.send("reset", &[("password", "battery staple"), ("passwordConfirmation", "battery")]).await;
    let mismatch = "The confirmation must be equal to the password.";
    assert_eq!(visitor.page.text("reset-passwordConfirmation-error"), mismatch);
    assert_eq!(visitor.page.address, "/reset-password", "the token is not in the address any more");
    let new = [("password", "battery staple"), ("passwordConfirmation", "battery staple")];
    visitor.send("reset", &new).await;
    assert_eq!(visitor.page.address, "/login?notice=password-reset");
    visitor.log_in("ada@example.com", "battery staple").await;
    assert_eq!(visitor.page.text("greeting"), "Hello, Ada!");

    // All sessions have ended, and the link works once.
    browser.open("/").await;
    assert_eq!(browser.page.text("greeting"), "Hello, stranger!");
    browser.open(&link).await;
    browser.send("reset", &[("password", PASSWORD), ("passwordConfirmation", PASSWORD)]).await;
    assert_eq!(
        (browser.page.status, browser.page.text("reset-errors")),
        (422, "The reset token is invalid.".into())
    );
}

#[tokio::test]
async fn an_unknown_address_gets_the_same_page() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/forgot-password").await;
    browser.send("forgot", &[("email", "nobody@example.com")]).await;
    assert_eq!(browser.page.address, "/forgot-password?notice=reset-requested");
    browser.send("forgot", &[("email", "nobody")]).await;
    assert_eq!(browser.page.text("forgot-email-error"), "This is not an e-mail address.");
}

#[tokio::test]
async fn a_link_without_its_parts_is_a_form_that_fails() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/reset-password").await;
    assert_eq!(browser.page.status, 200);
    browser.send("reset", &[("password", PASSWORD), ("passwordConfirmation", PASSWORD)]).await;
    assert_eq!(browser.page.text("reset-email-error"), "The e-mail address is required.");
}
