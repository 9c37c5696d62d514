//! Providers: the demonstration provider of the quickstart, and two others. The page is open at `localhost`, where they send people back
//! to.

use super::second_factor::scan_and_confirm;
use super::{Quickstart, REMEMBER, confirm_password, email};
use crate::browser::{self, Browser, Role};
use crate::cookies::FLOW;
use crate::hosts::{PASSWORD, Program, Provider, callback, consent, consent_as};
use fantoccini::key::Key;

/// The button of the login.
const SIGN_IN: &str = "Sign in with the demonstration provider";

pub(super) const UNLINK: &str = "Unlink it: the demonstration provider, ada@example.com";
const REFUSED: &str = "The provider has not confirmed who you are, or you have cancelled.";
const OVER: &str = "That took too long, or began in another browser.";

impl Quickstart {
    /// Goes from the login to the demonstration provider.
    pub(super) async fn visit_provider(&self, browser: &Browser) {
        self.open(browser, "/login").await;
        browser.page().main().press(SIGN_IN).await;
        browser.page().main().find(Role::Heading, "Demonstration provider").await;
    }
}

/// A quickstart with an account of Ada's, who has a password and a verified address. Nobody is logged in.
pub(super) async fn with_account(browser: &Browser) -> Quickstart {
    let quickstart = Quickstart::start_at_localhost();
    quickstart.open_with_mails(browser).await;
    quickstart.register(browser, "Ada").await;
    quickstart.verify(browser, "Ada").await;
    quickstart.log_out(browser).await;
    quickstart
}

/// Links what Ada has at the provider, from her account.
async fn link(browser: &Browser) {
    let main = browser.page().main();
    browser.page().follow("Providers").await;
    main.press("Link the demonstration provider").await;
    confirm_password(browser).await;
    consent(browser).await;
    main.shows("You can sign in with it from now on.").await;
}

/// Has what Ada has linked unlinked, up to the confirmation if one is required.
pub(super) async fn ask_to_unlink(browser: &Browser) {
    browser.page().main().press(UNLINK).await;
    browser.page().within(Role::Dialog, "Unlink the demonstration provider?").press("Unlink it").await;
}

/// Only the cookie of the session is left.
async fn has_one_cookie(browser: &Browser) {
    let cookies = browser.cookies("").await;
    assert_eq!(cookies.len(), 1, "{cookies:?}");
    assert_eq!(cookies[0]["name"], "__Host-Http-auth");
}

#[tokio::test]
async fn an_account_with_the_address_is_linked_after_a_login() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = with_account(browser).await;
        let main = browser.page().main();
        let log_in = async || {
            quickstart.visit_provider(browser).await;
            consent(browser).await;
            main.shows("There is an account with ada@example.com already. Log in to it as always.").await;
            assert_eq!(browser.address().await, quickstart.url("/login"));
            quickstart.send_login(browser, "Ada", PASSWORD).await;
            main.find(Role::Heading, "Link a provider").await;
            main.shows("Somebody has signed in with the demonstration provider as ada@example.com").await;
        };
        log_in().await;
        main.follow("Do not link it").await;
        main.shows("There are none yet.").await;
        quickstart.log_out(browser).await;
        log_in().await;
        main.press("Yes, link it").await;
        confirm_password(browser).await;
        main.shows("You can sign in with it from now on.").await;
        main.find(Role::Button, UNLINK).await;
        has_one_cookie(browser).await;

        quickstart.log_out(browser).await;
        quickstart.visit_provider(browser).await;
        consent(browser).await;
        main.shows("You are signed in.").await;
        browser.page().within(Role::Navigation, "Account").shows("Ada").await;
    })
    .await;
}

/// A login with a password is no confirmation, one with a provider is.
#[tokio::test]
async fn an_identity_is_linked_and_unlinked_after_the_provider_has_confirmed_its_user() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = with_account(browser).await;
        let main = browser.page().main();
        quickstart.log_in(browser, "Ada").await;
        link(browser).await;
        assert_eq!(browser.address().await, quickstart.url("/providers"));
        quickstart.log_out(browser).await;

        quickstart.log_in(browser, "Ada").await;
        browser.page().follow("Providers").await;
        let leave = async || {
            ask_to_unlink(browser).await;
            let dialog = browser.page().within(Role::Dialog, "Confirm that it is you");
            dialog.find(Role::Field, "Password").await;
            dialog.press("Use the demonstration provider").await;
        };
        leave().await;
        main.press("Cancel").await;
        main.shows(REFUSED).await;
        leave().await;
        consent_as(browser, "mallory", "Mallory").await;
        main.shows(REFUSED).await;
        leave().await;
        consent(browser).await;
        main.shows("It is confirmed that it is you. Repeat what you wanted to do.").await;
        assert_eq!(browser.address().await, quickstart.url("/providers"));
        has_one_cookie(browser).await;
        ask_to_unlink(browser).await;
        main.shows("There are none yet.").await;
        browser.reload().await;
        main.shows("There are none yet.").await;
    })
    .await;
}

#[tokio::test]
async fn what_another_account_has_linked_cannot_be_linked() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        let main = browser.page().main();
        for (subject, name) in [("ada", "Ada"), ("bob", "Bob")] {
            quickstart.visit_provider(browser).await;
            consent_as(browser, subject, name).await;
            main.shows("You are signed in.").await;
            if subject == "ada" {
                quickstart.log_out(browser).await;
            }
        }
        browser.page().follow("Providers").await;
        // Who has signed in with a provider a moment ago is asked for nothing.
        main.press("Link the demonstration provider").await;
        consent(browser).await;
        main.shows("Somebody else's account is linked with that already.").await;
        assert_eq!(browser.address().await, quickstart.url("/providers"));
        main.find(Role::Button, "Unlink it: the demonstration provider, bob@example.com").await;
        browser.page().within(Role::Navigation, "Account").shows("Bob").await;
    })
    .await;
}

#[tokio::test]
async fn who_cancels_at_the_provider_or_has_no_verified_address_is_told_so() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        let main = browser.page().main();
        quickstart.visit_provider(browser).await;
        main.press("Cancel").await;
        main.shows(REFUSED).await;
        assert_eq!(browser.address().await, quickstart.url("/login"));
        assert!(browser.cookies("").await.is_empty());

        quickstart.visit_provider(browser).await;
        main.tick("The provider has verified the address").await;
        consent(browser).await;
        main.shows("The provider does not say that the address is yours, so it makes no account here.").await;
        assert!(browser.cookies("").await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn somebody_without_a_name_is_asked_for_one() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        let main = browser.page().main();
        quickstart.visit_provider(browser).await;
        consent_as(browser, "ada", "").await;
        main.find(Role::Heading, "Your new account").await;
        main.shows("The demonstration provider says that ada@example.com is yours.").await;
        browser.reload().await;
        main.fill("Name", "Ada").await;
        main.press("Create the account").await;
        main.shows("Your account exists, and you are signed in.").await;
        main.within(Role::Region, "Verification").shows("Verified").await;
        has_one_cookie(browser).await;
        quickstart.log_out(browser).await;
        quickstart.open(browser, "/register-by-provider").await;
        main.shows("Sign in with the provider once more.").await;
    })
    .await;
}

#[tokio::test]
async fn the_second_factor_is_asked_for_after_the_return() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        let main = browser.page().main();
        quickstart.visit_provider(browser).await;
        consent(browser).await;
        main.shows("You are signed in.").await;
        browser.page().follow("Second factor").await;
        main.press("Set up an authenticator app").await;
        let app = scan_and_confirm(browser).await;
        quickstart.log_out(browser).await;

        quickstart.open(browser, "/sessions").await;
        main.shows("Log in to open this page.").await;
        main.press(SIGN_IN).await;
        consent(browser).await;
        main.find(Role::Heading, "Your second factor").await;
        browser.reload().await;
        main.fill("Code of your authenticator app", &app.next_code()).await;
        main.press("Continue").await;
        main.shows("You are logged in.").await;
        main.find(Role::Heading, "Sessions").await;
        main.shows("provider and one-time code").await;
        has_one_cookie(browser).await;
    })
    .await;
}

#[tokio::test]
async fn a_user_of_a_provider_is_remembered_on_request() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        quickstart.open(browser, "/login").await;
        let main = browser.page().main();
        main.tick(REMEMBER).await;
        main.press(SIGN_IN).await;
        consent(browser).await;
        main.shows("You are signed in.").await;
        browser.restart().await;
        quickstart.open(browser, "/profile").await;
        browser.page().main().find(Role::Heading, "Profile").await;
    })
    .await;
}

#[tokio::test]
async fn a_guest_signs_in_by_keyboard() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        quickstart.open(browser, "/login").await;
        let main = browser.page().main();
        main.find(Role::Button, SIGN_IN).await;
        browser.tab_to(SIGN_IN).await;
        browser.press_key(Key::Enter).await;
        main.find(Role::Heading, "Demonstration provider").await;
        browser.tab_to("Name").await;
        browser.type_text("Countess").await;
        browser.tab_to("Continue").await;
        browser.press_key(Key::Enter).await;
        main.shows("You are signed in.").await;
        browser.page().within(Role::Navigation, "Account").shows("Countess").await;
    })
    .await;
}

/// Two providers that are other sites. The tab that began first comes back last, and its session takes the place of the other one.
#[tokio::test]
async fn two_tabs_sign_in_with_two_providers_at_once() {
    browser::run(async |browser: &mut Browser| {
        let [one, two] = [Provider::new().await, Provider::new().await];
        let environment = [one.for_example("OIDC", "one"), two.for_example("OIDC2", "two")].concat();
        let quickstart = Quickstart(Program::start_with("quickstart", &environment).at_localhost());
        for (provider, name) in [(one, "one"), (two, "two")] {
            provider.serve([format!("{}/web/auth/oauth/{name}/callback", quickstart.0.address())]);
        }
        let main = browser.page().main();
        quickstart.open(browser, "/login").await;
        main.press("Sign in with one").await;
        main.find(Role::Heading, "Demonstration provider").await;
        let first = browser.tab().await;
        let second = browser.new_tab(&quickstart.url("/login")).await;
        main.press("Sign in with two").await;
        main.find(Role::Heading, "Demonstration provider").await;
        assert_eq!(browser.cookies(FLOW).await.len(), 2);
        consent_as(browser, "grace", "Grace").await;
        main.shows(&format!("You are logged in as {}.", email("Grace"))).await;
        browser.switch_to(&first).await;
        consent(browser).await;
        main.shows(&format!("You are logged in as {}.", email("Ada"))).await;
        has_one_cookie(browser).await;
        browser.switch_to(&second).await;
        browser.reload().await;
        main.shows(&format!("You are logged in as {}.", email("Ada"))).await;
    })
    .await;
}

#[tokio::test]
async fn a_callback_is_of_no_use_to_another_browser() {
    browser::run(async |browser: &mut Browser| {
        browser::run(async |other: &mut Browser| {
            let quickstart = Quickstart::start_at_localhost();
            quickstart.visit_provider(browser).await;
            let callback = callback(browser).await;
            other.open(&callback).await;
            other.page().main().shows(OVER).await;
            other.page().main().shows("open it in your browser and try again").await;
            assert_eq!(other.address().await, quickstart.url("/login"));
            assert!(other.cookies("").await.is_empty());
            // It has used up neither the visit nor the code.
            browser.open(&callback).await;
            browser.page().main().shows("You are signed in.").await;
            has_one_cookie(browser).await;
        })
        .await;
    })
    .await;
}

/// Going back before the end of the sign-in begins it again. Going back after it leaves the user signed in.
#[tokio::test]
async fn the_back_button_does_no_harm() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        let main = browser.page().main();
        quickstart.visit_provider(browser).await;
        browser.back().await;
        main.press(SIGN_IN).await;
        consent(browser).await;
        main.shows("You are signed in.").await;
        browser.back().await;
        consent(browser).await;
        main.shows(OVER).await;
        assert_eq!(browser.address().await, quickstart.url("/profile"));
        browser.page().follow("Sessions").await;
        main.find(Role::Button, "Log out: Chrome on Linux").await;
    })
    .await;
}

/// The cookies of a sign-in that begins at an IP address would not be there when the provider sends people back. A session would
/// not be there for the link of a mail.
#[tokio::test]
async fn a_page_at_an_ip_address_links_to_the_one_that_mails_and_providers_lead_to() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open_with_mails(browser).await;
        let main = browser.page().main();
        let address = quickstart.0.address().strip_prefix("http://").expect("a URL");
        main.shows(&format!("You are at {address}.")).await;
        let button = main.find(Role::Button, SIGN_IN).await;
        assert!(!button.is_enabled().await.expect("a button"));
        quickstart.register(browser, "Ada").await;
        main.press("Send a verification mail").await;
        main.shows("Mails are in the outbox.").await;
        let mail = quickstart.0.mail("quickstart-data/outbox", 1).await;
        let there = address.replace("127.0.0.1", "localhost");
        assert!(mail.contains(&format!("\r\nhttp://{there}/#/verify-email?")), "{mail}");

        main.follow(&format!("Open {there}")).await;
        main.find(Role::Heading, "Log in").await;
        main.hides("You are at").await;
        assert!(browser.address().await.starts_with(&format!("http://{there}/")));
        let button = main.find(Role::Button, SIGN_IN).await;
        assert!(button.is_enabled().await.expect("a button"));
        // It has the word of the outbox.
        browser.page().follow("Outbox").await;
        main.shows(&format!("To {}", email("Ada"))).await;
    })
    .await;
}
