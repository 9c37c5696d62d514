//! `examples/pages`, used by a person whose browser runs no scripts.

mod accounts;
mod addresses;
mod by_mail;
mod gallery;
mod mailbox;
mod mails;
mod passkeys;
mod providers;
mod second_factor;
mod sessions;

use crate::browser::{self, Browser, Options, Role};
use crate::hosts::{PASSWORD, Program, Provider};

/// Where the program keeps its mails.
const OUTBOX: &str = "pages-data/outbox";

/// The field of the login.
const ACCOUNT: &str = "E-mail address or user name";

/// A running site with data of its own.
struct Pages(Program);

/// Runs a test with a browser that does not run the pages' scripts.
async fn without_scripts(test: impl AsyncFnOnce(&mut Browser)) {
    browser::run_with(Options { javascript: false }, test).await;
}

impl Pages {
    fn start() -> Self {
        Self(Program::start("pages", &[]))
    }

    /// A site with a provider, which is another site. Visitors open it at `localhost`, where the provider sends them back to.
    async fn start_with_provider() -> Self {
        let provider = Provider::new().await;
        let pages = Self(Program::start_with("pages", &provider.for_example("OIDC", "demo")).at_localhost());
        provider.serve([pages.url("/oauth/demo/callback")]);
        pages
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
        main.fill("The same password again", PASSWORD).await;
        main.press("Register").await;
        main.shows("Welcome! Your account is ready.").await;
    }

    /// Fills in the login form, which must be shown, and sends it.
    async fn send_login(&self, browser: &Browser, name: &str, password: &str) {
        let main = browser.page().main();
        main.fill(ACCOUNT, &email(name)).await;
        main.fill("Password", password).await;
        main.press("Log in").await;
    }

    async fn log_in(&self, browser: &Browser, name: &str) {
        browser.open(&self.url("/login")).await;
        self.send_login(browser, name, PASSWORD).await;
        browser.page().main().shows(&format!("Hello, {name}!")).await;
    }

    /// Goes from the login page to the provider.
    async fn visit_provider(&self, browser: &Browser) {
        browser.open(&self.url("/login")).await;
        browser.page().main().press("Log in with demo").await;
        browser.page().main().find(Role::Heading, "Demonstration provider").await;
    }

    async fn log_out(&self, browser: &Browser) {
        browser.page().press("Log out").await;
        browser.page().main().shows("You are logged out.").await;
    }

    /// Verifies the address of the user who is logged in.
    async fn verify(&self, browser: &Browser, name: &str) {
        browser.open(&self.url("/email-verification")).await;
        let main = browser.page().main();
        main.press("Send me a link").await;
        self.follow_mail(browser, &email(name), "email-verification").await;
        main.press("Yes, verify it").await;
        main.shows("Your e-mail address is verified.").await;
    }

    /// Follows a link of the navigation to a page that shows secrets, and confirms the password.
    async fn follow_and_confirm(&self, browser: &Browser, link: &str) {
        browser.page().follow(link).await;
        confirm_password(browser).await;
    }
}

/// Confirms the password on the page that asks for it.
async fn confirm_password(browser: &Browser) {
    let main = browser.page().main();
    main.shows("please show that it is still you").await;
    main.fill("Password", PASSWORD).await;
    main.press("Confirm").await;
    main.shows("That is confirmed.").await;
}

fn email(name: &str) -> String {
    format!("{}@example.com", name.to_lowercase())
}
