//! Registration, the profile and the password.

use crate::browser::{Browser, PASSWORD};
use crate::site::Site;

#[tokio::test]
async fn a_visitor_registers_and_is_greeted() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/").await;
    assert_eq!(browser.page.text("greeting"), "Hello, stranger!");
    browser.register("ada@example.com").await;
    assert_eq!(
        browser.page.text("notice"),
        "Welcome! Your account is ready. Please verify your e-mail address."
    );
    browser.open("/").await;
    assert_eq!(browser.page.text("greeting"), "Hello, Ada!");
    browser.send("logout", &[]).await;
    assert_eq!(browser.page.text("greeting"), "Hello, stranger!");
    assert_eq!(browser.page.text("notice"), "You are logged out.");
}

#[tokio::test]
async fn errors_are_at_their_fields_beside_what_was_entered_and_no_password_is_shown_again() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/register").await;
    let entered = [
        ("name", "<b>Ada</b>"),
        ("email", "ada@nowhere"),
        ("password", "zaq"),
        ("passwordConfirmation", "xsw"),
        ("remember", "yes"),
    ];
    browser.send("register", &entered).await;
    let page = &browser.page;
    assert_eq!(page.status, 422);
    assert_eq!(page.text_of("title"), "Error: Register · Pages");
    assert_eq!(page.text("register-email-error"), "This is not an e-mail address.");
    assert_eq!(page.text("register-password-error"), "The password must have at least 8 characters.");
    let mismatch = "The confirmation must be equal to the password.";
    assert_eq!(page.text("register-passwordConfirmation-error"), mismatch);
    assert!(page.element("register-name-error").is_none());
    assert_eq!(page.value("register-name"), "<b>Ada</b>");
    assert_eq!(page.value("register-email"), "ada@nowhere");
    assert!(page.element("register-remember").unwrap().attribute("checked").is_some());
    assert!(!page.html.contains("zaq") && !page.html.contains("xsw"), "{}", page.html);
    // The field is described by its hint and its error, and the first wrong field has the focus.
    let email = page.element("register-email").unwrap();
    assert_eq!(email.attribute("aria-describedby"), Some("register-email-error"));
    assert_eq!((email.attribute("aria-invalid"), email.attribute("autofocus")), (Some("true"), Some("")));
    let password = page.element("register-password").unwrap();
    assert_eq!(
        password.attribute("aria-describedby"),
        Some("register-password-hint register-password-error")
    );
    assert_eq!(password.attribute("autofocus"), None);
    assert!(page.element("register-errors").unwrap().inner().contains("href=\"#register-email\""));
}

#[tokio::test]
async fn an_address_that_is_taken_is_an_error_of_the_field() {
    let site = Site::start();
    Browser::new(&site).register("ada@example.com").await;
    let mut browser = Browser::new(&site);
    browser.open("/register").await;
    let entered = [
        ("name", "Eve"),
        ("email", "Ada@example.com"),
        ("password", PASSWORD),
        ("passwordConfirmation", PASSWORD),
    ];
    browser.send("register", &entered).await;
    let taken = "This e-mail address belongs to another account.";
    assert_eq!(browser.page.text("register-email-error"), taken);
}

#[tokio::test]
async fn a_user_changes_the_profile() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    browser.open("/profile").await;
    assert!(browser.page.text("profile-email").contains("ada@example.com"));
    browser.send("profile", &[("name", " ")]).await;
    assert_eq!(browser.page.text("profile-name-error"), "The name is required.");
    browser.send("profile", &[("name", "Ada L.")]).await;
    assert_eq!(browser.page.text("notice"), "Your profile is saved.");
    assert_eq!(browser.page.value("profile-name"), "Ada L.");
    assert!(browser.page.text("profile-email").contains("ada@example.com"), "the address stays");
}

#[tokio::test]
async fn a_changed_password_ends_the_other_sessions() {
    let site = Site::start();
    let (mut browser, mut other) = (Browser::new(&site), Browser::new(&site));
    browser.register("ada@example.com").await;
    other.log_in("ada@example.com", PASSWORD).await;
    let new = [("password", "battery staple"), ("passwordConfirmation", "battery staple")];
    browser.open("/password").await;
    browser.send("password", &[new[0], new[1], ("currentPassword", "wrong")]).await;
    assert_eq!(browser.page.text("password-currentPassword-error"), "The password is wrong.");
    browser.send("password", &[new[0], new[1], ("currentPassword", PASSWORD)]).await;
    let changed = "Your password has changed, and your other sessions have ended.";
    assert_eq!(browser.page.text("notice"), changed);
    browser.open("/").await;
    assert_eq!(browser.page.text("greeting"), "Hello, Ada!");
    other.open("/").await;
    assert_eq!(other.page.text("greeting"), "Hello, stranger!");
    other.log_in("ada@example.com", PASSWORD).await;
    assert_eq!(other.page.text("login-errors"), "The e-mail address or the password is wrong.");
    other.log_in("ada@example.com", "battery staple").await;
    assert_eq!(other.page.text("greeting"), "Hello, Ada!");
}
