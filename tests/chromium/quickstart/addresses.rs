//! A change of the address, and how the owner of an account undoes what somebody else has done: with the mails of the outbox.

use super::second_factor::set_up;
use super::{Quickstart, confirm_password, email};
use crate::browser::{self, Browser, Page, Role};
use crate::hosts::PASSWORD;

const NEW: &str = "a better horse battery";
const OF_THE_THIEF: &str = "a password of a thief";

// The subjects of the mails.
pub(super) const CONFIRM: &str = "Confirm your new e-mail address for Quickstart";
const CHANGED: &str = "The e-mail address of your Quickstart account has changed";
const PASSWORD_CHANGED: &str = "The password of your Quickstart account was changed";
const LOCKED_DOWN: &str = "Your Quickstart account was locked down";

#[tokio::test]
async fn an_address_is_changed_and_the_owner_of_the_previous_one_takes_the_account_back() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        register_and_verify(browser, &quickstart).await;
        ask_for(browser, "Lovelace").await;
        confirm_password(browser).await;
        let main = browser.page().main();
        main.shows("Mails are in the outbox.").await;
        section(browser).shows(&format!("You have asked for {}.", email("Lovelace"))).await;

        follow_mail(browser, CONFIRM, "Lovelace").await;
        main.find(Role::Heading, "Your new e-mail address").await;
        main.shows(&format!("You have asked for {}.", email("Lovelace"))).await;
        main.shows(&format!("Your address is {}.", email("Ada"))).await;
        // The token is not left in the address, and so not in the history.
        assert_eq!(browser.address().await, quickstart.url("/email-change"));
        main.press("Use this address").await;
        main.shows("The e-mail address has been changed.").await;
        main.shows(&format!("You are logged in as {}.", email("Lovelace"))).await;

        follow_mail(browser, CHANGED, "Ada").await;
        main.find(Role::Heading, "Take your account back").await;
        assert_eq!(browser.address().await, quickstart.url("/revert"));
        is_signed_in(browser).await;
        main.press("Take my account back").await;
        main.shows("The account has this e-mail address again.").await;
        is_signed_out(browser).await;
        choose_new_password(browser).await;
        quickstart.send_login(browser, "Ada", NEW).await;
        main.shows(&format!("You are logged in as {}.", email("Ada"))).await;
    })
    .await;
}

#[tokio::test]
async fn who_is_told_of_a_new_password_locks_the_account_down() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        register_and_verify(browser, &quickstart).await;
        change_password(browser, OF_THE_THIEF).await;
        let main = browser.page().main();

        follow_mail(browser, PASSWORD_CHANGED, "Ada").await;
        main.find(Role::Heading, "Lock your account down").await;
        assert_eq!(browser.address().await, quickstart.url("/secure"));
        is_signed_in(browser).await;
        main.press("Lock my account down").await;
        main.shows("The account is locked down.").await;
        is_signed_out(browser).await;
        choose_new_password(browser).await;
        quickstart.send_login(browser, "Ada", OF_THE_THIEF).await;
        main.shows("The e-mail address or the password is wrong.").await;
        quickstart.send_login(browser, "Ada", NEW).await;
        main.shows("You are logged in.").await;
    })
    .await;
}

/// A link that was opened in a browser without a session: its token outlasts both steps of the login, and a reload.
#[tokio::test]
async fn an_address_is_confirmed_after_a_login() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open_with_mails(browser).await;
        quickstart.register(browser, "Ada").await;
        let app = set_up(browser).await;
        browser.page().follow("Profile").await;
        // The password was confirmed for the second factor.
        ask_for(browser, "Lovelace").await;
        let main = browser.page().main();
        main.shows("Mails are in the outbox.").await;
        quickstart.log_out(browser).await;

        follow_mail(browser, CONFIRM, "Lovelace").await;
        main.shows("Log in to open this page.").await;
        browser.reload().await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Your second factor").await;
        browser.reload().await;
        main.fill("Code of your authenticator app", &app.next_code()).await;
        main.press("Continue").await;
        main.find(Role::Heading, "Your new e-mail address").await;
        main.press("Use this address").await;
        main.shows("The e-mail address has been changed.").await;
        main.shows(&format!("You are logged in as {}.", email("Lovelace"))).await;
    })
    .await;
}

#[tokio::test]
async fn a_change_that_was_cancelled_cannot_be_confirmed() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open_with_mails(browser).await;
        quickstart.register(browser, "Ada").await;
        let section = section(browser);
        ask_for(browser, "Ada").await;
        confirm_password(browser).await;
        section.shows("This is your e-mail address already.").await;
        ask_for(browser, "Lovelace").await;
        section.shows(&format!("You have asked for {}.", email("Lovelace"))).await;
        browser.reload().await;
        section.shows(&format!("You have asked for {}.", email("Lovelace"))).await;
        section.press("Cancel the change").await;
        section.shows("The e-mail address stays as it is.").await;
        section.hides("You have asked for").await;

        follow_mail(browser, CONFIRM, "Lovelace").await;
        let main = browser.page().main();
        main.press("Use this address").await;
        main.shows("This link is not valid any more.").await;
        main.hides("You have asked for").await;
        main.follow("To your profile").await;
        main.shows(&format!("You are logged in as {}.", email("Ada"))).await;
    })
    .await;
}

/// A session of another account is not ended, and the page says whose it is.
#[tokio::test]
async fn an_account_is_locked_down_from_the_session_of_another() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        register_and_verify(browser, &quickstart).await;
        change_password(browser, OF_THE_THIEF).await;
        let main = browser.page().main();
        quickstart.log_out(browser).await;
        quickstart.register(browser, "Bob").await;
        follow_mail(browser, PASSWORD_CHANGED, "Ada").await;
        main.press("Lock my account down").await;
        main.shows("The account is locked down.").await;
        main.shows(&format!("In this browser you are logged in as {}.", email("Bob"))).await;
        main.hides("After that you can log in").await;
        browser.page().within(Role::Navigation, "Account").shows("Bob").await;
    })
    .await;
}

/// Links that are damaged, or not there.
#[tokio::test]
async fn a_link_that_does_not_work_changes_nothing() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        let main = browser.page().main();
        for (view, button) in [
            ("email-change", "Use this address"),
            ("revert", "Take my account back"),
            ("secure", "Lock my account down"),
        ] {
            quickstart.open(browser, &format!("/{view}?token=x")).await;
            main.press(button).await;
            main.shows("This link is not valid any more.").await;
            browser.reload().await;
            main.shows("This address has no link in it. Open the link of the mail.").await;
            is_signed_in(browser).await;
        }
    })
    .await;
}

/// Registers Ada and follows the link of the mail to her address: only a proven address is told anything.
pub(super) async fn register_and_verify(browser: &Browser, quickstart: &Quickstart) {
    quickstart.open_with_mails(browser).await;
    quickstart.register(browser, "Ada").await;
    quickstart.verify(browser, "Ada").await;
}

/// The section of the profile that asks for another address.
fn section(browser: &Browser) -> Page<'_> {
    browser.page().main().within(Role::Region, "E-mail address")
}

/// Asks for the address of this name, in the profile.
pub(super) async fn ask_for(browser: &Browser, name: &str) {
    let section = section(browser);
    section.fill("New e-mail address", &email(name)).await;
    section.press("Send the link").await;
}

/// Opens the outbox and follows the link of the mail with this subject to the address of this name.
pub(super) async fn follow_mail(browser: &Browser, subject: &str, to: &str) {
    browser.page().follow("Outbox").await;
    let mail = browser.page().main().within(Role::Region, subject);
    mail.shows(&format!("To {}", email(to))).await;
    let link = mail.line("http").await;
    mail.follow(&link).await;
}

async fn change_password(browser: &Browser, password: &str) {
    browser.page().follow("Password").await;
    let main = browser.page().main();
    main.fill("Current password", PASSWORD).await;
    main.fill("New password", password).await;
    main.fill("The same password again", password).await;
    main.press("Change the password").await;
    main.shows("The password has been changed.").await;
}

async fn is_signed_in(browser: &Browser) {
    browser.page().within(Role::Navigation, "Account").shows("Ada").await;
}

/// Nothing around the view says that somebody is logged in, also not after a reload.
async fn is_signed_out(browser: &Browser) {
    for reload in [false, true] {
        if reload {
            browser.reload().await;
        }
        browser.page().main().find(Role::Heading, "What to do next").await;
        let text = browser.page().text().await;
        assert!(!text.contains("Log out") && !text.contains("Second factor"), "{text}");
    }
}

/// Goes on as the page says: to the mail that the lock down has sent to Ada, and to a new password.
async fn choose_new_password(browser: &Browser) {
    let main = browser.page().main();
    main.follow("outbox").await;
    let mail = main.within(Role::Region, LOCKED_DOWN);
    mail.shows(&format!("To {}", email("Ada"))).await;
    let link = mail.line("http").await;
    mail.follow(&link).await;
    main.find(Role::Heading, "A new password").await;
    main.fill("New password", NEW).await;
    main.fill("The same password again", NEW).await;
    main.press("Set the password").await;
    main.shows("The password has been set. Log in with it.").await;
}
