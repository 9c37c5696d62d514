//! Messages and mails in German, for a client that asks for German.

use crate::host::{Directory, Host, registration};
use crate::outbox::mail;
use reqwest::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE};
use reqwest::{Client, Method};
use serde_json::{Value, json};

/// The language and the body of a response to a request for this language.
async fn asked(host: &Host, method: Method, path: &str, (language, body): (&str, Value)) -> (String, Value) {
    let request = Client::new().request(method, host.url(path)).header(ACCEPT_LANGUAGE, language).json(&body);
    let response = request.send().await.expect("a response");
    let language =
        response.headers().get(CONTENT_LANGUAGE).expect("a language").to_str().expect("text").to_owned();
    (language, response.json().await.expect("JSON"))
}

#[tokio::test]
async fn messages_are_in_the_language_that_a_request_asks_for() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let login = json!({ "email": "ada@example.com", "password": "not the password" });
    for (asks, language, detail) in [
        ("de-AT, en;q=0.5", "de", "Die E-Mail-Adresse oder das Passwort ist falsch."),
        ("fr", "en", "The e-mail address or the password is wrong."),
    ] {
        let (answered, body) = asked(&host, Method::POST, "/auth/login", (asks, login.clone())).await;
        assert_eq!((answered.as_str(), &body["detail"]), (language, &json!(detail)));
    }
    // The routes of the host, too.
    let refused = json!("Bitte melden Sie sich an.");
    for path in ["/me", "/safe", "/vault", "/api/demo"] {
        let (answered, body) = asked(&host, Method::GET, path, ("de", json!({}))).await;
        assert_eq!((answered.as_str(), &body["detail"]), ("de", &refused), "{path}");
    }
}

#[tokio::test]
async fn a_mail_is_in_the_language_of_the_request_for_it() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    host.post("/auth/register", registration("ada@example.com")).await;
    for (number, (language, greeting)) in [("de", "Guten Tag,"), ("en", "Hello,")].into_iter().enumerate() {
        let body = json!({ "email": "ada@example.com" });
        asked(&host, Method::POST, "/auth/forgot-password", (language, body)).await;
        let mail = mail(&directory, number + 1).await;
        assert!(mail.contains(greeting), "{mail}");
    }
}
