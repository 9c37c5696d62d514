//! `examples/spa`, used by a person, on both routers.

mod accounts;
mod gallery;
mod mails;
mod notes;
mod passkeys;
mod providers;
mod second_factor;
mod sessions;
mod tabs;

use crate::browser::{Browser, Role};
use crate::hosts::{PASSWORD, Program, Provider};

/// Where the program keeps its mails.
const OUTBOX: &str = "spa-outbox";

/// Where the session is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Credential {
    Cookie,
    Tokens,
}

impl Credential {
    const BOTH: [Self; 2] = [Self::Cookie, Self::Tokens];

    /// The label of the radio button that chooses it.
    const fn label(self) -> &'static str {
        match self {
            Self::Cookie => "a cookie (recommended)",
            Self::Tokens => "tokens in localStorage",
        }
    }
}

/// A running application with data of its own.
struct Spa(Program);

impl Spa {
    fn start() -> Self {
        Self(Program::start("spa", &[]))
    }

    /// An application that is visited at `localhost`.
    fn start_at_localhost() -> Self {
        Self(Program::start("spa", &[]).at_localhost())
    }

    /// An application with a provider, which is another site. It is visited at `localhost`, where the provider sends people back to.
    async fn start_with_provider() -> Self {
        let provider = Provider::new().await;
        let spa = Self(Program::start_with("spa", &provider.for_example("OIDC", "demo")).at_localhost());
        let address = spa.0.address();
        provider.serve([format!("{address}/auth/oauth/demo/callback"), format!("{address}/callback/demo")]);
        spa
    }

    fn url(&self, view: &str) -> String {
        format!("{}/#{view}", self.0.address())
    }

    /// Opens the application and chooses where the session is.
    async fn open(&self, browser: &Browser, credential: Credential) {
        browser.open(self.0.address()).await;
        browser.page().click(Role::Radio, credential.label()).await;
        browser.page().main().find(Role::Heading, "Log in").await;
    }

    /// Registers with the address `<name>@example.com`, which also logs in.
    async fn register(&self, browser: &Browser, name: &str) {
        let main = browser.page().main();
        main.follow("Create an account").await;
        main.fill("Name", name).await;
        main.fill("E-mail address", &email(name)).await;
        main.fill("Password", PASSWORD).await;
        main.fill("The same password again", PASSWORD).await;
        main.press("Create the account").await;
        main.find(Role::Heading, "Notes").await;
    }

    /// Fills in the login form, which must be shown, and sends it.
    async fn send_login(&self, browser: &Browser, name: &str, password: &str) {
        let main = browser.page().main();
        main.fill("E-mail address", &email(name)).await;
        main.fill("Password", password).await;
        main.press("Log in").await;
    }

    /// The application then shows the view that the address names.
    async fn log_in(&self, browser: &Browser, name: &str) {
        self.send_login(browser, name, PASSWORD).await;
        browser.page().find(Role::Button, "Log out").await;
    }

    /// Goes from the login, which must be shown, to the provider.
    async fn visit_provider(&self, browser: &Browser) {
        browser.page().main().press("Log in with demo").await;
        browser.page().main().find(Role::Heading, "Demonstration provider").await;
    }

    async fn log_out(&self, browser: &Browser) {
        browser.page().press("Log out").await;
        browser.page().main().find(Role::Heading, "Log in").await;
    }
}

/// Confirms the password in the dialog that asks for it.
async fn confirm_password(browser: &Browser) {
    let dialog = browser.page().within(Role::Dialog, "Confirm your password");
    dialog.fill("Password", PASSWORD).await;
    dialog.press("Confirm").await;
}

fn email(name: &str) -> String {
    format!("{}@example.com", name.to_lowercase())
}
