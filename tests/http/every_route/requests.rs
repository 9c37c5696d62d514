//! What a request has to look like, and in which order it is checked (specification §6).

use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, endpoints_here};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

on_both_routers![
    an_unknown_route_is_a_404_for_every_method,
    a_parameter_of_a_path_that_is_not_utf_8_names_nothing,
    the_hosts_own_unknown_routes_stay_the_hosts,
    another_method_is_a_405_that_says_which_ones_there_are,
    only_json_is_read,
    what_is_not_one_json_object_is_malformed,
    a_body_may_have_64_kib,
    an_endless_body_is_cut_off,
    a_length_that_lies_is_not_believed,
    a_body_that_never_comes_is_not_waited_for,
    a_request_is_checked_in_the_order_of_the_specification,
    an_answer_never_echoes_what_was_sent,
    a_head_request_is_a_get_without_the_body,
];

async fn an_unknown_route_is_a_404_for_every_method() {
    let app = App::start().await;
    for path in
        ["/auth/nonsense", "/auth/login/", "/auth/login/x", "/auth/LOGIN", "/auth//login", "/auth/user"]
    {
        for method in ["GET", "POST", "PUT", "DELETE", "OPTIONS"] {
            app.request(method.parse().unwrap(), path).await.refused(404, "not_found");
        }
    }
}

async fn a_parameter_of_a_path_that_is_not_utf_8_names_nothing() {
    let app = App::with_everything().await;
    let tokens = app.confirmed_session(EMAIL).await;
    app.verify_address(EMAIL);
    for endpoint in endpoints_here().into_iter().filter(|endpoint| endpoint.path.contains('{')) {
        let path = endpoint.path.replace(['{', '}'], "%FF");
        let method = endpoint.method.as_str().parse().unwrap();
        let call = app.request(method, &format!("/auth{path}")).bearer(&tokens.access);
        let (status, code) = match endpoint.path {
            "/email/verify/{id}/{hash}" => (422, "invalid_verification_link"),
            _ => (404, "not_found"),
        };
        call.json(&json!({})).await.refused(status, code);
    }
}

async fn the_hosts_own_unknown_routes_stay_the_hosts() {
    let app = App::start().await;
    let answer = app.get("/nonsense").await.expect(404);
    assert_eq!(answer.text, "");
}

async fn another_method_is_a_405_that_says_which_ones_there_are() {
    let app = App::start().await;
    for (method, path, allow) in [
        ("GET", "/auth/login", "POST"),
        ("DELETE", "/auth/register", "POST"),
        ("GET", "/auth/logout", "POST"),
        ("POST", "/auth/user/confirmed-password-status", "GET,HEAD"),
    ] {
        let answer = app.request(method.parse().unwrap(), path).await.refused(405, "method_not_allowed");
        assert_eq!(answer.header("allow"), Some(allow), "{path}");
    }
}

async fn only_json_is_read() {
    let app = App::start().await;
    let login = json!({ "email": EMAIL, "password": PASSWORD }).to_string();
    for content_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "text/json",
        "application/json; charset=utf-16",
        "application/json; charset=iso-8859-1",
        "json",
        "",
    ] {
        let answer = app.post("/auth/login").body(content_type, login.clone()).await;
        answer.refused(415, "unsupported_media_type");
    }
    app.post("/auth/login").await.refused(415, "unsupported_media_type");
    let compressed = app.post("/auth/login").body("application/json", login.clone());
    compressed.header("content-encoding", "gzip").await.refused(415, "unsupported_media_type");
    for twice in ["content-type", "content-encoding"] {
        let value = if twice == "content-type" { "application/json" } else { "identity" };
        let call = app.post("/auth/login").body("application/json", login.clone());
        let call = if twice == "content-type" { call } else { call.header(twice, value) };
        call.header(twice, value).await.refused(415, "unsupported_media_type");
    }
    for content_type in [
        "application/json",
        "Application/JSON; charset=UTF-8",
        "application/json;charset=\"utf-8\"",
        "application/vnd.api+json",
    ] {
        app.post("/auth/login").body(content_type, login.clone()).await.refused(401, "invalid_credentials");
    }
}

async fn what_is_not_one_json_object_is_malformed() {
    let app = App::start().await;
    let deep = format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200));
    let bodies: Vec<Vec<u8>> = [
        "",
        " ",
        "x",
        "null",
        "[]",
        "\"x\"",
        "1",
        "{",
        "{}{}",
        "{\"email\":}",
        "{'email':1}",
        "\u{feff}{}",
        "{\"email\":\"a\",\"email\":\"b\"}",
        "{\"email\":\"a\",\"\\u0065mail\":\"b\"}",
        "{\"x\":{\"a\":1,\"a\":2}}",
        "{\"email\":\"\\ud800\"}",
        "{\"email\":NaN}",
        &deep,
        &"[".repeat(10_000),
    ]
    .map(|text| text.as_bytes().to_vec())
    .into_iter()
    .chain([b"{\"email\":\"\xff\xfe\"}".to_vec(), "{}".encode_utf16().flat_map(u16::to_le_bytes).collect()])
    .collect();
    for body in bodies {
        let shown = String::from_utf8_lossy(&body).chars().take(60).collect::<String>();
        let answer = app.post("/auth/login").body("application/json", body).await;
        assert_eq!((answer.status, answer.code()), (400, "malformed_request"), "{shown}");
    }
}

async fn a_body_may_have_64_kib() {
    let app = App::start().await;
    let body = |length: usize| {
        let frame = json!({ "email": EMAIL, "password": "" }).to_string();
        json!({ "email": EMAIL, "password": "x".repeat(length - frame.len()) }).to_string()
    };
    app.post("/auth/login").body("application/json", body(65_536)).await.refused(401, "invalid_credentials");
    app.post("/auth/login").body("application/json", body(65_537)).await.refused(413, "payload_too_large");
    app.post("/auth/login").body("text/plain", body(65_537)).await.refused(415, "unsupported_media_type");
    app.post("/auth/login")
        .body("application/json", "x".repeat(2_000_000))
        .await
        .refused(413, "payload_too_large");
    let small = App::configured(|config| config.body_limit(1024)).await;
    small.post("/auth/login").body("application/json", body(1025)).await.refused(413, "payload_too_large");
}

/// Sends a login of these bytes and reads what comes until the connection is closed or quiet for a moment.
async fn raw(app: &App, headers: &str, chunks: impl Iterator<Item = Vec<u8>>) -> String {
    let path = app.path("/auth/login");
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json\r\n{headers}"
    );
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let mut answer = vec![0; 4096];
    let sending = async {
        for chunk in chunks {
            if writer.write_all(&chunk).await.is_err() {
                break;
            }
        }
        std::future::pending::<usize>().await
    };
    let length = tokio::select! {
        length = reader.read(&mut answer) => length.unwrap(),
        length = sending => length,
    };
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

async fn an_endless_body_is_cut_off() {
    let app = App::start().await;
    let head = "transfer-encoding: chunked\r\n\r\n";
    let chunk = format!("400\r\n{}\r\n", "x".repeat(0x400)).into_bytes();
    let answer = raw(&app, head, std::iter::repeat(chunk)).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("payload_too_large"), "{answer}");
}

async fn a_length_that_lies_is_not_believed() {
    let app = App::start().await;
    let head = "content-length: 99999999\r\n\r\n";
    let answer = raw(&app, head, std::iter::repeat_n(vec![b'x'; 1024], 80)).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

async fn a_body_that_never_comes_is_not_waited_for() {
    let second = std::time::Duration::from_secs(1);
    let app = App::configured(|config| config.request_timeout(second)).await;
    let head = "content-length: 10\r\n\r\n{";
    let answer = raw(&app, head, std::iter::empty()).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
}

async fn a_request_is_checked_in_the_order_of_the_specification() {
    let app = App::start().await;
    let token = app.register(EMAIL).await.access;
    let confirm = || app.post("/auth/user/confirm-password");
    confirm().body("text/plain", "x").await.refused(401, "unauthenticated");
    confirm().bearer(&token).body("text/plain", "x").await.refused(415, "unsupported_media_type");
    let large = "x".repeat(70_000);
    confirm().bearer(&token).body("application/json", large).await.refused(413, "payload_too_large");
    confirm().bearer(&token).body("application/json", "x").await.refused(400, "malformed_request");
    confirm().bearer(&token).body("application/json", "{}").await.refused(422, "validation_failed");
    for _ in 0..5 {
        app.login_call(EMAIL, "wrong").await.expect(401);
    }
    app.login_call(EMAIL, "wrong").await.expect(429);
    app.post("/auth/login").json(&json!({ "email": EMAIL })).await.refused(422, "validation_failed");
}

async fn an_answer_never_echoes_what_was_sent() {
    let app = App::start().await;
    let needle = "n33dle";
    for body in [
        json!({ "email": needle, "password": needle }),
        json!({ "email": format!("{needle}@example.com"), "password": needle }),
        json!({ needle: needle }),
    ] {
        for path in ["/auth/login", "/auth/register", "/auth/refresh"] {
            assert!(!app.post(path).json(&body).await.text.contains(needle), "{path} {body}");
        }
    }
    assert!(!app.get(&format!("/auth/{needle}")).await.text.contains(needle));
    assert!(!app.get("/me").bearer(needle).await.text.contains(needle));
}

async fn a_head_request_is_a_get_without_the_body() {
    let app = App::start().await;
    let token = app.register(EMAIL).await.access;
    let head =
        app.request("HEAD".parse().unwrap(), "/auth/user/confirmed-password-status").bearer(&token).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
}
