//! A picture of every page.

use super::{Site, confirm_password, has_focus, send_login};
use crate::browser::{self, Browser, Role};
use crate::gallery::Gallery;
use crate::hosts::{Authenticator, PASSWORD};

#[tokio::test]
async fn what_guests_and_users_see() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start();
        let gallery = Gallery::new(browser, "htmx");
        let main = browser.page().main();
        browser.open(&site.url("/login")).await;
        gallery.take("login").await;
        send_login(browser, "Ada", PASSWORD).await;
        main.shows("The e-mail address or the password is wrong.").await;
        gallery.take("login-refused").await;
        browser.open(&site.url("/register")).await;
        main.press("Create the account").await;
        has_focus(browser, "register-name").await;
        gallery.take("register-refused").await;
        browser.open(&site.url("/nowhere")).await;
        gallery.take("not-found").await;

        site.register(browser, "Ada").await;
        main.fill("A new note", "Buy milk").await;
        main.press("Add the note").await;
        main.shows("Buy milk").await;
        gallery.take("notes").await;
        browser.page().follow("Sessions").await;
        main.shows("This session").await;
        gallery.take("sessions").await;
        browser.page().follow("Second factor").await;
        main.find(Role::Heading, "Confirm that it is you").await;
        gallery.take("confirm").await;
        confirm_password(browser).await;
        gallery.take("second-factor-off").await;
        main.press("Set it up").await;
        let app =
            Authenticator::scan(browser, &main.find(Role::Image, "QR code with the key below").await).await;
        gallery.take("second-factor-pending").await;
        main.fill("Code of your app", &app.code()).await;
        main.press("Switch it on").await;
        main.shows("Two-factor authentication is on.").await;
        gallery.take("second-factor-on").await;

        browser.page().press("Log out Ada").await;
        main.shows("You are logged out.").await;
        send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Your second factor").await;
        main.fill("Code of your app, or a recovery code", &app.wrong_code()).await;
        main.press("Log in").await;
        main.shows("The code is wrong or was used before.").await;
        gallery.take("challenge-refused").await;
        main.fill("Code of your app, or a recovery code", &app.next_code()).await;
        main.press("Log in").await;
        main.shows("Buy milk").await;
    })
    .await;
}
