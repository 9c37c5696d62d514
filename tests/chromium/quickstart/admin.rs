//! What an administrator does, as the people see it: an invitation, and a session in which the support acts for a user.

use super::addresses::follow_mail;
use super::{Quickstart, email};
use crate::browser::{self, Browser, Role};
use crate::gallery::Gallery;
use crate::hosts::PASSWORD;
use serde_json::{Value, json};

const TOKEN: &str = "a-token-of-the-tests";

/// Sends a request of an administrator, from the page. Returns the body of the response.
async fn ask(browser: &Browser, path: &str, body: Value) -> Value {
    let send = "const [path, token, body] = arguments;
        const headers = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' };
        const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
        if (!response.ok) throw new Error(await response.text());
        return response.json();";
    let answer = browser.async_script(send, vec![json!(path), json!(TOKEN), body]).await;
    assert!(answer["error"].is_null(), "{answer}");
    answer["value"].clone()
}

#[tokio::test]
async fn an_invited_person_chooses_a_password_and_logs_in() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_with(&[("ADMIN_TOKEN", TOKEN)]);
        quickstart.open_with_mails(browser).await;
        ask(browser, "/admin/invite", json!({ "name": "Grace", "email": email("Grace") })).await;
        follow_mail(browser, "You are invited to Quickstart", "Grace").await;
        let main = browser.page().main();
        main.find(Role::Heading, "Your first password").await;
        let gallery = Gallery::new(browser, "quickstart/invitations");
        gallery.take("invitation").await;
        main.fill("New password", "short").await;
        main.fill("The same password again", "other").await;
        main.press("Set the password").await;
        main.shows("Some fields are invalid.").await;
        gallery.take("invitation-refused").await;
        main.fill("New password", PASSWORD).await;
        main.fill("The same password again", PASSWORD).await;
        main.press("Set the password").await;
        main.shows("Your password is set. You can log in now.").await;
        quickstart.log_in(browser, "Grace").await;
        quickstart.log_out(browser).await;

        follow_mail(browser, "You are invited to Quickstart", "Grace").await;
        main.fill("New password", PASSWORD).await;
        main.fill("The same password again", PASSWORD).await;
        main.press("Set the password").await;
        main.shows("This link is not valid any more.").await;
    })
    .await;
}

#[tokio::test]
async fn a_user_sees_that_the_support_acts_for_them_and_ends_it() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_with(&[("ADMIN_TOKEN", TOKEN)]);
        quickstart.register(browser, "Ada").await;
        let read = "return (await (await fetch('/me')).json()).id;";
        let id = browser.async_script(read, Vec::new()).await["value"].clone();
        ask(browser, "/admin/impersonate", json!({ "userId": id, "reason": "Ticket 4711" })).await;
        browser.page().follow("Sessions").await;
        let main = browser.page().main();
        main.shows("Support (admin)").await;
        Gallery::new(browser, "quickstart/impersonation").take("sessions").await;
        main.press("End it: Support (admin)").await;
        super::confirm_password(browser).await;
        main.shows("The session has ended.").await;
        main.hides("Support (admin)").await;
    })
    .await;
}
