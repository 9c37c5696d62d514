//! Sign-in with a provider, as far as it goes without one: what is said when the callback leads back with an error.

use crate::browser::Browser;
use crate::site::Site;

#[tokio::test]
async fn the_login_page_says_what_has_failed_and_repeats_nothing() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    for (code, text) in [
        ("provider_refused", "or you have cancelled"),
        ("invalid_flow_token", "open it in your browser"),
        ("account_exists", "Log in to it as always"),
        ("<script>nonsense", "That did not succeed."),
    ] {
        browser.open(&format!("/login?error={code}")).await;
        assert_eq!(browser.page.status, 200, "{code}");
        assert!(browser.page.html.contains(text), "{code}: {}", browser.page.html);
        assert!(!browser.page.html.contains("nonsense"), "{}", browser.page.html);
    }
}

/// An account that has the address is linked after a login.
#[tokio::test]
async fn after_account_exists_the_login_leads_to_the_page_that_links() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/login?error=account_exists").await;
    assert!(browser.page.html.contains(r#"name="next" value="/link-provider""#), "{}", browser.page.html);
}

#[tokio::test]
async fn without_a_first_step_there_is_nothing_to_complete() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.open("/register-with-provider").await;
    assert_eq!(browser.page.address, "/login?error=invalid_flow_token");
    browser.register("ada@example.com").await;
    browser.open("/link-provider").await;
    browser.confirm_password().await;
    assert_eq!(browser.page.address, "/providers?notice=link-expired");
}

/// A form may lead to the providers that are configured, and nowhere else.
#[tokio::test]
async fn the_policy_names_the_pages_of_the_providers() {
    let google = [("GOOGLE_CLIENT_ID", "id"), ("GOOGLE_CLIENT_SECRET", "secret")];
    let site = Site::start_with(&google);
    let mut browser = Browser::new(&site);
    browser.open("/login").await;
    let policy = browser.page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.ends_with("form-action 'self' https://accounts.google.com"), "{policy}");
    assert!(browser.page.html.contains("Log in with Google"), "{}", browser.page.html);
}
