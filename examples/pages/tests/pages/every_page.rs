//! What holds for every page.

use crate::browser::{Browser, Page};
use crate::html::tags;
use crate::site::Site;
use std::collections::BTreeSet;

const FOR_EVERYBODY: [&str; 12] = [
    "/",
    "/register",
    "/login",
    "/login?error=account_exists",
    "/register-with-provider",
    "/login-by-mail",
    "/forgot-password",
    "/reset-password",
    "/revert?token=1",
    "/restore?token=1",
    "/secure?token=1",
    "/nowhere",
];

/// With what the password was confirmed for.
const FOR_USERS: [&str; 14] = [
    "/profile",
    "/password",
    "/email-verification",
    "/verify-email?id=1&hash=2&signature=3&expires=4",
    "/email",
    "/email-change?token=1",
    "/confirm",
    "/sessions",
    "/passkeys",
    "/providers",
    "/link-provider",
    "/two-factor",
    "/recovery-codes",
    "/delete-account",
];

#[tokio::test]
async fn every_page_is_accessible_and_protected() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    for address in FOR_EVERYBODY {
        browser.open(address).await;
        check(&browser.page);
    }
    browser.register("ada@example.com").await;
    browser.open("/two-factor").await;
    browser.confirm_password().await;
    browser.send("enable", &[]).await;
    check(&browser.page);
    for address in FOR_USERS {
        browser.open(address).await;
        check(&browser.page);
    }
    // A page with errors.
    browser.open("/password").await;
    browser.send("password", &[]).await;
    assert_eq!(browser.page.status, 422);
    check(&browser.page);
}

#[tokio::test]
async fn a_page_for_users_leads_to_the_login_page() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    for address in FOR_USERS.into_iter().chain(["/members", "/safe"]) {
        browser.open(address).await;
        assert!(browser.page.address.starts_with("/login?next=%2F"), "{address}: {}", browser.page.address);
    }
}

fn check(page: &Page) {
    headers(page);
    let tags = tags(&page.html);
    let attributes = |name: &str| tags.iter().filter_map(|tag| tag.attribute(name)).collect::<Vec<_>>();
    assert_eq!(tags.iter().filter(|tag| tag.name == "h1").count(), 1, "{}", page.html);
    assert!(tags.iter().any(|tag| tag.name == "html" && tag.attribute("lang").is_some()));
    let ids: BTreeSet<_> = attributes("id").into_iter().collect();
    assert_eq!(ids.len(), attributes("id").len(), "an id occurs twice in {}", page.html);
    for described_by in attributes("aria-describedby") {
        assert!(described_by.split(' ').all(|id| ids.contains(id)), "{described_by}");
    }
    // Nothing that the policy would block.
    for tag in &tags {
        assert!(!["style", "iframe"].contains(&tag.name), "{tag:?}");
        assert!(tag.name != "script" || tag.attribute("src") == Some("/passkeys.js"), "{tag:?}");
        assert!(tag.attribute_names().all(|name| name != "style" && !name.starts_with("on")), "{tag:?}");
    }
    let is_own = |source: &&str| source.starts_with("data:image/") || *source == "/passkeys.js";
    assert!(attributes("src").iter().all(is_own));
    for form in tags.iter().filter(|tag| tag.name == "form") {
        assert_eq!(form.attribute("method"), Some("post"));
        assert!(form.attribute("action").is_some_and(|action| action.starts_with('/')));
    }
    // Every field has a label, and says what belongs into it.
    let labels = attributes("for");
    let is_field = |kind: Option<&str>| !matches!(kind, Some("hidden" | "checkbox"));
    for input in tags.iter().filter(|tag| tag.name == "input" && tag.attribute("hidden").is_none()) {
        if input.attribute("type") != Some("hidden") {
            assert!(input.attribute("id").is_some_and(|id| labels.contains(&id)), "{input:?} has no label");
        }
        if is_field(input.attribute("type")) {
            assert!(input.attribute("autocomplete").is_some_and(|purpose| !purpose.is_empty()), "{input:?}");
        }
        assert!(
            input.attribute("type") != Some("password") || input.attribute("value") == Some(""),
            "{input:?}"
        );
    }
}

fn headers(page: &Page) {
    let policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; \
                  base-uri 'none'; frame-ancestors 'none'; form-action 'self'";
    for (name, value) in [
        ("content-security-policy", policy),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cache-control", "no-store"),
        ("content-type", "text/html; charset=utf-8"),
    ] {
        assert_eq!(page.headers[name], value, "{}", page.address);
    }
}
