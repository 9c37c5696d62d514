//! Sign-in by mail, registration without a password, and what needs more than that.

use crate::authenticator::code;
use crate::browser::{Browser, PASSWORD};
use crate::site::Site;

const ADA: &str = "ada@example.com";

/// Asks for the mail with this number, and types its code.
async fn prove(browser: &mut Browser<'_>, site: &Site, number: usize) {
    browser.send("mail", &[("email", ADA)]).await;
    assert_eq!(browser.page.text_of("h1"), "The code in your mail");
    let code = site.code(number).await;
    browser.send("code", &[("code", &code)]).await;
}

#[tokio::test]
async fn who_has_no_account_gets_one_without_a_password() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/login-by-mail?next=%2Fmembers").await;
    prove(&mut browser, &site, 1).await;
    assert_eq!(browser.page.text_of("h1"), "Your new account");
    browser.send("name", &[("name", " ")]).await;
    assert_eq!(browser.page.text("name-name-error"), "The name is required.");
    browser.send("name", &[("name", "Ada")]).await;
    assert_eq!(browser.page.address, "/members?notice=joined");
    assert!(browser.page.text("members-text").ends_with("see this page, Ada."));

    // The sign-in counts as a confirmation, so a password can be set at once.
    browser.open("/password").await;
    assert!(browser.page.element("password-currentPassword").is_none());
    let new = [("password", PASSWORD), ("passwordConfirmation", PASSWORD)];
    browser.send("password", &new).await;
    assert!(browser.page.text("notice").starts_with("Your password has changed"));
    assert!(browser.page.element("password-currentPassword").is_some());
    let mut other = Browser::new(&site);
    other.log_in(ADA, PASSWORD).await;
    assert_eq!(other.page.text("greeting"), "Hello, Ada!");
}

#[tokio::test]
async fn a_user_signs_in_with_the_code_of_a_mail() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/login-by-mail").await;
    prove(&mut browser, &site, 1).await;
    browser.send("name", &[("name", "Ada")]).await;
    browser.send("logout", &[]).await;

    browser.open("/profile").await;
    let link = browser.page.element("mail-link").unwrap().attribute("href").unwrap().to_owned();
    browser.open(&link).await;
    browser.send("mail", &[("email", "nobody")]).await;
    assert_eq!(browser.page.text("mail-email-error"), "This is not an e-mail address.");
    browser.send("mail", &[("email", ADA)]).await;
    let code = site.code(2).await;
    let wrong = if code.starts_with('1') { "2222 2222" } else { "1111 1111" };
    browser.send("code", &[("code", wrong)]).await;
    assert_eq!(browser.page.text("code-code-error"), "The code is wrong.");
    browser.send("again", &[]).await;
    assert_eq!(site.code(3).await, code, "the mail has the code of the first one");
    browser.send("code", &[("code", &code)]).await;
    assert_eq!(browser.page.address, "/profile");

    // The code was used.
    browser.send("logout", &[]).await;
    browser.open("/login-by-mail").await;
    browser.send("mail", &[("email", ADA)]).await;
    let code = site.code(4).await;
    for _ in 0..5 {
        browser.send("code", &[("code", "1234")]).await;
    }
    browser.send("code", &[("code", &code)]).await;
    assert_eq!(browser.page.text("mail-errors"), "This is not valid any more. Begin again.");
    assert_eq!(browser.page.value("mail-email"), ADA);
}

#[tokio::test]
async fn the_first_proof_of_an_address_removes_the_password_and_the_page_says_so() {
    let site = Site::start();
    Browser::new(&site).register(ADA).await;
    let mut browser = Browser::new(&site);
    browser.open("/login-by-mail").await;
    prove(&mut browser, &site, 1).await;
    assert_eq!(browser.page.address, "/password?notice=password-removed");
    assert!(browser.page.element("password-currentPassword").is_none());
}

#[tokio::test]
async fn the_safe_needs_two_factors_and_a_confirmation_any_that_the_user_has() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/login-by-mail").await;
    prove(&mut browser, &site, 1).await;
    browser.send("name", &[("name", "Ada")]).await;
    browser.open("/safe").await;
    assert_eq!(browser.page.address, "/two-factor?notice=two-factor-first");
    browser.send("enable", &[]).await;
    let key = browser.page.text("secret-key");
    browser.send("confirm", &[("code", &code(&key, 0))]).await;
    // The code that has confirmed the app counts as well.
    browser.open("/safe").await;
    assert!(browser.page.text("safe-text").starts_with("This page is for Ada"));

    // A sign-in by mail asks for the second factor.
    browser.send("logout", &[]).await;
    browser.open("/safe").await;
    assert_eq!(browser.page.address, "/login?next=%2Fsafe");
    browser.open("/login-by-mail?next=%2Fsafe").await;
    prove(&mut browser, &site, 2).await;
    assert_eq!(browser.page.address, "/two-factor-challenge?next=%2Fsafe");
    browser.send("challenge", &[("code", &code(&key, 1))]).await;
    assert_eq!(browser.page.address, "/safe");
}

#[tokio::test]
async fn a_confirmation_is_a_password_a_mail_or_a_code() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register(ADA).await;
    // An address that is not verified confirms nothing.
    browser.open("/confirm").await;
    assert!(browser.page.element("confirm-password-form").is_some());
    assert!(browser.page.element("confirm-mail-form").is_none());
    browser.open("/email-verification").await;
    browser.send("verification", &[]).await;
    browser.open(&site.link("email-verification", 1).await).await;
    browser.send("verify", &[]).await;

    browser.open("/confirm?next=%2Ftwo-factor").await;
    browser.send("confirm-mail", &[]).await;
    let mailed = site.code(1).await;
    browser.send("confirm-mailed", &[("code", "1234")]).await;
    assert_eq!(browser.page.text("confirm-mailed-code-error"), "The code is wrong.");
    browser.send("confirm-mailed", &[("code", &mailed)]).await;
    assert_eq!(browser.page.address, "/two-factor?notice=confirmed");
    browser.send("enable", &[]).await;
    let key = browser.page.text("secret-key");
    browser.send("confirm", &[("code", &code(&key, 0))]).await;
    browser.open("/confirm?next=%2Fsafe").await;
    browser.send("confirm-code", &[("code", "1234")]).await;
    assert_eq!(browser.page.text("confirm-code-code-error"), "The code is wrong or was used before.");
    browser.send("confirm-code", &[("code", &code(&key, 1))]).await;
    assert_eq!(browser.page.address, "/safe?notice=confirmed");
}
