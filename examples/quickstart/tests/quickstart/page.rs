//! The page at `/`, its headers, and the outbox of development.

use crate::host::{Directory, Host, registration, repository, repository_file};
use crate::outbox;
use reqwest::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
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
    let host = Host::start(&directory, &[WORD]);
    for path in ["/", "/page/app.js", "/page/settings.json", "/outbox"] {
        let response = with_word(&host, path, WORD.1).await;
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

/// The word that opens the outbox in these tests.
const WORD: (&str, &str) = ("OUTBOX_TOKEN", "A-word_of-the-tests");

async fn with_word(host: &Host, path: &str, word: &str) -> Response {
    let request = Client::new().get(host.url(path)).header("x-outbox", word);
    request.send().await.expect("a response")
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

/// The page shows the rule before anybody has broken it.
#[tokio::test]
async fn the_page_knows_how_long_a_password_must_be() {
    for (features, characters) in
        [("registration", json!(12)), ("reset-passwords", json!(12)), ("", Value::Null)]
    {
        let directory = Directory::new();
        let variables = [("AUTH_FEATURES", features), ("AUTH_PASSWORD_MIN_CHARACTERS", "12")];
        let host = Host::start(&directory, &variables);
        assert_eq!(settings(&host).await["passwordMinCharacters"], characters, "{features}");
    }
}

/// A label and a script find an element by its id, also while a view and a dialog are shown at once.
#[test]
fn no_id_of_the_page_is_there_twice() {
    let page = repository_file("examples/quickstart/page/index.html");
    let mut ids: Vec<_> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(ids.len() > 100, "{ids:?}");
    ids.sort_unstable();
    let twice: Vec<_> = ids.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[tokio::test]
async fn in_development_the_outbox_shows_the_mails() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[WORD]);
    assert_eq!(settings(&host).await["outbox"], true);
    let read = async || -> Value { with_word(&host, "/outbox", WORD.1).await.json().await.expect("JSON") };
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

/// A proxy need not add any header, so no other header opens or closes the outbox.
#[tokio::test]
async fn the_outbox_opens_with_the_word_alone() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[WORD]);
    for wrong in ["", "x", WORD.1.trim_start_matches('A'), &format!("{}x", WORD.1), &WORD.1.to_lowercase()] {
        assert_eq!(with_word(&host, "/outbox", wrong).await.status(), 404, "{wrong}");
    }
    assert_eq!(get(&host, "/outbox").await.status(), 404);
    assert_eq!(get(&host, &format!("/outbox?outbox={}", WORD.1)).await.status(), 404);
    for (name, value) in [("host", "evil.example"), ("x-forwarded-for", "192.0.2.1"), ("via", "x")] {
        let request = Client::new().get(host.url("/outbox")).header(name, value);
        assert_eq!(request.send().await.expect("a response").status(), 404, "{name}");
        let request = Client::new().get(host.url("/outbox")).header(name, value).header("x-outbox", WORD.1);
        assert_eq!(request.send().await.expect("a response").status(), 200, "{name}");
    }
}

/// Without `OUTBOX_TOKEN` the word is in the second line that the program prints, and another one at each start.
#[tokio::test]
async fn the_word_is_in_the_printed_address() {
    let directory = Directory::new();
    let mut words = Vec::new();
    for _ in 0..2 {
        let host = Host::start(&directory, &[]);
        let line = host.next_line();
        let word = line.strip_prefix(&format!("the page, with the mails: {}/#outbox=", host.page()));
        let word = word.unwrap_or_else(|| panic!("{line}")).to_owned();
        assert!(word.len() >= 20, "{word}");
        assert_eq!(with_word(&host, "/outbox", &word).await.status(), 200);
        assert!(!directory.logs().contains(&word), "the word is in the log");
        words.push(word);
    }
    assert_ne!(words[0], words[1]);
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
