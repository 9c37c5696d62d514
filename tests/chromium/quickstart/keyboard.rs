//! The page without a mouse.

use super::{Quickstart, email};
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;
use fantoccini::key::Key;

#[tokio::test]
async fn a_user_registers_and_ends_a_session_by_keyboard() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        browser.open(quickstart.0.address()).await;
        browser.page().main().find(Role::Heading, "Log in").await;
        browser.tab_to("Skip to the content").await;
        browser.press_key(Key::Enter).await;
        browser.tab_to("Register").await;
        browser.press_key(Key::Enter).await;
        browser.page().main().find(Role::Heading, "Register").await;
        for (field, text) in [
            ("Name", "Ada"),
            ("E-mail address", &email("Ada")),
            ("Password", PASSWORD),
            ("The same password again", PASSWORD),
        ] {
            browser.tab_to(field).await;
            browser.type_text(text).await;
        }
        browser.press_key(Key::Enter).await;
        browser.page().main().shows("Your account exists, and you are logged in.").await;

        browser.tab_to("Sessions").await;
        browser.press_key(Key::Enter).await;
        browser.page().main().find(Role::Heading, "Sessions").await;
        browser.page().main().shows("This one").await;
        browser.tab_to("Log out: Chrome on Linux").await;
        browser.press_key(Key::Enter).await;
        // The dialog has the focus, and Escape closes it.
        browser.page().within(Role::Dialog, "Confirm that it is you").shows("Confirm that it is you").await;
        browser.press_key(Key::Escape).await;
        browser.page().main().shows("Nothing was changed.").await;
        browser.tab_to("Log out: Chrome on Linux").await;
        browser.press_key(Key::Enter).await;
        browser.page().within(Role::Dialog, "Confirm that it is you").find(Role::Field, "Password").await;
        browser.type_text(PASSWORD).await;
        browser.press_key(Key::Enter).await;
        browser.page().main().shows("You are logged out.").await;
    })
    .await;
}
