//! Registration, login and logout.

use super::{Quickstart, REMEMBER, email};
use crate::browser::{self, Browser, Role};
use crate::hosts::{PASSWORD, consent};
use serde_json::json;

#[tokio::test]
async fn a_guest_registers_and_logs_out_and_in() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        browser.open(quickstart.0.address()).await;
        browser.page().main().follow("Register").await;
        quickstart.register(browser, "Ada").await;
        browser.page().within(Role::Navigation, "Account").shows("Ada").await;
        browser.page().main().find(Role::Heading, "Profile").await;

        quickstart.log_out(browser).await;
        quickstart.log_in(browser, "Ada").await;
        browser.page().main().shows(&format!("You are logged in as {}.", email("Ada"))).await;
    })
    .await;
}

/// The first sign-in makes an account, and the second one signs in to that account, also with another name and address.
#[tokio::test]
async fn a_guest_registers_and_signs_in_with_a_provider() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        let main = browser.page().main();
        let is_ada = async || {
            main.shows("You are signed in.").await;
            main.shows(&format!("You are logged in as {}.", email("Ada"))).await;
            browser.page().within(Role::Navigation, "Account").shows("Ada Lovelace").await;
            assert_eq!(browser.address().await, quickstart.url("/profile"));
        };
        quickstart.visit_provider(browser).await;
        consent(browser).await;
        is_ada().await;
        quickstart.log_out(browser).await;
        quickstart.visit_provider(browser).await;
        main.fill("Name", "Countess").await;
        main.fill("E-mail address", &email("Countess")).await;
        consent(browser).await;
        is_ada().await;
    })
    .await;
}

#[tokio::test]
async fn errors_are_shown_at_their_fields() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        quickstart.log_out(browser).await;

        quickstart.send_login(browser, "Ada", "not the password").await;
        browser.page().main().shows("The e-mail address or the password is wrong.").await;

        quickstart.open(browser, "/register").await;
        let main = browser.page().main();
        main.fill("Name", "Bob").await;
        main.fill("E-mail address", &email("Ada")).await;
        main.fill("Password", PASSWORD).await;
        main.fill("The same password again", "something else").await;
        main.press("Register").await;
        main.shows("Some fields are invalid.").await;
        let field = main.find(Role::Field, "The same password again").await;
        assert_eq!(field.attr("aria-invalid").await.unwrap().as_deref(), Some("true"));
        main.fill("The same password again", PASSWORD).await;
        main.press("Register").await;
        main.shows("This e-mail address belongs to another account.").await;
    })
    .await;
}

#[tokio::test]
async fn a_user_is_remembered_on_request() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        browser.restart().await;
        quickstart.open(browser, "/profile").await;
        let main = browser.page().main();
        main.shows("Log in to open this page.").await;
        main.tick(REMEMBER).await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        browser.page().main().find(Role::Heading, "Profile").await;

        browser.restart().await;
        quickstart.open(browser, "/profile").await;
        browser.page().main().find(Role::Heading, "Profile").await;
        browser.page().within(Role::Navigation, "Account").shows("Ada").await;
    })
    .await;
}

#[tokio::test]
async fn a_guest_gets_the_wanted_page_after_the_login() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        quickstart.log_out(browser).await;
        quickstart.open(browser, "/sessions").await;
        browser.page().main().shows("Log in to open this page.").await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        browser.page().main().find(Role::Heading, "Sessions").await;
    })
    .await;
}

/// Five wrong passwords; then the form says how long to wait, and cannot be sent.
/// Sends five logins with a wrong password at once. Nobody could type them within the minute of the limit on a machine that is busy.
const WRONG: &str = r#"
    const body = JSON.stringify({ email: arguments[0], password: "not the password" });
    const wrong = () => fetch("/web/auth/login", { method: "POST", headers: { "content-type": "application/json" }, body });
    const responses = await Promise.all(Array.from({ length: 5 }, wrong));
    return responses.map(({ status }) => status);
"#;

#[tokio::test]
async fn too_many_attempts_start_a_countdown() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        quickstart.log_out(browser).await;
        let main = browser.page().main();
        let statuses = browser.async_script(WRONG, vec![json!(email("Ada"))]).await;
        assert_eq!(statuses, json!({ "value": [401, 401, 401, 401, 401] }));
        quickstart.send_login(browser, "Ada", "not the password").await;
        main.shows("There were too many attempts. Try again later.").await;
        let wait = main.line("There were too many attempts").await;
        assert!(wait.contains("Wait ") && wait.ends_with(" s."), "{wait}");
    })
    .await;
}
