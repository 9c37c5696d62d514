//! Uses the site over HTTP, as a browser does.

mod client;

use client::{Browser, From, Page, Site};
use serde_json::Value;

const PASSWORD: &str = "correct-horse-battery";

async fn register(browser: &mut Browser, more: &str) -> Page {
    let form = format!(
        "name=Ada+%3CLovelace%3E&email=ada%40example.com&password={PASSWORD}&password_confirmation={PASSWORD}{more}"
    );
    browser.submit("/register", &form).await
}

fn login(password: &str) -> String {
    format!("email=ada%40example.com&password={password}")
}

#[tokio::test]
async fn registration_starts_a_session_with_a_cookie_that_no_script_can_read() {
    let site = Site::start("registration");
    let mut browser = site.browser();
    assert!(browser.get("/").await.body.contains("<a href=/login>Log in</a>"));

    let registered = register(&mut browser, "").await;
    assert!(registered.redirects_to("/"), "{} {}", registered.status, registered.body);
    let [cookie] = registered.set_cookies.as_slice() else { panic!("{:?}", registered.set_cookies) };
    let attributes: Vec<&str> = cookie.split("; ").skip(1).collect();
    assert!(cookie.starts_with("__Host-Http-"), "{cookie}");
    for attribute in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(attributes.contains(&attribute), "{cookie} has no {attribute}");
    }
    assert!(!cookie.contains("Max-Age") && !cookie.contains("Expires"), "the browser keeps it: {cookie}");

    let greeting = browser.get("/").await;
    assert!(greeting.body.contains("<h1>Hello Ada &lt;Lovelace&gt;</h1>"), "{}", greeting.body);
    let session: Value = serde_json::from_str(&browser.get("/auth/session").await.body).unwrap();
    assert_eq!(session["authenticated"], true);
    // `session.js` gives it to `new Date`, which takes such a text.
    assert!(
        session["expiresAt"].as_str().is_some_and(|time| time.starts_with("20") && time.ends_with('Z')),
        "{session}"
    );
}

#[tokio::test]
async fn with_remember_the_browser_keeps_the_cookie() {
    let site = Site::start("remember");
    let registered = register(&mut site.browser(), "&remember=on").await;
    assert!(registered.set_cookies[0].contains("; Max-Age="), "{:?}", registered.set_cookies);
    let logged_in = site.browser().submit("/login", &format!("{}&remember=on", login(PASSWORD))).await;
    assert!(logged_in.set_cookies[0].contains("; Max-Age="), "{:?}", logged_in.set_cookies);
}

#[tokio::test]
async fn the_login_leads_back_to_the_page_that_the_visitor_wanted() {
    let site = Site::start("next");
    register(&mut site.browser(), "").await;
    let mut browser = site.browser();
    let refused = browser.get("/notes").await;
    assert!(refused.redirects_to("/login?next=%2Fnotes"), "{} {}", refused.status, refused.location);
    let logged_in = browser.submit(&refused.location, &login(PASSWORD)).await;
    assert!(logged_in.redirects_to("/notes"), "{} {}", logged_in.status, logged_in.location);
    assert!(browser.get("/notes").await.body.contains("<h1>Your notes</h1>"));

    let other_host = site.browser().submit("/login?next=%2F%2Fevil.example", &login(PASSWORD)).await;
    assert!(other_host.redirects_to("/"), "{} {}", other_host.status, other_host.location);
}

#[tokio::test]
async fn only_forms_of_this_site_add_notes() {
    let site = Site::start("notes");
    let mut browser = site.browser();
    register(&mut browser, "").await;
    assert!(browser.submit("/notes", "text=%3Cb%3Emilk").await.redirects_to("/notes"));
    for from in [From::OtherSite, From::OtherSiteInOldBrowser] {
        let refused = browser.submit_from(from, "/notes", "text=forged").await;
        assert_eq!(refused.status, 403);
        assert!(refused.is_of_the_site(), "{}", refused.body);
    }
    let notes = browser.get("/notes").await.body;
    assert!(notes.contains("<ul><li>&lt;b&gt;milk</li></ul>"), "{notes}");

    // A form cannot log a visitor in to another account, either.
    let refused = site.browser().submit_from(From::OtherSite, "/login", &login(PASSWORD)).await;
    assert_eq!((refused.status.as_u16(), refused.set_cookies.len()), (403, 0));
}

#[tokio::test]
async fn only_pages_of_this_site_open_the_websocket() {
    let site = Site::start("websocket");
    let mut browser = site.browser();
    assert_eq!(browser.echo(From::SamePage, "hello").await, Err(401));
    register(&mut browser, "").await;
    assert_eq!(browser.echo(From::SamePage, "hello").await.as_deref(), Ok("hello"));
    assert_eq!(browser.echo(From::OtherSite, "hello").await, Err(403));
    assert_eq!(browser.echo(From::OtherSiteInOldBrowser, "hello").await, Err(403));
}

#[tokio::test]
async fn changing_the_password_requires_that_it_was_confirmed() {
    let site = Site::start("password");
    let mut browser = site.browser();
    assert!(browser.get("/password").await.redirects_to("/login?next=%2Fpassword"));
    register(&mut browser, "").await;
    let refused = browser.get("/password").await;
    assert!(
        refused.redirects_to("/confirm-password?next=%2Fpassword"),
        "{} {}",
        refused.status,
        refused.body
    );
    let confirmed = browser.submit(&refused.location, &format!("password={PASSWORD}")).await;
    assert!(confirmed.redirects_to("/password"), "{} {}", confirmed.status, confirmed.body);
    assert!(browser.get("/password").await.body.contains("<h1>Change the password</h1>"));

    let new = "another-horse-battery";
    let form = format!("current_password={PASSWORD}&password={new}&password_confirmation={new}");
    let changed = browser.submit("/password", &form).await;
    assert!(changed.redirects_to("/"), "{} {}", changed.status, changed.body);
    assert!(browser.get("/").await.body.contains("Hello Ada"));
    assert_eq!(site.browser().submit("/login", &login(PASSWORD)).await.status, 401);
    assert!(site.browser().submit("/login", &login(new)).await.redirects_to("/"));
}

#[tokio::test]
async fn errors_are_pages_of_the_site() {
    let site = Site::start("errors");
    let mut browser = site.browser();
    let invalid = browser.submit("/register", "name=&email=ada&password=a&password_confirmation=b").await;
    assert_eq!(invalid.status, 422);
    assert!(invalid.body.matches("<li>").count() >= 3, "{}", invalid.body);
    let pages = [
        (401, browser.submit("/login", &login("wrong")).await),
        (422, browser.submit("/login", "email=ada%40example.com").await),
        (404, browser.get("/nothing").await),
        (401, browser.submit("/password", "").await),
        (422, invalid),
    ];
    for (status, page) in pages {
        assert_eq!(page.status, status, "{}", page.body);
        assert!(page.is_of_the_site(), "{} {}", page.content_type, page.body);
    }
}

#[tokio::test]
async fn logout_ends_the_session() {
    let site = Site::start("logout");
    let mut browser = site.browser();
    register(&mut browser, "").await;
    let stolen = browser.cookies.clone();
    assert!(browser.submit("/logout", "").await.redirects_to("/"));
    assert!(browser.cookies.is_empty(), "{:?}", browser.cookies);
    assert!(browser.get("/").await.body.contains("<a href=/login>Log in</a>"));
    browser.cookies = stolen;
    assert!(browser.get("/notes").await.redirects_to("/login?next=%2Fnotes"));
}
