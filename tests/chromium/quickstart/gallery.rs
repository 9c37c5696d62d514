//! A picture of every view, every dialog and every kind of message.

use super::addresses::{CONFIRM, ask_for, follow_mail};
use super::mails::follow_newest_mail;
use super::providers::{UNLINK, ask_to_unlink, with_account};
use super::second_factor::scan_and_confirm;
use super::{Quickstart, confirm_password, email};
use crate::browser::{self, Browser, Role};
use crate::gallery::Gallery;
use crate::hosts::{PASSWORD, consent, consent_as};

#[tokio::test]
async fn what_guests_see() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        quickstart.open_with_mails(browser).await;
        let gallery = Gallery::new(browser, "quickstart/guests");
        let main = browser.page().main();
        quickstart.open(browser, "/login").await;
        main.find(Role::Heading, "Log in").await;
        gallery.take("login").await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.shows("The e-mail address or the password is wrong.").await;
        gallery.take("login-refused").await;

        quickstart.open(browser, "/register").await;
        main.find(Role::Heading, "Register").await;
        gallery.take("register").await;
        main.fill("Name", "Ada").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.fill("Password", "short").await;
        main.fill("The same password again", "other").await;
        main.press("Register").await;
        main.shows("Some fields are invalid.").await;
        gallery.take("register-refused").await;

        quickstart.open(browser, "/outbox").await;
        main.shows("There are no mails yet.").await;
        gallery.take("outbox-empty").await;

        quickstart.open(browser, "/login-by-mail").await;
        main.find(Role::Heading, "Sign in by mail").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.press("Send the mail").await;
        main.shows("Mails are in the outbox.").await;
        gallery.take("sign-in-by-mail").await;
        follow_newest_mail(browser, &email("Ada")).await;
        main.find(Role::Heading, "Your new account").await;
        gallery.take("register-by-mail").await;

        quickstart.open(browser, "/forgot-password").await;
        main.find(Role::Heading, "Forgotten password").await;
        gallery.take("forgotten-password").await;
        quickstart.open(browser, "/reset-password?email=ada@example.com&token=x").await;
        main.find(Role::Heading, "A new password").await;
        gallery.take("new-password").await;

        quickstart.open(browser, "/revert?token=x").await;
        main.find(Role::Heading, "Take your account back").await;
        gallery.take("take-back").await;
        main.press("Take my account back").await;
        main.shows("This link is not valid any more.").await;
        gallery.take("take-back-refused").await;
        quickstart.open(browser, "/secure?token=x").await;
        main.find(Role::Heading, "Lock your account down").await;
        gallery.take("lock-down").await;
        quickstart.open(browser, "/restore?token=x").await;
        main.find(Role::Heading, "Keep your account").await;
        gallery.take("restore").await;
        quickstart.open(browser, "/keep?until=2026-12-24T12:00:00Z").await;
        main.find(Role::Heading, "Keep your account?").await;
        gallery.take("keep").await;
        quickstart.open(browser, "/locked-down").await;
        main.find(Role::Heading, "What to do next").await;
        gallery.take("locked-down").await;
        browser.open(&format!("{}/page/openapi.html", quickstart.0.address())).await;
        main.find(Role::Heading, "Routes").await;
        main.shows("Starts a session for an e-mail address or a user name, and the password of its account.")
            .await;
        gallery.take("routes").await;
        browser.script("document.querySelector('#routes details').open = true", Vec::new()).await;
        main.shows("Response 401").await;
        gallery.take("route").await;
        let elsewhere = quickstart.0.address().replace("localhost", "127.0.0.1");
        browser.open(&elsewhere).await;
        main.shows("You are at 127.0.0.1").await;
        gallery.take("elsewhere").await;
    })
    .await;
}

#[tokio::test]
async fn what_users_see() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        quickstart.open_with_mails(browser).await;
        let gallery = Gallery::new(browser, "quickstart/users");
        let main = browser.page().main();
        quickstart.register(browser, "Ada").await;
        gallery.take("profile").await;
        main.press("Send a verification mail").await;
        main.shows("Mails are in the outbox.").await;
        browser.page().follow("Outbox").await;
        main.line("http").await;
        gallery.take("outbox").await;
        quickstart.open(browser, "/verify-email").await;
        main.find(Role::Heading, "Your e-mail address").await;
        gallery.take("verify-email").await;
        quickstart.open(browser, "/password").await;
        main.find(Role::Heading, "Password").await;
        gallery.take("password").await;
        quickstart.open(browser, "/profile").await;
        ask_for(browser, "Lovelace").await;
        browser.page().within(Role::Dialog, "Confirm that it is you").find(Role::Field, "Password").await;
        gallery.take("confirm-password").await;
        confirm_password(browser).await;
        main.shows("Mails are in the outbox.").await;
        main.find(Role::Button, "Cancel the change").await;
        gallery.take("address-change").await;
        follow_mail(browser, CONFIRM, "Lovelace").await;
        main.shows(&format!("You have asked for {}.", email("Lovelace"))).await;
        gallery.take("new-address").await;
        quickstart.open(browser, "/locked-down").await;
        main.shows("In this browser you are logged in").await;
        gallery.take("locked-down-logged-in").await;
        quickstart.open(browser, "/sessions").await;
        main.shows("This one").await;
        gallery.take("sessions").await;
        main.press("Log out everywhere else").await;
        let question = browser.page().within(Role::Dialog, "Log out everywhere else?");
        question.find(Role::Button, "Cancel").await;
        gallery.take("question").await;
        question.press("Cancel").await;

        browser.page().follow("Safe").await;
        main.press("Open the safe").await;
        main.shows("nothing that is enough").await;
        gallery.take("safe-refused").await;

        browser.page().follow("Passkeys").await;
        main.shows("You have none yet.").await;
        gallery.take("passkeys-none").await;
        browser.page().follow("API tokens").await;
        main.fill("Name", "Nightly backup").await;
        main.press("Create a token").await;
        main.shows("Verify your e-mail address first.").await;
        gallery.take("api-tokens-unverified").await;
        browser.page().follow("Trusted devices").await;
        main.shows("You trust no device.").await;
        gallery.take("trusted-devices-none").await;
        quickstart.open(browser, "/two-factor").await;
        main.press("Set up an authenticator app").await;
        main.shows("Scan this code with your app").await;
        gallery.take("second-factor-qr-code").await;
        main.press("Cancel").await;
        main.find(Role::Button, "Set up an authenticator app").await;
        gallery.take("second-factor-off").await;
        main.press("Set up an authenticator app").await;
        scan_and_confirm(browser).await;
        gallery.take("second-factor-on").await;
        browser.page().follow("Safe").await;
        browser.refuse_once("/safe").await;
        main.press("Open the safe").await;
        main.find(Role::Heading, "Prove more").await;
        gallery.take("safe-with-proofs").await;
        main.press("Open the safe").await;
        main.shows("The safe is open.").await;
        main.press("Open the vault").await;
        main.within(Role::Region, "Vault").shows("Refused").await;
        gallery.take("safe-open").await;
        quickstart.log_out(browser).await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Your second factor").await;
        gallery.take("second-factor-challenge").await;
        main.press("Use a recovery code").await;
        main.find(Role::Field, "Recovery code").await;
        gallery.take("recovery-code").await;
    })
    .await;
}

#[tokio::test]
async fn what_signing_in_with_a_provider_shows() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = with_account(browser).await;
        let gallery = Gallery::new(browser, "quickstart/providers");
        let main = browser.page().main();
        quickstart.visit_provider(browser).await;
        gallery.take("consent").await;
        main.press("Cancel").await;
        main.shows("or you have cancelled").await;
        gallery.take("cancelled").await;
        quickstart.visit_provider(browser).await;
        consent_as(browser, "grace", "").await;
        main.find(Role::Heading, "Your new account").await;
        gallery.take("register-by-provider").await;
        quickstart.visit_provider(browser).await;
        consent(browser).await;
        main.shows("There is an account with ada@example.com already.").await;
        gallery.take("account-exists").await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.shows("as ada@example.com").await;
        gallery.take("link-provider").await;
        main.press("Yes, link it").await;
        confirm_password(browser).await;
        main.find(Role::Button, UNLINK).await;
        gallery.take("providers").await;
        quickstart.log_out(browser).await;
        quickstart.log_in(browser, "Ada").await;
        browser.page().follow("Providers").await;
        ask_to_unlink(browser).await;
        let dialog = browser.page().within(Role::Dialog, "Confirm that it is you");
        dialog.find(Role::Button, "Use the demonstration provider").await;
        gallery.take("confirm-with-provider").await;
    })
    .await;
}
