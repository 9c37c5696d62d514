//! A picture of every view.

use super::second_factor::scan_and_confirm;
use super::{Credential, OUTBOX, Spa, confirm_password, email};
use crate::browser::{self, Browser, Role};
use crate::gallery::Gallery;
use crate::hosts::{PASSWORD, consent, consent_as};

#[tokio::test]
async fn what_guests_see() {
    browser::run(async |browser: &mut Browser| {
        let spa = Spa::start();
        let gallery = Gallery::new(browser, "spa/guests");
        let main = browser.page().main();
        spa.open(browser, Credential::Tokens).await;
        gallery.take("login-with-tokens").await;
        spa.open(browser, Credential::Cookie).await;
        gallery.take("login").await;
        spa.send_login(browser, "Ada", PASSWORD).await;
        main.shows("The e-mail address or the password is wrong.").await;
        gallery.take("login-refused").await;
        main.follow("Create an account").await;
        main.find(Role::Heading, "Create an account").await;
        gallery.take("register").await;
        main.follow("Log in instead").await;
        main.follow("Forgotten password").await;
        main.find(Role::Heading, "Forgotten password").await;
        gallery.take("forgotten-password").await;
        main.follow("Back to the login").await;
        main.follow("Log in by mail").await;
        main.find(Role::Heading, "Log in by mail").await;
        gallery.take("login-by-mail").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.press("Send the mail").await;
        main.find(Role::Field, "Code in the mail").await;
        gallery.take("code-in-the-mail").await;
    })
    .await;
}

#[tokio::test]
async fn what_users_see() {
    browser::run(async |browser: &mut Browser| {
        let spa = Spa::start();
        let gallery = Gallery::new(browser, "spa/users");
        let main = browser.page().main();
        spa.open(browser, Credential::Cookie).await;
        spa.register(browser, "Ada").await;
        main.fill("A new note", "Buy milk").await;
        main.press("Add the note").await;
        main.shows("Buy milk").await;
        gallery.take("notes").await;
        browser.page().follow("Profile").await;
        main.press("Send a mail with a link").await;
        main.shows("The address is not verified.").await;
        gallery.take("profile").await;
        browser.page().follow("Password").await;
        main.find(Role::Heading, "Password").await;
        gallery.take("password").await;
        browser.page().follow("Sessions").await;
        main.shows("This session").await;
        gallery.take("sessions").await;
        spa.0.follow_mail(browser, OUTBOX, 1).await;
        main.shows("The e-mail address is verified.").await;
        gallery.take("verify-email").await;

        browser.page().follow("Two-factor").await;
        main.find(Role::Button, "Set it up").await;
        gallery.take("second-factor-off").await;
        main.press("Set it up").await;
        browser.page().within(Role::Dialog, "Confirm your password").find(Role::Field, "Password").await;
        gallery.take("confirm-password").await;
        confirm_password(browser).await;
        main.find(Role::Image, "QR code for an authenticator app").await;
        gallery.take("second-factor-qr-code").await;
        scan_and_confirm(browser).await;
        gallery.take("second-factor-on").await;
        browser.page().within(Role::Navigation, "Account").follow("Notes").await;
        browser.refuse_once("/api/notes/export").await;
        main.press("Export all notes").await;
        let dialog = browser.page().within(Role::Dialog, "Confirm that it is you");
        dialog.find(Role::Field, "Password").await;
        gallery.take("confirm-both-factors").await;
        dialog.press("Cancel").await;
        spa.log_out(browser).await;
        spa.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Second factor").await;
        gallery.take("second-factor-challenge").await;
        main.follow("Start again").await;
        main.follow("Forgotten password").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.press("Send the mail").await;
        spa.0.follow_mail(browser, OUTBOX, 2).await;
        main.find(Role::Heading, "Choose a new password").await;
        gallery.take("new-password").await;
    })
    .await;
}

#[tokio::test]
async fn what_logging_in_with_a_provider_shows() {
    browser::run(async |browser: &mut Browser| {
        let spa = Spa::start_with_provider().await;
        let gallery = Gallery::new(browser, "spa/providers");
        let main = browser.page().main();
        spa.open(browser, Credential::Cookie).await;
        main.find(Role::Button, "Log in with demo").await;
        gallery.take("login").await;
        spa.visit_provider(browser).await;
        consent_as(browser, "grace", "").await;
        main.find(Role::Heading, "Your new account").await;
        gallery.take("register-with-provider").await;
        browser.open(&spa.url("/login")).await;
        spa.register(browser, "Ada").await;
        browser.page().follow("Profile").await;
        main.press("Send a mail with a link").await;
        spa.0.follow_mail(browser, OUTBOX, 1).await;
        main.shows("The e-mail address is verified.").await;
        spa.log_out(browser).await;
        spa.visit_provider(browser).await;
        consent(browser).await;
        main.shows("There is an account with your address.").await;
        gallery.take("account-exists").await;
        spa.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Link your account").await;
        gallery.take("link-provider").await;
        main.press("Link it").await;
        confirm_password(browser).await;
        main.find(Role::Button, "Unlink demo, ada@example.com").await;
        gallery.take("providers").await;
    })
    .await;
}
