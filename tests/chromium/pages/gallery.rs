//! A picture of every page. axe-core is a script, so this browser runs scripts.

use super::addresses::{CHANGED, CONFIRM, PASSWORD_CHANGED, change_password, send_request};
use super::second_factor::scan_and_confirm;
use super::{Pages, confirm_password, email};
use crate::browser::{self, Browser, Kind, Role};
use crate::gallery::Gallery;
use crate::hosts::{PASSWORD, consent, consent_as};

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
        pages.follow_mail(browser, &email("Ada"), "email-verification").await;
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
        pages.follow_and_confirm(browser, "Passkeys").await;
        browser.connect(Kind::Computer).await;
        main.press("Add a passkey").await;
        main.shows("You can log in with the passkey now.").await;
        gallery.take("passkeys").await;
        browser.page().follow("Two-factor").await;
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
        pages.follow_mail(browser, &email("Ada"), "password-reset; kind=Requested").await;
        main.find(Role::Heading, "A new password").await;
        gallery.take("new-password").await;
    })
    .await;
}

#[tokio::test]
async fn what_logging_in_with_a_provider_shows() {
    browser::run(async |browser: &mut Browser| {
        let pages = Pages::start_with_provider().await;
        let gallery = Gallery::new(browser, "pages/providers");
        let main = browser.page().main();
        pages.register(browser, "Ada").await;
        pages.verify(browser, "Ada").await;
        pages.log_out(browser).await;
        pages.visit_provider(browser).await;
        consent_as(browser, "grace", "").await;
        main.find(Role::Heading, "Your new account").await;
        gallery.take("register-with-provider").await;
        pages.visit_provider(browser).await;
        consent(browser).await;
        main.shows("There is an account with your address already.").await;
        gallery.take("account-exists").await;
        pages.send_login(browser, "Ada", PASSWORD).await;
        confirm_password(browser).await;
        main.find(Role::Button, "Link demo").await;
        gallery.take("link-provider").await;
        main.press("Link demo").await;
        main.shows("You can log in with it now.").await;
        gallery.take("providers").await;
    })
    .await;
}

#[tokio::test]
async fn what_the_links_in_mails_show() {
    browser::run(async |browser: &mut Browser| {
        let pages = Pages::start();
        let gallery = Gallery::new(browser, "pages/mails");
        let main = browser.page().main();
        pages.register(browser, "Ada").await;
        pages.verify(browser, "Ada").await;
        browser.open(&pages.url("/email")).await;
        confirm_password(browser).await;
        gallery.take("change-address").await;
        main.fill("New e-mail address", &email("Ada")).await;
        main.press("Send the link").await;
        main.find(Role::Link, "This is your e-mail address already.").await;
        gallery.take("change-address-refused").await;
        send_request(browser, "Countess").await;
        gallery.take("address-requested").await;
        pages.follow_mail(browser, &email("Countess"), CONFIRM).await;
        main.shows("It changes to countess@example.com").await;
        gallery.take("new-address").await;
        main.press("Change my address").await;
        main.shows("Your e-mail address has changed").await;
        gallery.take("address-changed").await;
        change_password(browser, PASSWORD, "a better horse battery").await;

        pages.follow_mail(browser, &email("Countess"), PASSWORD_CHANGED).await;
        main.find(Role::Heading, "Lock your account down").await;
        gallery.take("lock-down").await;
        main.press("Lock my account down").await;
        main.find(Role::Heading, "Your account is locked down").await;
        gallery.take("locked-down").await;
        pages.follow_mail(browser, &email("Ada"), CHANGED).await;
        main.find(Role::Heading, "Take your account back").await;
        gallery.take("take-back").await;
        main.press("Take my account back").await;
        main.find(Role::Heading, "Your account is yours again").await;
        gallery.take("taken-back").await;
        browser.open(&pages.url("/secure")).await;
        main.press("Lock my account down").await;
        main.shows("This link is not valid any more.").await;
        gallery.take("link-refused").await;
    })
    .await;
}
