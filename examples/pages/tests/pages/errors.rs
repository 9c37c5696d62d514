//! What is not a page of the site is an error page in its layout.

use crate::browser::{Browser, PASSWORD};
use crate::site::Site;

fn assert_is_error_page(browser: &Browser<'_>, status: u16, title: &str) {
    let page = &browser.page;
    assert_eq!((page.status, page.text_of("h1").as_str()), (status, title), "{}", page.html);
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    assert!(page.element("home-link").is_some() && page.headers.contains_key("content-security-policy"));
}

#[tokio::test]
async fn errors_are_pages() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/nowhere").await;
    assert_is_error_page(&browser, 404, "Not found");
    browser.open("/logout").await;
    assert_is_error_page(&browser, 405, "Not possible");
    assert_eq!(browser.page.headers["allow"], "POST");
    browser.post("/login", "email=ada").await;
    assert_is_error_page(&browser, 422, "Not understood");
    browser.post("/sessions", "action=nothing").await;
    assert_is_error_page(&browser, 422, "Not understood");
    browser.post("/login", &"x".repeat(3 << 20)).await;
    assert_is_error_page(&browser, 413, "Not understood");
}

#[tokio::test]
async fn a_form_of_another_site_changes_nothing() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    for (address, form, entered) in [
        ("/profile", "profile", vec![("name", "Eve")]),
        ("/profile", "logout", vec![]),
        ("/password", "password", vec![("currentPassword", PASSWORD), ("password", "12345678")]),
        ("/email-verification", "verification", vec![]),
    ] {
        browser.open(address).await;
        browser.send_from_elsewhere(form, &entered).await;
        assert_is_error_page(&browser, 403, "Not from here");
    }
    browser.open("/").await;
    assert_eq!(browser.page.text("greeting"), "Hello, Ada!");

    // Nobody is logged in to an account that is not his.
    let mut visitor = Browser::new(&site);
    visitor.open("/login").await;
    visitor.send_from_elsewhere("login", &[("email", "ada@example.com"), ("password", PASSWORD)]).await;
    assert_is_error_page(&visitor, 403, "Not from here");
    visitor.open("/").await;
    assert_eq!(visitor.page.text("greeting"), "Hello, stranger!");
}

#[tokio::test]
async fn a_forged_notice_shows_nothing() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/?notice=<script>alert(1)</script>").await;
    assert_eq!(browser.page.status, 200);
    assert!(browser.page.element("notice").is_none() && !browser.page.html.contains("alert"));
}
