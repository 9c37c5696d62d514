//! User names: chosen, changed, and used in place of the address.

use crate::browser::{Browser, PASSWORD};
use crate::site::Site;

#[tokio::test]
async fn a_user_chooses_a_name_logs_in_with_it_and_gives_it_up() {
    let site = Site::start();
    Browser::new(&site).register("eve@example.com").await;
    let mut browser = Browser::new(&site);
    browser.open("/register").await;
    let mut entered = vec![
        ("name", "Ada"),
        ("email", "ada@example.com"),
        ("username", "root"),
        ("password", PASSWORD),
        ("passwordConfirmation", PASSWORD),
    ];
    browser.send("register", &entered).await;
    assert_eq!(browser.page.text("register-username-error"), "This user name is reserved.");
    assert_eq!(browser.page.value("register-username"), "root");
    entered[2] = ("username", " Ada.L ");
    browser.send("register", &entered).await;
    assert_eq!(browser.page.address, "/email-verification?notice=registered");

    let log_in = async |name: &str| {
        let mut browser = Browser::new(&site);
        browser.open("/login").await;
        browser.send("login", &[("email", name), ("password", PASSWORD)]).await;
        browser
    };
    assert_eq!(log_in("ada.l").await.page.text("greeting"), "Hello, Ada!");
    assert_eq!(log_in("ada@example.com").await.page.text("greeting"), "Hello, Ada!");
    assert_eq!(log_in("nobody").await.page.status, 422);

    browser.open("/profile").await;
    assert_eq!(browser.page.value("profile-username"), "ada.l");
    browser.send("profile", &[("name", ""), ("username", "no name")]).await;
    assert!(!browser.page.text("profile-name-error").is_empty());
    assert!(!browser.page.text("profile-username-error").is_empty());
    browser.send("profile", &[("name", "Ada"), ("username", "")]).await;
    assert_eq!(log_in("ada.l").await.page.status, 422);

    // Now it is somebody else's.
    let mut eve = log_in("eve@example.com").await;
    eve.open("/profile").await;
    eve.send("profile", &[("username", "ADA.L")]).await;
    browser.open("/profile").await;
    browser.send("profile", &[("username", "ada.l")]).await;
    assert_eq!(browser.page.text("profile-username-error"), "This user name belongs to another account.");
}
