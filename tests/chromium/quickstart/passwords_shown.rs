//! The rule for a new password, and the button that shows what is typed.

use super::{Quickstart, email};
use crate::browser::{self, Browser, Role};
use fantoccini::key::Key;
use serde_json::{Value, json};

/// The types of the fields for passwords of the view, and whether the button is pressed.
async fn state(browser: &Browser) -> Value {
    let read = "const view = document.getElementById('view');
        const types = [...view.querySelectorAll('[autocomplete$=password]')].map(({ type }) => type);
        return [types, [...view.querySelectorAll('.show-password')].map(({ ariaPressed }) => ariaPressed)];";
    browser.script(read, Vec::new()).await
}

#[tokio::test]
async fn the_rule_is_there_before_an_error() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_with(&[("AUTH_PASSWORD_MIN_CHARACTERS", "11")]);
        let main = browser.page().main();
        for view in ["/register", "/reset-password?email=ada@example.com&token=x", "/invitation?token=x"] {
            quickstart.open(browser, view).await;
            main.shows("At least 11 characters.").await;
        }
        let described = "const field = document.querySelector('#view [name=password]');
            return field.getAttribute('aria-describedby').split(' ').map(id => document.getElementById(id).innerText);";
        assert_eq!(browser.script(described, Vec::new()).await, json!(["At least 11 characters."]));
        main.fill("New password", "short").await;
        main.press("Set the password").await;
        main.shows("The password must have at least 11 characters.").await;
        let expected = json!(["At least 11 characters.", "The password must have at least 11 characters."]);
        assert_eq!(browser.script(described, Vec::new()).await, expected);
    })
    .await;
}

#[tokio::test]
async fn a_password_is_shown_until_the_form_is_sent() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open(browser, "/register").await;
        let main = browser.page().main();
        main.fill("Name", "Ada").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.fill("Password", "a long password").await;
        assert_eq!(state(browser).await, json!([["password", "password"], ["false"]]));
        // By keyboard, and its repetition as well.
        browser.tab_to("Show password").await;
        browser.press_key(Key::Space).await;
        assert_eq!(state(browser).await, json!([["text", "text"], ["true"]]));
        browser.press_key(Key::Space).await;
        assert_eq!(state(browser).await, json!([["password", "password"], ["false"]]));
        main.press("Show password").await;
        main.press("Register").await;
        main.shows("Some fields are invalid.").await;
        assert_eq!(state(browser).await, json!([["password", "password"], ["false"]]));

        main.fill("The same password again", "a long password").await;
        main.press("Register").await;
        main.find(Role::Heading, "Profile").await;
        browser.page().follow("Password").await;
        main.press("Show current password").await;
        assert_eq!(state(browser).await, json!([["text", "password", "password"], ["true", "false"]]));
        main.press("Show new password").await;
        assert_eq!(state(browser).await, json!([["text", "text", "text"], ["true", "true"]]));
    })
    .await;
}
