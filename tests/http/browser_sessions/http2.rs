//! HTTP/2: `:authority` names the host, and `Cookie` may be split into lines.

use super::browser::{Browser, SESSION};
use super::host;
use crate::support::{App, EMAIL};
use reqwest::{Client, Method, Version};

struct Response {
    status: u16,
    text: String,
}

async fn send(app: &App, method: Method, path: &str, headers: &[(&str, &str)]) -> Response {
    let client = Client::builder().http2_prior_knowledge().build().unwrap();
    let request = client.request(method, format!("http://{}{path}", app.address));
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let response = request.send().await.unwrap();
    assert_eq!(response.version(), Version::HTTP_2);
    let status = response.status().as_u16();
    Response { status, text: response.text().await.unwrap() }
}

#[tokio::test]
async fn the_authority_of_the_request_is_its_host() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let cookie = browser.cookie_header().unwrap();
    let own = format!("http://{}", app.address);
    let other_port = format!("http://127.0.0.1:{}", app.address.port() ^ 1);
    for (origin, is_own) in [
        (&*own, true),
        (&*own.replace("http:", "https:"), true),
        (&*own.to_uppercase(), true),
        (&*other_port, false),
        ("http://127.0.0.1", false),
        ("https://evil.example", false),
        ("null", false),
    ] {
        for (path, status) in [("/web/auth/login", 415), ("/me", 200), ("/browser", 200)] {
            let headers = [("cookie", &*cookie), ("origin", origin)];
            let answer = send(&app, Method::POST, path, &headers).await;
            assert_eq!(answer.status, if is_own { status } else { 403 }, "{path} {origin}: {}", answer.text);
        }
    }
    // What a client says in `Host` beside `:authority` does not count.
    let headers = [("cookie", &*cookie), ("origin", "https://evil.example"), ("host", "evil.example")];
    for path in ["/web/auth/login", "/me", "/browser"] {
        assert_eq!(send(&app, Method::POST, path, &headers).await.status, 403, "{path}");
    }
    let none = [("cookie", &*cookie)];
    assert_eq!(send(&app, Method::POST, "/web/auth/login", &none).await.status, 403);
    assert_eq!(send(&app, Method::GET, "/me", &none).await.status, 200);
}

#[tokio::test]
async fn a_cookie_in_several_lines_is_one() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let own = format!("{SESSION}={}", browser.session());
    for (lines, is_valid) in [
        (vec!["a=b", &*own, "c=d"], true),
        (vec![&*own], true),
        (vec![&*own, &*own], false),
        (vec![&*own, "__Host-Http-auth=x"], false),
        (vec!["__Host-Http-auth=x", &*own], false),
    ] {
        let headers: Vec<_> = lines.iter().map(|line| ("cookie", *line)).collect();
        let me = send(&app, Method::GET, "/me", &headers).await;
        assert_eq!(me.status, if is_valid { 200 } else { 401 }, "{lines:?}");
        let session = send(&app, Method::GET, "/web/auth/session", &headers).await;
        assert_eq!(session.text.contains("\"authenticated\":true"), is_valid, "{}", session.text);
    }
}
