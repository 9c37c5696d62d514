use super::*;
use std::time::UNIX_EPOCH;

const PAGE: Request<'_> =
    Request { path: "/", is_secure: true, is_same_site: true, is_safe: true, is_navigation: true };

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds)
}

/// The `Cookie` header of the request after a response with these headers.
fn sent(headers: &[&str], request: &Request<'_>) -> String {
    let mut jar = CookieJar::default();
    for header in headers {
        jar.receive(header.as_bytes(), &PAGE, at(0));
    }
    jar.header(request, at(1)).map(|header| header.to_str().unwrap().to_owned()).unwrap_or_default()
}

#[test]
fn a_cookie_is_replaced_and_deleted_by_name_and_path() {
    assert_eq!(sent(&["a=1", "b=2", "a=3"], &PAGE), "b=2; a=3");
    assert_eq!(sent(&["a=1; Path=/", "a=; Path=/; Max-Age=0"], &PAGE), "");
    assert_eq!(sent(&["a=1; Path=/", "a=; Path=/; Max-Age=-1"], &PAGE), "");
    assert_eq!(sent(&["a=1; Path=/", "a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], &PAGE), "");
    // `Max-Age` counts more than `Expires`.
    assert_eq!(sent(&["a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], &PAGE), "a=1");
    let below = Request { path: "/web/auth/login", ..PAGE };
    assert_eq!(sent(&["a=1; Path=/", "a=2; Path=/web", "a=; Path=/; Max-Age=0"], &below), "a=2");
}

#[test]
fn a_cookie_expires() {
    let mut jar = CookieJar::default();
    assert!(jar.receive(b"a=1; Max-Age=60", &PAGE, at(0)));
    assert!(jar.receive(b"b=2", &PAGE, at(0)));
    assert_eq!(jar.value("a", at(59)).as_deref(), Some("1"));
    assert_eq!(jar.value("a", at(60)), None);
    assert_eq!(jar.header(&PAGE, at(60)).unwrap(), "b=2");
    jar.restart();
    assert_eq!(jar.header(&PAGE, at(0)).unwrap(), "a=1");
}

#[test]
fn a_cookie_is_sent_below_its_path() {
    for (path, of_request, is_sent) in [
        ("/", "/a", true),
        ("/web", "/web", true),
        ("/web", "/web/auth", true),
        ("/web/", "/web/auth", true),
        ("/web/", "/web", false),
        ("/web", "/website", false),
        ("/web", "/", false),
    ] {
        let header = sent(&[&format!("a=1; Path={path}")], &Request { path: of_request, ..PAGE });
        assert_eq!(!header.is_empty(), is_sent, "{path} {of_request}");
    }
    assert_eq!(default_path("/web/auth/login"), "/web/auth");
    assert_eq!((default_path("/login"), default_path("/")), ("/", "/"));
    let both = Request { path: "/web/auth", ..PAGE };
    assert_eq!(sent(&["a=1; Path=/", "b=2; Path=/web"], &both), "b=2; a=1");
}

#[test]
fn what_a_name_promises_is_required() {
    for (header, is_accepted) in [
        ("__Host-a=1; Path=/; Secure", true),
        ("__Host-a=1; Path=/", false),
        ("__Host-a=1; Secure", false),
        ("__Host-a=1; Path=/web; Secure", false),
        ("__Host-a=1; Path=/; Secure; Domain=app.example.com", false),
        ("__HOST-a=1; Path=/", false),
        ("__Host-Http-a=1; Path=/; Secure; HttpOnly", true),
        ("__Host-Http-a=1; Path=/; Secure", false),
        ("__Http-a=1; Secure; HttpOnly", true),
        ("__Http-a=1; Secure", false),
        ("__Secure-a=1; Secure", true),
        ("__Secure-a=1", false),
        ("a=1; Domain=example.com", false),
        ("a=1; SameSite=None", false),
        ("a=1; SameSite=None; Secure", true),
        ("=1", false),
        ("a", false),
        ("a=\u{1}", false),
    ] {
        assert_eq!(CookieJar::default().receive(header.as_bytes(), &PAGE, at(0)), is_accepted, "{header}");
    }
    let long = format!("a={}", "x".repeat(4096));
    assert!(!CookieJar::default().receive(long.as_bytes(), &PAGE, at(0)));
}

#[test]
fn a_secure_cookie_needs_tls() {
    let plain = Request { is_secure: false, ..PAGE };
    assert_eq!(sent(&["a=1; Secure", "b=2"], &plain), "b=2");
    assert!(!CookieJar::default().receive(b"a=1; Secure", &plain, at(0)));
}

#[test]
fn another_site_gets_what_same_site_allows() {
    let cookies =
        ["strict=1; SameSite=Strict", "lax=2; SameSite=Lax", "default=3", "none=4; SameSite=None; Secure"];
    let other = Request { is_same_site: false, ..PAGE };
    assert_eq!(sent(&cookies, &PAGE), "strict=1; lax=2; default=3; none=4");
    assert_eq!(sent(&cookies, &other), "lax=2; default=3; none=4");
    assert_eq!(sent(&cookies, &Request { is_safe: false, ..other }), "none=4");
    let script = Request { is_navigation: false, ..other };
    assert_eq!(sent(&cookies, &script), "none=4");
    assert!(!CookieJar::default().receive(b"a=1", &script, at(0)));
    assert!(CookieJar::default().receive(b"a=1; SameSite=None; Secure", &script, at(0)));
}
