//! What the page says about an action: until the next one, and while one is going on.

use super::Quickstart;
use crate::browser::wait::until;
use crate::browser::{self, Browser, Role};
use serde_json::{Value, json};

/// The colours of the notice above the view.
const COLOURS: &str =
    "const { color, backgroundColor } = getComputedStyle(document.getElementById('notice'));
    return [color, backgroundColor]";

#[tokio::test]
async fn a_notice_is_gone_with_the_next_action() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open_with_mails(browser).await;
        quickstart.register(browser, "Ada").await;
        let main = browser.page().main();
        let profile = main.within(Role::Region, "Name");
        profile.press("Save").await;
        profile.shows("The profile has been updated.").await;
        main.hides("Your account exists, and you are logged in.").await;
        // That of another form as well.
        main.press("Send a verification mail").await;
        main.shows("Mails are in the outbox.").await;
        main.hides("The profile has been updated.").await;
    })
    .await;
}

/// A view that loads something by itself is no action.
#[tokio::test]
async fn a_notice_stays_while_a_view_loads() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        quickstart.log_out(browser).await;
        quickstart.open(browser, "/sessions").await;
        let main = browser.page().main();
        main.shows("Log in to open this page.").await;
        quickstart.send_login(browser, "Ada", crate::hosts::PASSWORD).await;
        main.shows("This one").await;
        main.shows("You are logged in.").await;
    })
    .await;
}

#[tokio::test]
async fn a_request_to_log_in_does_not_look_like_a_success() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        let success = browser.script(COLOURS, Vec::new()).await;
        quickstart.log_out(browser).await;
        quickstart.open(browser, "/sessions").await;
        browser.page().main().shows("Log in to open this page.").await;
        let neutral = browser.script(COLOURS, Vec::new()).await;
        assert!((0..2).all(|index| neutral[index] != success[index]), "{neutral} {success}");
    })
    .await;
}

/// A forgotten password takes the module a moment, and as long for an address that has no account.
#[tokio::test]
async fn a_form_says_that_it_is_working() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open(browser, "/forgot-password").await;
        let main = browser.page().main();
        main.fill("E-mail address", "nobody@example.com").await;
        // The next response is held back.
        let hold = "const send = window.fetch;
            window.fetch = (...request) => new Promise(resolve => {
                window.fetch = send;
                window.release = () => resolve(send(...request));
            });";
        browser.script(hold, Vec::new()).await;
        main.press("Send the link").await;
        let state = async || -> Value {
            let state = "const [form, button] = ['forgot-form', 'forgot-submit'].map(id => document.getElementById(id));
                return [form.ariaBusy, getComputedStyle(button, '::after').content];";
            browser.script(state, Vec::new()).await
        };
        until("a form that is working", async || {
            let state = state().await;
            if state == json!(["true", "\"\""]) { Ok(()) } else { Err(state.to_string()) }
        })
        .await;
        browser.script("release()", Vec::new()).await;
        main.shows("If an account has this address").await;
        until("a form that is ready", async || {
            let state = state().await;
            if state == json!(["false", "none"]) { Ok(()) } else { Err(state.to_string()) }
        })
        .await;
    })
    .await;
}
