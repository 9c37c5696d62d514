//! The quickstart and its page at `/`, used by a person.

mod accounts;
mod addresses;
mod admin;
mod api_tokens;
mod deletions;
mod gallery;
mod guarded;
mod keyboard;
mod languages;
mod mails;
mod notices;
mod passkeys;
mod password;
mod passwords_shown;
mod profile;
mod providers;
mod readme;
mod routes;
mod second_factor;
mod sessions;
mod trusted_devices;
mod user_names;
mod wire;

use crate::browser::{Browser, Role};
use crate::hosts::{PASSWORD, Program};

/// The name of the checkbox on the forms for login and registration.
const REMEMBER: &str = "Remember me for up to 30 days, also after the browser was closed";

/// The field of the login.
const ACCOUNT: &str = "E-mail address or user name";

/// The field of the user name on the forms of new accounts and of the profile.
const USER_NAME: &str = "User name optional";

/// The word that opens the outbox.
const WORD: &str = "a-word-of-the-tests";

/// A running quickstart with data of its own.
struct Quickstart(Program);

impl Quickstart {
    fn start() -> Self {
        Self(Program::start("quickstart", &[("OUTBOX_TOKEN", WORD)]))
    }

    /// A quickstart with these environment variables as well.
    fn start_with(environment: &[(&str, &str)]) -> Self {
        Self(Program::start("quickstart", &[&[("OUTBOX_TOKEN", WORD)], environment].concat()))
    }

    /// A quickstart that is visited at `localhost`.
    fn start_at_localhost() -> Self {
        Self(Program::start("quickstart", &[("OUTBOX_TOKEN", WORD)]).at_localhost())
    }

    /// Waits for this number of mails, and returns the code in the last one.
    async fn code_of_mail(&self, number: usize) -> String {
        let mail = self.0.mail("quickstart-data/outbox", number).await;
        let is_code = |line: &&str| line.len() == 9 && line.replace(' ', "").parse::<u64>().is_ok();
        mail.lines().map(str::trim).find(is_code).expect("a code").to_owned()
    }

    /// A quickstart with these features alone.
    fn start_with_features(features: &str) -> Self {
        Self(Program::start("quickstart", &[("OUTBOX_TOKEN", WORD), ("AUTH_FEATURES", features)]))
    }

    /// Opens the address that the program prints, after which this tab can show the mails.
    async fn open_with_mails(&self, browser: &Browser) {
        browser.open(&format!("{}/#outbox={WORD}", self.0.address())).await;
    }

    /// A view of the page: `/login`.
    fn url(&self, view: &str) -> String {
        format!("{}/#{view}", self.0.address())
    }

    /// Opens the page, and a view of it.
    async fn open(&self, browser: &Browser, view: &str) {
        browser.open(&self.url(view)).await;
    }

    /// Registers with the address `<name>@example.com`, which also logs in.
    async fn register(&self, browser: &Browser, name: &str) {
        self.open(browser, "/register").await;
        let main = browser.page().main();
        main.fill("Name", name).await;
        main.fill("E-mail address", &email(name)).await;
        main.fill("Password", PASSWORD).await;
        main.fill("The same password again", PASSWORD).await;
        main.press("Register").await;
        main.shows("Your account exists, and you are logged in.").await;
    }

    /// Fills in the form for the login, which must be shown, and sends it.
    async fn send_login(&self, browser: &Browser, name: &str, password: &str) {
        let main = browser.page().main();
        main.find(Role::Heading, "Log in").await;
        main.fill(ACCOUNT, &email(name)).await;
        main.fill("Password", password).await;
        main.press("Log in").await;
    }

    async fn log_in(&self, browser: &Browser, name: &str) {
        self.open(browser, "/login").await;
        self.send_login(browser, name, PASSWORD).await;
        browser.page().main().shows("You are logged in.").await;
    }

    /// Verifies the address of the user whose profile is shown, and who has got no other mail.
    async fn verify(&self, browser: &Browser, name: &str) {
        let main = browser.page().main();
        main.press("Send a verification mail").await;
        main.shows("Mails are in the outbox.").await;
        mails::follow_newest_mail(browser, &email(name)).await;
        main.shows("The e-mail address is verified.").await;
    }

    async fn log_out(&self, browser: &Browser) {
        browser.page().press("Log out").await;
        browser.page().main().shows("You are logged out.").await;
    }
}

/// Confirms the password in the dialog that asks for it.
async fn confirm_password(browser: &Browser) {
    let dialog = browser.page().within(Role::Dialog, "Confirm that it is you");
    dialog.fill("Password", PASSWORD).await;
    dialog.press("Confirm").await;
}

fn email(name: &str) -> String {
    format!("{}@example.com", name.to_lowercase())
}
