//! The verification of the e-mail address, and the page that needs it.

use crate::browser::{Browser, PASSWORD};
use crate::site::Site;

#[tokio::test]
async fn a_verified_user_sees_the_members_page() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    browser.open("/members").await;
    assert_eq!(browser.page.address, "/email-verification?notice=verify-first");
    browser.send("verification", &[]).await;
    assert_eq!(browser.page.text("notice"), "A mail with a link is on its way.");

    browser.open(&site.link("email-verification", 1).await).await;
    assert_eq!(browser.page.text_of("h1"), "Verify your e-mail address");
    // The link alone changes nothing.
    browser.open("/members").await;
    assert_eq!(browser.page.address, "/email-verification?notice=verify-first");
    browser.open(&site.link("email-verification", 1).await).await;
    browser.send("verify", &[]).await;
    assert_eq!(browser.page.text("notice"), "Your e-mail address is verified.");
    browser.open("/members").await;
    assert!(browser.page.text("members-text").ends_with("see this page, Ada."));
    browser.open("/email-verification").await;
    assert_eq!(browser.page.text("verification-state"), "ada@example.com is verified.");
}

#[tokio::test]
async fn a_visitor_who_is_not_logged_in_logs_in_first() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    browser.send("verification", &[]).await;
    let link = site.link("email-verification", 1).await;
    let mut phone = Browser::new(&site);
    phone.open(&link).await;
    assert_eq!(phone.page.text_of("h1"), "Log in");
    phone.send("login", &[("email", "ada@example.com"), ("password", PASSWORD)]).await;
    assert_eq!(phone.page.address, link);
    phone.send("verify", &[]).await;
    assert_eq!(phone.page.text("notice"), "Your e-mail address is verified.");
}

#[tokio::test]
async fn a_link_of_another_user_or_a_changed_one_is_an_error_on_its_page() {
    let site = Site::start();
    let (mut ada, mut eve) = (Browser::new(&site), Browser::new(&site));
    ada.register("ada@example.com").await;
    ada.send("verification", &[]).await;
    let link = site.link("email-verification", 1).await;
    eve.register("eve@example.com").await;
    eve.open(&link).await;
    eve.send("verify", &[]).await;
    assert_eq!(eve.page.text("verify-errors"), "This verification link is for another account.");
    ada.open(&link).await;
    ada.send("verify", &[("signature", "x")]).await;
    assert_eq!(
        (ada.page.status, ada.page.text("verify-errors")),
        (422, "The verification link is invalid.".into())
    );
    ada.open("/verify-email?id=1").await;
    assert_eq!((ada.page.status, ada.page.text_of("h1")), (400, "Not understood".into()));
}
