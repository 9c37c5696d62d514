//! The site's users, and what they do with a browser.

use super::{PASSWORD, Site};
use crate::browser::Browser;
use axum_auth_module::actions::RegistrationData;
use axum_auth_module::client::ClientAddress;
use axum_auth_module::services::RegistrationService;
use axum_auth_module::values::{EmailAddress, UserName};

impl Site {
    /// Creates an account, without a session. The address is `<name>@example.com`.
    pub(crate) async fn account(&self, name: &str) {
        let address = EmailAddress::parse(&email(name)).expect("an address");
        let password = self.auth.new_password(PASSWORD.to_owned(), PASSWORD).expect("a password");
        let data = RegistrationData::new(UserName::parse(name).expect("a name"), address, password);
        let registrations = self.auth.service::<RegistrationService>().expect("the feature is enabled");
        registrations.register(data, ClientAddress::UNKNOWN).await.expect("a new account");
        let id = self.users.by_email(&email(name)).expect("the new account").id;
        self.auth.admin().end_all_sessions(&id).await.expect("memory does not fail");
    }

    /// Logs in on the login page, from which the site leads to its first page.
    pub(crate) async fn log_in(&self, browser: &Browser, name: &str, remember: bool) {
        browser.open(&self.url("/login")).await;
        let page = browser.page();
        page.fill("Email", &email(name)).await;
        page.fill("Password", PASSWORD).await;
        if remember {
            page.tick("Remember me").await;
        }
        page.press("Log in").await;
        page.shows(&format!("Logged in as {name}")).await;
    }

    /// Goes from the login page to the provider, which shows its page.
    pub(crate) async fn visit_provider(&self, browser: &Browser) {
        browser.open(&self.url("/login")).await;
        browser.page().press("Log in with the provider").await;
        browser.page().shows("Demonstration provider").await;
    }

    /// Opens the first page, which must show that this user is logged in.
    pub(crate) async fn is_logged_in(&self, browser: &Browser, name: &str) {
        browser.open(&self.url("/")).await;
        browser.page().shows(&format!("Logged in as {name}")).await;
    }

    /// Logs out on the first page, which must be shown.
    pub(crate) async fn log_out(&self, browser: &Browser) {
        browser.page().press("Log out").await;
        browser.page().shows("Not logged in").await;
    }

    /// Opens the first page, which must show that nobody is logged in.
    pub(crate) async fn nobody_is_logged_in(&self, browser: &Browser) {
        browser.open(&self.url("/")).await;
        browser.page().shows("Not logged in").await;
    }
}

fn email(name: &str) -> String {
    format!("{}@example.com", name.to_lowercase())
}
