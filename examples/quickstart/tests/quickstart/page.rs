//! The page at `/`, its headers, and the outbox of development.

use crate::host::{Directory, Host, command, end_of, log, registration, repository};
use crate::outbox;
use reqwest::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The files of the page, relative to its folder.
fn files(folder: &Path, prefix: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry"));
    let named = entries.map(|entry| (entry.path(), format!("{prefix}{}", entry.file_name().display())));
    named
        .flat_map(|(path, name)| if path.is_dir() { files(&path, &format!("{name}/")) } else { vec![name] })
        .collect()
}

async fn get(host: &Host, path: &str) -> Response {
    Client::new().get(host.url(path)).send().await.expect("a response")
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().expect("text"))
}

#[tokio::test]
async fn every_file_of_the_page_is_served_with_its_type() {
    let folder = repository("examples/quickstart/page");
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let files = files(&folder, "");
    assert!(files.len() >= 15, "{files:?}");
    for file in files {
        let path = if file == "index.html" { "/".to_owned() } else { format!("/page/{file}") };
        let response = get(&host, &path).await;
        assert_eq!(response.status(), 200, "{path}");
        let expected = match file.rsplit_once('.').expect("an extension").1 {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            _ => "image/svg+xml",
        };
        assert_eq!(header(&response, CONTENT_TYPE.as_str()), expected, "{path}");
        let text = fs::read_to_string(folder.join(&file)).expect("text");
        assert_eq!(response.text().await.expect("text"), text, "{path}");
    }
    assert_eq!(get(&host, "/page/nonsense.js").await.status(), 404);
}

#[tokio::test]
async fn a_browser_loads_nothing_else() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    for path in ["/", "/page/app.js", "/page/settings.json", "/outbox"] {
        let response = get(&host, path).await;
        let policy = header(&response, CONTENT_SECURITY_POLICY.as_str());
        let directives: Vec<_> = policy.split("; ").collect();
        for expected in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(directives.contains(&expected), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"), "{policy}");
        assert_eq!(header(&response, "x-content-type-options"), "nosniff");
        assert_eq!(header(&response, "referrer-policy"), "no-referrer");
        assert_eq!(header(&response, "cross-origin-resource-policy"), "same-origin");
    }
    let page = get(&host, "/").await.text().await.expect("text");
    for inline in ["style=", "<style", "onclick=", "onsubmit=", "http://", "https://"] {
        assert!(!page.contains(inline), "{inline}");
    }
    assert_eq!(page.matches("<script").count(), 1);
}

async fn settings(host: &Host) -> Value {
    get(host, "/page/settings.json").await.json().await.expect("JSON")
}

#[tokio::test]
async fn the_page_knows_which_features_are_on() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[("AUTH_FEATURES", "registration,sessions")]);
    assert_eq!(settings(&host).await["features"], json!(["registration", "sessions"]));
}

/// The word of the outbox in these tests.
const WORD: &str = "a-word-of-at-least-32-characters_";

/// `GET /outbox` with these headers.
async fn outbox_with(host: &Host, headers: &[(&str, &str)]) -> Response {
    let request = Client::new().get(host.url("/outbox"));
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    request.send().await.expect("a response")
}

#[tokio::test]
async fn in_development_the_outbox_shows_the_mails() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[("OUTBOX_TOKEN", WORD)]);
    assert_eq!(settings(&host).await["outbox"], true);
    let read = async || -> Value {
        let response = outbox_with(&host, &[("x-outbox", WORD)]).await;
        response.json().await.expect("JSON")
    };
    assert_eq!(read().await, json!([]));
    host.post("/auth/register", registration("ada@example.com")).await;
    for number in 1..=2 {
        host.post("/auth/forgot-password", json!({ "email": "ada@example.com" })).await;
        let source = outbox::mail(&directory, number).await;
        let mails = read().await;
        assert_eq!(mails.as_array().map(Vec::len), Some(number), "{mails}");
        assert_eq!(mails[0]["source"], source, "the newest first");
    }
}

/// Whoever the server believes to speak with: a request of this machine, of a proxy that says so, and of one that does not.
#[tokio::test]
async fn without_the_word_nobody_reads_the_outbox() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[("OUTBOX_TOKEN", WORD)]);
    let longer = format!("{WORD}x");
    for word in ["", "x", &WORD[1..], &longer, &WORD.to_uppercase()] {
        assert_eq!(outbox_with(&host, &[("x-outbox", word)]).await.status(), 403, "{word}");
    }
    for header in [(HOST.as_str(), "localhost:3000"), ("x-forwarded-for", "192.0.2.1"), ("via", "1.0 proxy")]
    {
        assert_eq!(outbox_with(&host, &[header]).await.status(), 403, "{header:?}");
    }
    for path in ["/outbox", &format!("/outbox?outbox={WORD}")] {
        assert_eq!(get(&host, path).await.status(), 403, "{path}");
    }
}

/// Each start has a word of its own, which is in the printed address alone.
#[tokio::test]
async fn the_printed_address_has_the_word() {
    let directory = Directory::new();
    let mut words = Vec::new();
    for _ in 0..2 {
        let host = Host::start(&directory, &[]);
        let printed = log(&directory);
        let page = format!("\n    {}/#outbox=", host.base());
        let word = printed.split_once(&page).unwrap_or_else(|| panic!("{printed}")).1;
        let word = word.lines().next().expect("a line");
        assert_eq!(word.len(), 32, "{word}");
        assert_eq!(outbox_with(&host, &[("x-outbox", word)]).await.status(), 200);
        assert_eq!(printed.matches(word).count(), 1, "{printed}");
        for path in ["/", "/page/settings.json", "/page/session.js"] {
            let response = get(&host, path).await;
            let shown = format!("{:?}", response.headers()) + &response.text().await.expect("text");
            assert!(!shown.contains(word), "{path}");
        }
        words.push(word.to_owned());
    }
    assert_ne!(words[0], words[1]);
}

#[test]
fn a_short_word_is_refused() {
    for word in [&WORD[..31], "a word with blanks, of more than 32 characters"] {
        let directory = Directory::new();
        let mut child = command(&directory, &[("OUTBOX_TOKEN", word)]).spawn().expect("the program starts");
        assert!(!end_of(&mut child).success(), "{word}");
        let log = log(&directory);
        assert!(log.contains("OUTBOX_TOKEN") && log.contains("at least 32") && !log.contains(word), "{log}");
    }
}

#[tokio::test]
async fn outside_of_development_there_is_no_outbox() {
    let smtp = ("SMTP_URL", "smtp://127.0.0.1:1");
    let public = ("PUBLIC_URL", "https://example.com");
    let everywhere = ("ADDR", "0.0.0.0:0");
    for variable in [smtp, public, everywhere] {
        let directory = Directory::new();
        let host = Host::start(&directory, &[variable]);
        assert_eq!(settings(&host).await["outbox"], false, "{variable:?}");
        assert_eq!(get(&host, "/outbox").await.status(), 404, "{variable:?}");
    }
}

#[tokio::test]
async fn the_openapi_document_has_the_routes_of_the_enabled_features() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[("AUTH_FEATURES", "registration")]);
    let response = get(&host, "/openapi.json").await;
    assert_eq!(header(&response, CONTENT_TYPE.as_str()), "application/json");
    let document: Value = response.json().await.expect("JSON");
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/auth/register"]["post"].is_object(), "{document}");
    assert!(
        document["paths"]["/web/auth/register"].is_null()
            && document["paths"]["/auth/user/password"].is_null()
    );
}
