//! Logging in, staying logged in, and getting back to the page that was wanted.

use crate::browser::{Browser, PASSWORD};
use crate::site::Site;

const COOKIE: &str = "__Host-Http-auth";

#[tokio::test]
async fn only_a_remembered_session_outlives_the_browser() {
    let site = Site::start();
    Browser::new(&site).register("ada@example.com").await;
    for (remember, greeting) in [("yes", "Hello, Ada!"), ("", "Hello, stranger!")] {
        let mut browser = Browser::new(&site);
        browser.open("/login").await;
        let mut entered = vec![("email", "ada@example.com"), ("password", PASSWORD)];
        if !remember.is_empty() {
            entered.push(("remember", remember));
        }
        browser.send("login", &entered).await;
        assert_eq!(browser.page.text("greeting"), "Hello, Ada!");
        browser.close();
        assert_eq!(browser.has_cookie(COOKIE), !remember.is_empty());
        browser.open("/").await;
        assert_eq!(browser.page.text("greeting"), greeting);
    }
}

#[tokio::test]
async fn a_visitor_gets_to_the_page_that_he_wanted() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    browser.send("logout", &[]).await;
    browser.open("/profile?tab=1").await;
    assert_eq!(browser.page.address, "/login?next=%2Fprofile%3Ftab%3D1");
    browser.send("login", &[("email", "ada@example.com"), ("password", "wrong")]).await;
    assert_eq!(browser.page.status, 422);
    assert_eq!(browser.page.value("login-email"), "ada@example.com");
    browser.send("login", &[("email", "ada@example.com"), ("password", PASSWORD)]).await;
    assert_eq!(browser.page.address, "/profile?tab=1");
    // The login page is not for somebody who is logged in.
    browser.open("/login?next=%2Fsessions").await;
    assert_eq!(browser.page.address, "/sessions");
}

#[tokio::test]
async fn no_link_leads_to_another_site() {
    let site = Site::start();
    Browser::new(&site).register("ada@example.com").await;
    for next in ["https://evil.example", "//evil.example", "/%5Cevil.example", "%2F%2Fevil.example"] {
        let mut browser = Browser::new(&site);
        browser.open(&format!("/login?next={next}")).await;
        browser.send("login", &[("email", "ada@example.com"), ("password", PASSWORD)]).await;
        assert_eq!(browser.page.address, "/", "{next}");
    }
    // What the form sends is not trusted either.
    let mut browser = Browser::new(&site);
    browser.open("/login").await;
    let entered = [("email", "ada@example.com"), ("password", PASSWORD), ("next", "//evil.example")];
    browser.send("login", &entered).await;
    assert_eq!(browser.page.address, "/");
}

#[tokio::test]
async fn after_too_many_attempts_the_page_says_for_how_long() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/login").await;
    for _ in 0..10 {
        browser.send("login", &[("email", "ada@example.com"), ("password", "wrong")]).await;
        if browser.page.status == 429 {
            break;
        }
    }
    let page = &browser.page;
    assert_eq!(page.status, 429);
    let seconds: u64 = page.headers["retry-after"].to_str().unwrap().parse().unwrap();
    let message = page.text("login-errors");
    assert!(message.starts_with("There were too many attempts. Try again in "), "{message}");
    assert!(message.contains(&format!("{seconds} second")) || message.contains("minute"), "{message}");
    assert_eq!(page.value("login-email"), "ada@example.com");
}

#[tokio::test]
async fn a_session_that_has_ended_leads_to_the_login_page_and_back_to_the_forms_page() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    browser.open("/profile").await;
    browser.close();
    browser.send("profile", &[("name", "Ada L.")]).await;
    assert_eq!(browser.page.address, "/login?next=%2Fprofile");
    browser.send("login", &[("email", "ada@example.com"), ("password", PASSWORD)]).await;
    assert_eq!(browser.page.address, "/profile");
    assert_eq!(browser.page.value("profile-name"), "Ada");
}

#[tokio::test]
async fn a_restart_ends_no_session() {
    let mut site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    let cookies = browser.into_cookies();
    site.restart();
    let mut browser = Browser::with_cookies(&site, cookies);
    browser.open("/").await;
    assert_eq!(browser.page.text("greeting"), "Hello, Ada!");
}
