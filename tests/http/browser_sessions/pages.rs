//! Pages of the host: where a visitor who is not logged in is sent, and `next`.

use super::browser::{Browser, SESSION};
use super::host;
use crate::support::providers::{CAUSE, faults};
use crate::support::{App, EMAIL, memory_users};
use axum_auth_module::config::BrowserOptions;
use axum_auth_module::extract::next_path;
use axum_auth_module::testing::Fault;
use reqwest::redirect::Policy;
use reqwest::{Client, Method};

/// A response with what a page can have.
#[derive(Debug)]
struct Page {
    status: u16,
    location: Option<String>,
    content_type: Option<String>,
    text: String,
}

/// Opens a page, and follows no redirect.
async fn open(app: &App, method: Method, path: &str, headers: &[(&str, &str)]) -> Page {
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let request = client.request(method, format!("http://{}{path}", app.address));
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let response = request.send().await.unwrap();
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    let (status, location, content_type) =
        (response.status().as_u16(), header("location"), header("content-type"));
    Page { status, location, content_type, text: response.text().await.unwrap() }
}

async fn sent_to(app: &App, method: Method, path: &str) -> String {
    let page = open(app, method, path, &[]).await;
    assert_eq!(page.status, 303, "{page:?}");
    page.location.expect("a location")
}

#[tokio::test]
async fn a_visitor_who_is_not_logged_in_is_sent_to_the_login_page() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    for path in ["/page", "/page?tab=1"] {
        assert!(sent_to(&app, Method::GET, path).await.starts_with("/login?next=%2Fpage"));
    }
    browser.register(EMAIL).await;
    assert_eq!(browser.get("/page").await.expect(200).text, EMAIL);
    let tokens = app.login(EMAIL).await;
    assert_eq!(app.get("/page").bearer(&tokens.access).await.expect(200).text, EMAIL);
    // An invalid cookie, one of a session that has ended, and an invalid token.
    let cookie = format!("{SESSION}={}", browser.session());
    browser.log_out().await;
    for header in [("cookie", &*cookie), ("cookie", "__Host-Http-auth=x"), ("authorization", "Bearer x")] {
        let page = open(&app, Method::GET, "/page", &[header]).await;
        assert_eq!((page.status, page.location.as_deref()), (303, Some("/login?next=%2Fpage")));
    }
}

/// The redirect has the path and query that the visitor wanted, with everything escaped that has a meaning in a query.
#[tokio::test]
async fn next_is_the_path_and_query_of_a_get_request() {
    let app = host::start().await;
    for (path, next) in [
        ("/page", "/page"),
        ("/page?a=b", "/page?a=b"),
        ("/page?a=b&c=d", "/page?a=b&c=d"),
        ("/page?", "/page?"),
        ("/page?next=//evil.example", "/page?next=//evil.example"),
        ("/page?a=%2F%2Fevil%0d%0aSet-Cookie:%20x=y", "/page?a=%2F%2Fevil%0d%0aSet-Cookie:%20x=y"),
        ("/nested/deeper/page", "/nested/deeper/page"),
        ("/nested/deeper/page?x=1#fragment", "/nested/deeper/page?x=1"),
    ] {
        let location = sent_to(&app, Method::GET, path).await;
        let (page, query) = location.split_once("?next=").unwrap();
        assert_eq!(page, "/login");
        assert!(
            query.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"%-._~".contains(&byte)),
            "{query}"
        );
        let decoded = axum::http::Uri::builder().path_and_query(format!("/?next={query}")).build().unwrap();
        let axum::extract::Query(pairs) =
            axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&decoded).unwrap();
        assert_eq!(pairs, [("next".to_owned(), next.to_owned())]);
        assert_eq!(next_path(next), Some(next));
    }
}

#[tokio::test]
async fn only_a_get_request_of_at_most_1024_bytes_has_a_next() {
    let app = host::start().await;
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::HEAD, Method::OPTIONS] {
        assert_eq!(sent_to(&app, method.clone(), "/page?a=b").await, "/login", "{method}");
    }
    let path = |length: usize| format!("/page?{}", "a".repeat(length - "/page?".len()));
    let location = sent_to(&app, Method::GET, &path(1024)).await;
    assert_eq!(location, format!("/login?next=%2Fpage%3F{}", "a".repeat(1018)));
    assert_eq!(sent_to(&app, Method::GET, &path(1025)).await, "/login");
    assert_eq!(sent_to(&app, Method::GET, &path(8000)).await, "/login");
}

#[tokio::test]
async fn the_login_page_is_the_one_of_the_configuration() {
    let options = BrowserOptions::default().login_page("/account/log-in");
    let app = host::start_with(|config| config.browser(options)).await;
    assert_eq!(sent_to(&app, Method::GET, "/page").await, "/account/log-in?next=%2Fpage");
    assert_eq!(sent_to(&app, Method::POST, "/page").await, "/account/log-in");
}

/// A visitor who is logged in and must prove something first.
#[tokio::test]
async fn a_visitor_who_must_prove_something_is_sent_to_the_page_for_that() {
    let options = BrowserOptions::default().confirm_page("/account/confirm");
    for (app, page) in [
        (host::start().await, "/confirm"),
        (host::start_with(|config| config.browser(options)).await, "/account/confirm"),
    ] {
        let browser = Browser::new(&app);
        for path in ["/page/confirmed", "/page/assured"] {
            assert!(sent_to(&app, Method::GET, path).await.starts_with("/login?next=%2Fpage%2F"));
        }
        browser.register(EMAIL).await;
        let sent_on = async |method: Method, path: &str| {
            let headers = [("cookie", &*browser.cookie_header().unwrap()), ("sec-fetch-site", "same-origin")];
            let page = open(&app, method, path, &headers).await;
            (page.status, page.location.unwrap_or_default())
        };
        let next = format!("{page}?next=%2Fpage%2Fconfirmed%3Fa%3Db");
        assert_eq!(sent_on(Method::GET, "/page/confirmed?a=b").await, (303, next));
        assert_eq!(browser.get("/page/assured").await.expect(200).text, EMAIL);
        app.advance(300);
        let next = format!("{page}?next=%2Fpage%2Fassured");
        assert_eq!(sent_on(Method::GET, "/page/assured").await, (303, next));
        assert_eq!(sent_on(Method::POST, "/page/assured").await, (303, page.to_owned()));
        browser.confirm().await.expect(200);
        for path in ["/page/confirmed", "/page/assured"] {
            assert_eq!(browser.get(path).await.expect(200).text, EMAIL);
        }
    }
}

/// `next` as an attacker writes it into a link to the login page.
#[test]
fn next_path_leads_to_this_host_alone() {
    for path in
        ["/", "/settings", "/a?b=c&d=//e", "/a#b", "/%2f%2fevil.example", "/a//b", "/..", "/:80", "/@evil"]
    {
        assert_eq!(next_path(path), Some(path));
    }
    for evil in [
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "/\\/evil.example",
        "\\\\evil.example",
        "\\/evil.example",
        "https:evil.example",
        "https:/evil.example",
        "https://evil.example",
        "HTTPS://evil.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "%2f%2fevil.example",
        "%5cevil.example",
        "evil.example",
        "@evil.example",
        ".evil.example",
        "?a",
        "#a",
        "",
        " //evil.example",
        "\t//evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "/\r\n/evil.example",
        "\r\n//evil.example",
        "/a\r\nSet-Cookie: a=b",
        "/a\u{0}",
        "/a\u{7f}",
        "/a b",
        "/ä",
        "/\u{2028}",
        "／／evil.example",
    ] {
        assert_eq!(next_path(evil), None, "{evil:?}");
    }
}

#[tokio::test]
async fn other_errors_are_pages() {
    let (users, faults) = (memory_users(), faults());
    let repository = faults.over(users.clone());
    let app = App::with_everything_on(repository, users, |config| config, |module| module).await;
    let app = host::with_pages(app).await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let cookie = browser.cookie_header().unwrap();
    let evil = [("cookie", &*cookie), ("sec-fetch-site", "cross-site")];
    let page = open(&app, Method::POST, "/page", &evil).await;
    assert_eq!((page.status, page.content_type.as_deref()), (403, Some("text/html; charset=utf-8")));
    assert!(page.text.contains("<h1>Forbidden</h1>"), "{}", page.text);
    assert!(page.text.contains("This request comes from a page of another origin."), "{}", page.text);
    // A link on another site leads to the page itself.
    let page = open(&app, Method::GET, "/page", &evil).await;
    assert_eq!((page.status, &*page.text), (200, EMAIL));

    faults.everywhere("users", Fault::Fails);
    let page = open(&app, Method::GET, "/page", &[("cookie", &cookie)]).await;
    assert!(
        page.status >= 500 && page.content_type.as_deref() == Some("text/html; charset=utf-8"),
        "{page:?}"
    );
    assert!(page.text.starts_with("<!doctype html>") && !page.text.contains(CAUSE), "{}", page.text);
}
