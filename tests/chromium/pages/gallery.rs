//! A picture of every page. axe-core is a script, so this browser runs scripts.

use super::second_factor::scan_and_confirm;
use super::{OUTBOX, Pages, email};
use crate::browser::{self, Browser, Role};
use crate::gallery::Gallery;
use crate::hosts::PASSWORD;

#[tokio::test]
async fn what_guests_see() {
    browser::run(async |browser: &mut Browser| {
        let pages = Pages::start();
        let gallery = Gallery::new(browser, "pages/guests");
        let main = browser.page().main();
        for (path, name) in [
            ("/", "home"),
            ("/login", "login"),
            ("/register", "register"),
            ("/forgot-password", "forgotten-password"),
        ] {
            browser.open(&pages.url(path)).await;
            gallery.take(name).await;
        }
        browser.open(&pages.url("/login")).await;
        pages.send_login(browser, "Ada", PASSWORD).await;
        main.shows("The e-mail address or the password is wrong.").await;
        gallery.take("login-refused").await;
        browser.open(&pages.url("/register")).await;
        main.fill("Password", "short").await;
        main.press("Register").await;
        main.find(Role::Field, "The same password again").await;
        gallery.take("register-refused").await;
        browser.open(&pages.url("/nowhere")).await;
        gallery.take("not-found").await;
    })
    .await;
}

#[tokio::test]
async fn what_users_see() {
    browser::run(async |browser: &mut Browser| {
        let pages = Pages::start();
        let gallery = Gallery::new(browser, "pages/users");
        let main = browser.page().main();
        pages.register(browser, "Ada").await;
        gallery.take("registered").await;
        main.press("Send me a link").await;
        pages.0.follow_mail(browser, OUTBOX, 1).await;
        main.find(Role::Button, "Yes, verify it").await;
        gallery.take("verify-email").await;
        main.press("Yes, verify it").await;
        for (path, name) in [
            // It has the links of guests, so the others come after it.
            ("/login-by-mail", "login-by-mail"),
            ("/", "home"),
            ("/members", "members"),
            ("/profile", "profile"),
            ("/password", "password"),
            ("/sessions", "sessions"),
            ("/confirm", "confirm"),
        ] {
            browser.open(&pages.url(path)).await;
            gallery.take(name).await;
        }
        pages.follow_and_confirm(browser, "Two-factor").await;
        gallery.take("second-factor-off").await;
        main.press("Set it up").await;
        main.find(Role::Image, "QR code with the key below").await;
        gallery.take("second-factor-qr-code").await;
        scan_and_confirm(browser).await;
        gallery.take("recovery-codes").await;
        browser.page().follow("Two-factor").await;
        gallery.take("second-factor-on").await;
        pages.log_out(browser).await;
        browser.open(&pages.url("/login")).await;
        pages.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Your second factor").await;
        gallery.take("second-factor-challenge").await;
        browser.open(&pages.url("/forgot-password")).await;
        main.fill("E-mail address", &email("Ada")).await;
        main.press("Send the link").await;
        pages.0.follow_mail(browser, OUTBOX, 2).await;
        main.find(Role::Heading, "A new password").await;
        gallery.take("new-password").await;
    })
    .await;
}
