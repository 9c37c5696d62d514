//! `examples/htmx`, used by a person whose browser runs htmx.

mod accounts;
mod gallery;

use crate::browser::wait::until;
use crate::browser::{Browser, Role};
use crate::hosts::{PASSWORD, Program};
use serde_json::json;
use std::env;

/// A running site with data of its own.
struct Site(Program);

impl Site {
    fn start() -> Self {
        let file = env::var("HTMX").expect("`tests/chromium/run` sets HTMX");
        Self(Program::start("htmx", &[("HTMX", &file)]))
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.0.address())
    }

    /// Registers with the address `<name>@example.com`, which also logs in.
    async fn register(&self, browser: &Browser, name: &str) {
        browser.open(&self.url("/register")).await;
        let main = browser.page().main();
        main.fill("Name", name).await;
        main.fill("E-mail address", &email(name)).await;
        main.fill("Password", PASSWORD).await;
        main.fill("The password again", PASSWORD).await;
        main.press("Create the account").await;
        main.find(Role::Heading, "Your notes").await;
    }
}

/// Fills in the login form, which must be shown, and sends it.
async fn send_login(browser: &Browser, name: &str, password: &str) {
    let main = browser.page().main();
    main.fill("E-mail address", &email(name)).await;
    main.fill("Password", password).await;
    main.press("Log in").await;
}

/// Confirms the password on the page that asks for it.
async fn confirm_password(browser: &Browser) {
    let main = browser.page().main();
    main.find(Role::Heading, "Confirm that it is you").await;
    main.fill("Password", PASSWORD).await;
    main.press("Confirm").await;
    main.shows("That is confirmed.").await;
}

fn email(name: &str) -> String {
    format!("{}@example.com", name.to_lowercase())
}

/// Marks the document, which ends with it.
async fn mark(browser: &Browser) {
    browser.script("window.isMarked = true", Vec::new()).await;
}

/// Whether this is the document that was marked: no page was loaded since then.
async fn is_marked(browser: &Browser) -> bool {
    browser.script("return window.isMarked === true", Vec::new()).await == json!(true)
}

/// Waits until the element with this id has the focus, which htmx gives it after a moment.
async fn has_focus(browser: &Browser, id: &str) {
    until(&format!("the focus on #{id}"), async || {
        let focused = browser.script("return document.activeElement.id", Vec::new()).await;
        if focused == json!(id) { Ok(()) } else { Err(focused.to_string()) }
    })
    .await;
}
