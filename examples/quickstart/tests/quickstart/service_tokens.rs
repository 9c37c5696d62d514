//! Tokens for the service `billing`, and the keys that other services read.

use crate::host::{Directory, Host, command, end_of, log, registration};
use axum_auth_module::config::ServiceKeys;
use reqwest::Method;
use serde_json::{Value, json};
use std::fs;

async fn token(host: &Host) -> Value {
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    let access = registered.text("accessToken").to_owned();
    let body = json!({ "audience": "billing" });
    let token = host.call_as(&access, Method::POST, "/auth/service-token", body).await;
    assert_eq!(token.status, 200, "{token:?}");
    let other = json!({ "audience": "search" });
    assert_eq!(host.call_as(&access, Method::POST, "/auth/service-token", other).await.status, 422);
    token.body
}

async fn key_ids(host: &Host) -> Vec<String> {
    let set: Value = reqwest::get(host.url("/.well-known/jwks.json")).await.unwrap().json().await.unwrap();
    let keys = set["keys"].as_array().unwrap();
    keys.iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_key_is_made_once_and_kept() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    assert!(token(&host).await["token"].is_string());
    let ids = key_ids(&host).await;
    assert_eq!(ids.len(), 1);
    host.kill();
    assert_eq!(key_ids(&Host::start(&directory, &[])).await, ids);
    let file = directory.data().join("service-key.pem");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(fs::read_to_string(file).unwrap().starts_with("-----BEGIN PRIVATE KEY-----"));
}

#[tokio::test]
async fn the_keys_of_files_are_published() {
    let directory = Directory::new();
    let files = ["key", "next", "previous"].map(|name| {
        let file = directory.file(name);
        fs::write(&file, ServiceKeys::new_ed25519_pem().unwrap()).unwrap();
        file.to_str().unwrap().to_owned()
    });
    let names = ["SERVICE_KEY_PEM_FILE", "SERVICE_NEXT_KEY_PEM_FILE", "SERVICE_PREVIOUS_KEY_PEM_FILE"];
    let environment: Vec<_> = names.into_iter().zip(files.iter().map(String::as_str)).collect();
    let host = Host::start(&directory, &environment);
    assert_eq!(key_ids(&host).await.len(), 3);
    assert!(!directory.data().join("service-key.pem").exists());
}

#[test]
fn what_is_no_key_is_an_error_without_the_text_of_the_file() {
    for name in ["SERVICE_KEY_PEM_FILE", "SERVICE_NEXT_KEY_PEM_FILE", "SERVICE_PREVIOUS_KEY_PEM_FILE"] {
        for text in ["wrong-key", "-----BEGIN EC PRIVATE KEY-----\nwrong-key\n-----END EC PRIVATE KEY-----\n"]
        {
            let directory = Directory::new();
            let file = directory.file("key.pem");
            fs::write(&file, text).unwrap();
            let mut child = command(&directory, &[(name, file.to_str().unwrap())]).spawn().unwrap();
            assert_eq!(end_of(&mut child).code(), Some(1));
            let text = log(&directory);
            assert!(text.contains(name) && text.contains("PKCS#8"), "{text}");
            assert!(!text.contains("wrong-key"), "{text}");
        }
    }
    let directory = Directory::new();
    let mut child = command(&directory, &[("SERVICE_KEY_PEM_FILE", "/no/such/file")]).spawn().unwrap();
    assert_eq!(end_of(&mut child).code(), Some(1));
    assert!(log(&directory).contains("\n  SERVICE_KEY_PEM_FILE: the file cannot be read: "));
}
