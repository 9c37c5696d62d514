//! One way through the site: htmx puts parts into the page, and opens another page where that is right.

use super::{Site, confirm_password, email, has_focus, is_marked, mark, send_login};
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;

#[tokio::test]
async fn a_user_registers_logs_in_and_keeps_notes() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start();
        let main = browser.page().main();
        browser.open(&site.url("/register")).await;
        mark(browser).await;
        main.fill("Name", "Ada").await;
        main.fill("E-mail address", "ada").await;
        main.press("Create the account").await;
        has_focus(browser, "register-email").await;
        assert!(is_marked(browser).await, "the form alone is replaced");
        assert_eq!(main.value("Name").await, "Ada");
        site.register(browser, "Ada").await;
        main.shows("There are no notes yet.").await;

        browser.page().press("Log out Ada").await;
        main.shows("You are logged out.").await;
        mark(browser).await;
        send_login(browser, "Ada", "not the password").await;
        main.shows("The e-mail address or the password is wrong.").await;
        has_focus(browser, "login-errors").await;
        assert!(is_marked(browser).await, "the form alone is replaced");
        assert_eq!(
            (main.value("E-mail address").await, main.value("Password").await),
            (email("Ada"), String::new())
        );
        send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Your notes").await;
        assert!(!is_marked(browser).await, "a login opens a page");

        mark(browser).await;
        main.press("Add the note").await;
        main.shows("The note is empty.").await;
        has_focus(browser, "add-text").await;
        for note in ["Buy milk", "Call Bob"] {
            main.fill("A new note", note).await;
            main.press("Add the note").await;
            main.shows(note).await;
            has_focus(browser, "notice").await;
        }
        main.press("Remove: Buy milk").await;
        main.hides("Buy milk").await;
        assert!(is_marked(browser).await, "a note is added and removed without another page");
        browser.reload().await;
        main.shows("Call Bob").await;
        main.hides("The note is removed.").await;
        let refused =
            browser.console().await.into_iter().find(|line| line.contains("Content Security Policy"));
        assert_eq!(refused, None);
    })
    .await;
}

#[tokio::test]
async fn a_session_that_was_ended_elsewhere_leads_to_the_login_and_back() {
    browser::run(async |browser: &mut Browser| {
        browser::run(async |telephone: &mut Browser| {
            let site = Site::start();
            site.register(browser, "Ada").await;
            telephone.open(&site.url("/login")).await;
            send_login(telephone, "Ada", PASSWORD).await;
            let (main, phone) = (browser.page().main(), telephone.page().main());
            phone.find(Role::Heading, "Your notes").await;
            telephone.page().follow("Sessions").await;
            let agent = browser.script("return navigator.userAgent", Vec::new()).await;
            let end = format!("End this session: {}", agent.as_str().expect("a text"));
            phone.find(Role::Button, &end).await;

            browser.page().follow("Sessions").await;
            main.press(&end).await;
            confirm_password(browser).await;
            mark(browser).await;
            main.press(&end).await;
            main.shows("The session has ended.").await;
            assert!(is_marked(browser).await);

            // The page of the telephone is still there, with its button.
            phone.press(&end).await;
            phone.find(Role::Heading, "Log in").await;
            assert!(telephone.address().await.ends_with("/login?next=%2Fsessions"));
            send_login(telephone, "Ada", PASSWORD).await;
            phone.find(Role::Heading, "Sessions").await;
            assert_eq!(telephone.address().await, site.url("/sessions"));
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn an_error_without_a_form_is_shown_and_goes_away() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start();
        site.register(browser, "Ada").await;
        let main = browser.page().main();
        mark(browser).await;
        // What a proxy could do to a request.
        browser.script("document.querySelector('[name=action]').value = 'paint'", Vec::new()).await;
        main.fill("A new note", "Buy milk").await;
        main.press("Add the note").await;
        main.shows("The request could not be read.").await;
        browser.script("document.querySelector('[name=action]').value = 'add'", Vec::new()).await;
        main.press("Add the note").await;
        main.shows("The note is added.").await;
        main.hides("The request could not be read.").await;
        assert!(is_marked(browser).await);
    })
    .await;
}
