//! An account is deleted, and its user keeps it after all.

use crate::authenticator::code;
use crate::browser::{Browser, PASSWORD};
use crate::site::Site;

const ADA: &str = "ada@example.com";

/// Deletes the account of the user who is logged in. The page says when.
async fn delete(browser: &mut Browser<'_>) {
    browser.open("/profile").await;
    let link = browser.page.element("delete-link").unwrap().attribute("href").unwrap().to_owned();
    browser.open(&link).await;
    browser.confirm_password().await;
    browser.send("delete-account", &[]).await;
    assert!(browser.page.text("deletion-scheduled").starts_with("It will be deleted on "));
}

#[tokio::test]
async fn a_deletion_logs_the_user_out_everywhere_and_a_login_leads_to_the_question() {
    let site = Site::start();
    let (mut browser, mut other) = (Browser::new(&site), Browser::new(&site));
    browser.register(ADA).await;
    other.log_in(ADA, PASSWORD).await;
    delete(&mut browser).await;
    for ended in [&mut browser, &mut other] {
        ended.open("/").await;
        assert_eq!(ended.page.text("greeting"), "Hello, stranger!");
    }
    other.log_in(ADA, PASSWORD).await;
    assert_eq!(
        (other.page.address.as_str(), other.page.text_of("h1").as_str()),
        ("/restore", "Keep your account?")
    );
    // Nothing has happened yet.
    browser.log_in(ADA, PASSWORD).await;
    assert_eq!(browser.page.address, "/restore");
    browser.send("restore", &[]).await;
    assert_eq!(browser.page.text("greeting"), "Hello, Ada!");
    // The deletion is cancelled already, and the login of the other browser still counts.
    other.send("restore", &[]).await;
    assert_eq!(other.page.text("greeting"), "Hello, Ada!");
    // But once.
    other.open("/restore").await;
    other.send("restore", &[]).await;
    assert_eq!(other.page.status, 422);
}

#[tokio::test]
async fn the_link_in_the_mail_keeps_the_account_when_the_button_is_pressed() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register(ADA).await;
    browser.verify_email().await;
    delete(&mut browser).await;
    let link = site.link("account-deletion; kind=Scheduled", 1).await;
    browser.open(&link).await;
    browser.log_in(ADA, PASSWORD).await;
    assert_eq!(browser.page.address, "/restore", "a program that opens the link changes nothing");
    let mut telephone = Browser::new(&site);
    telephone.open(&link).await;
    telephone.send("restore", &[]).await;
    assert_eq!(telephone.page.text("restored"), "Your account will not be deleted.");
    telephone.open("/").await;
    assert_eq!(telephone.page.text("greeting"), "Hello, stranger!");
    telephone.log_in(ADA, PASSWORD).await;
    assert_eq!(telephone.page.text("greeting"), "Hello, Ada!");
}

#[tokio::test]
async fn a_second_factor_leads_to_the_question_as_well() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register(ADA).await;
    browser.open("/two-factor").await;
    browser.confirm_password().await;
    browser.send("enable", &[]).await;
    let key = browser.page.text("secret-key");
    browser.send("confirm", &[("code", &code(&key, 0))]).await;
    browser.open("/delete-account").await;
    browser.send("delete-account", &[]).await;
    browser.log_in(ADA, PASSWORD).await;
    assert_eq!(browser.page.address, "/two-factor-challenge");
    browser.send("challenge", &[("code", &code(&key, 1))]).await;
    assert_eq!(browser.page.text_of("h1"), "Keep your account?");
    browser.send("restore", &[]).await;
    assert_eq!(browser.page.text("greeting"), "Hello, Ada!");
}
