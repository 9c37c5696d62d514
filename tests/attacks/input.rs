//! Bodies, headers and paths that a client of ours would never send (RFC 8259, RFC 9110, RFC 9457; ASVS 2.2.1, 4.1.1, 15.3.3).

use super::target::{EVE, INVALID_CREDENTIALS, NOT_FOUND, Refusal, Target, attacks};
use crate::passwordless_registration::registration_token;
use crate::support::{Account, App, Call, EMAIL, PASSWORD, registration};
use axum_auth_module::clock::Clock;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

attacks! {
    on_both_routers {
        bodies_that_are_not_one_object: 28,
        bodies_of_other_types: 20,
        bodies_that_are_too_long: 6,
        requests_that_a_client_library_does_not_send: 4,
        fields_of_the_record: 48,
        queries_in_place_of_texts: 18,
        paths: 22,
        methods: 12,
    }
}

const MALFORMED: Refusal = (400, "malformed_request");
const UNSUPPORTED: Refusal = (415, "unsupported_media_type");
const TOO_LARGE: Refusal = (413, "payload_too_large");

fn login() -> String {
    json!({ "email": EMAIL, "password": PASSWORD }).to_string()
}

async fn bodies_that_are_not_one_object() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    let with = |text: &str| login().replacen('}', text, 1).into_bytes();
    let utf_16 = |order: fn(u16) -> [u8; 2]| login().encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let texts = [
        "",
        " ",
        "x",
        "null",
        "true",
        "1",
        "\"x\"",
        "[]",
        "{",
        "{}{}",
        "{'email':1}",
        "{\"email\":NaN}",
        "{\"email\":\"\\ud800\"}",
        "{\"email\":\"a\tb\"}",
        "// a comment\n{}",
    ];
    let texts = texts.map(|text| text.as_bytes().to_vec());
    let others = [
        [&b"["[..], login().as_bytes(), b"]"].concat(),
        format!("\u{feff}{}", login()).into_bytes(),
        utf_16(u16::to_le_bytes),
        utf_16(u16::to_be_bytes),
        with(",}"),
        with("} x"),
        with(r#","email":"eve@example.com"}"#),
        with(r#","\u0065mail":"eve@example.com"}"#),
        with(r#","x":{"a":1,"a":2}}"#),
        with(&format!(r#","x":{}1{}}}"#, "[".repeat(200), "]".repeat(200))),
        with(&format!(r#","x":{}1{}}}"#, r#"{"a":"#.repeat(200), "}".repeat(200))),
        "[".repeat(20_000).into_bytes(),
        [&b"{\"email\":\"\xff\xfe\","[..], &login().as_bytes()[1..]].concat(),
    ];
    for body in texts.into_iter().chain(others) {
        let shown: String = String::from_utf8_lossy(&body).chars().take(80).collect();
        let call = target.post("/auth/login").body("application/json", body);
        target.refuses(shown, call, MALFORMED).await;
    }
    let call = target.post("/auth/login").body("application/json", login());
    target.serves("the body", call, 200).await;
    target
}

async fn bodies_of_other_types() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    let post = |content_type: &str| target.post("/auth/login").body(content_type, login());
    for content_type in [
        "",
        "json",
        "text/json",
        "text/plain",
        "text/html",
        "application/jsonp",
        "application/json, text/plain",
        "application/json; charset=utf-16",
        "application/json; charset=utf-7",
        "application/json; charset=iso-8859-1",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/octet-stream",
    ] {
        target.refuses(content_type, post(content_type), UNSUPPORTED).await;
    }
    for encoding in ["gzip", "deflate", "br", "zstd"] {
        let call = post("application/json").header("content-encoding", encoding);
        target.refuses(encoding, call, UNSUPPORTED).await;
    }
    let twice = post("application/json").header("content-type", "application/json");
    target.refuses("a type twice", twice, UNSUPPORTED).await;
    target.refuses("no type", target.post("/auth/login"), UNSUPPORTED).await;
    for content_type in ["application/json", "Application/JSON;charset=\"UTF-8\"", "application/vnd.api+json"]
    {
        target.serves(content_type, post(content_type), 200).await;
    }
    target
}

async fn bodies_that_are_too_long() -> Target {
    let target = Target::without_limits().await;
    let access = target.register(EMAIL).await.access;
    let padded = |length: usize| {
        let frame = login();
        format!("{}{}", " ".repeat(length - frame.len()), frame)
    };
    let post = |body: String| target.post("/auth/login").body("application/json", body);
    for length in [65_537, 70_000, 2_000_000, 10_000_000] {
        target.refuses(length, post(padded(length)), TOO_LARGE).await;
    }
    let confirm = target.post("/auth/user/confirm-password").bearer(&access);
    target.refuses("with a session", confirm.body("application/json", padded(2_000_000)), TOO_LARGE).await;
    // Who is not logged in is told nothing of the body.
    let confirm = target.post("/auth/user/confirm-password").body("text/plain", padded(2_000_000));
    target.refuses("without one", confirm, (401, "unauthenticated")).await;
    target.serves("64 KiB", post(padded(65_536)), 200).await;
    target
}

/// The first line of what comes back on a connection of its own.
async fn raw(app: &App, headers: &str, body: &[u8]) -> String {
    let path = app.path("/auth/login");
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json\r\n{headers}\r\n"
    );
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    // The host may close the connection before it has read everything.
    let _sent = stream.write_all(&[head.as_bytes(), body].concat()).await;
    let mut answer = vec![0; 1024];
    let length = stream.read(&mut answer).await.unwrap_or_default();
    let answer = String::from_utf8_lossy(&answer[..length]).into_owned();
    answer.lines().next().unwrap_or_default().to_owned()
}

async fn requests_that_a_client_library_does_not_send() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    let chunk = [b"400\r\n".as_slice(), &[b'x'; 0x400], b"\r\n"].concat();
    let endless = chunk.repeat(80);
    let right = login();
    for (what, headers, body, status) in [
        ("endless chunks", "transfer-encoding: chunked\r\n", endless.as_slice(), " 413 "),
        ("a length that is not true", "content-length: 99999999\r\n", &[b'x'; 80 * 1024], " 413 "),
        ("a negative length", "content-length: -1\r\n", right.as_bytes(), " 400 "),
        ("two lengths", "content-length: 2\r\ncontent-length: 60\r\n", right.as_bytes(), " 400 "),
    ] {
        let line = raw(&target, headers, body).await;
        target.withstands(format!("{what}: {line}"), line.contains(status));
    }
    let line = raw(&target, &format!("content-length: {}\r\n", right.len()), right.as_bytes()).await;
    target.works(line.clone(), line.contains(" 200 "));
    target
}

/// Every field of the record, sent along with a registration, with a profile update and with a registration without a password: none reaches it.
async fn fields_of_the_record() -> Target {
    let target = Target::without_limits().await;
    let access = target.register(EMAIL).await.access;
    let values = [
        ("id", json!(7)),
        ("emailVerifiedAt", json!("2020-01-01T00:00:00Z")),
        ("email_verified_at", json!(1)),
        ("twoFactorSecret", json!("x")),
        ("two_factor_secret", json!("x")),
        ("twoFactorRecoveryCodes", json!(["x"])),
        ("twoFactorConfirmedAt", json!("2020-01-01T00:00:00Z")),
        ("two_factor_confirmed_at", json!(1)),
        ("passwordConfirmedAt", json!("2099-01-01T00:00:00Z")),
        ("password_confirmed_at", json!(1)),
        ("active", json!(false)),
        ("isActive", json!(false)),
        ("isAdmin", json!(true)),
        ("plan", json!("pro")),
        ("__proto__", json!({ "isAdmin": true })),
        ("constructor", json!({ "prototype": { "isAdmin": true } })),
    ];
    for (n, (field, value)) in values.into_iter().enumerate() {
        let email = format!("user{n}@example.com");
        let mut body = registration(&email);
        body[field] = value.clone();
        target.shrugs_off(field, target.post("/auth/register").json(&body), 201).await;
        assert_is_plain(&target, &email);
        let body = json!({ "name": "Ada", "email": EMAIL, field: value, "password": "another password" });
        let update = target.put("/auth/user/profile-information").bearer(&access).json(&body);
        target.shrugs_off(field, update, 200).await;
        assert_is_plain(&target, EMAIL);
        let email = format!("mailed{n}@example.com");
        let token = registration_token(&target, &email).await;
        let body = json!({ "registrationToken": token, "name": "Ada", field: value, "password": "another password" });
        let register = target.post("/auth/register/passwordless").json(&body);
        target.shrugs_off(field, register, 201).await;
        assert_has_proven_the_mailbox_only(&target, &email);
    }
    let ids: Vec<_> = target.users.all().iter().map(|user| user.id).collect();
    assert_eq!(ids.len(), 33);
    target.serves("the password is the one of before", target.login_call(EMAIL, PASSWORD), 200).await;
    target
}

fn assert_is_plain(target: &Target, email: &str) {
    let user = target.users.by_email(email).unwrap();
    assert!(user.email_verified_at.is_none() && user.password_confirmed_at.is_none(), "{email}");
    assert_has_no_second_factor_and_no_rights(&user);
}

fn assert_has_proven_the_mailbox_only(target: &Target, email: &str) {
    let (user, now) = (target.users.by_email(email).unwrap(), target.clock.now());
    assert!(user.password.is_empty(), "{email}");
    for at in [user.email_verified_at, user.password_confirmed_at] {
        assert!(at.unwrap() <= now && now.duration_since(at.unwrap()).unwrap().as_secs() < 60, "{email}");
    }
    assert_has_no_second_factor_and_no_rights(&user);
}

fn assert_has_no_second_factor_and_no_rights(user: &Account) {
    let email = &user.email;
    assert!(user.two_factor_secret.is_none() && user.two_factor_recovery_codes.is_none(), "{email}");
    assert!(user.two_factor_confirmed_at.is_none() && user.active && user.plan.is_none(), "{email}");
}

/// What a query language or a template could make of a text.
async fn queries_in_place_of_texts() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    let post = |email: Value, password: Value| {
        target.post("/auth/login").json(&json!({ "email": email, "password": password }))
    };
    for value in [
        json!({ "$ne": null }),
        json!({ "$gt": "" }),
        json!({ "$regex": ".*" }),
        json!([EMAIL, EVE]),
        json!(true),
        json!(0),
    ] {
        let call = post(value.clone(), json!(PASSWORD));
        target.refuses_fields(&value, call, &["email: wrong_type"]).await;
        let call = post(json!(EMAIL), value.clone());
        target.refuses_fields(&value, call, &["password: wrong_type"]).await;
    }
    for text in ["' OR '1'='1", "\" OR \"\"=\"", "'; DROP TABLE users; --", "*)(uid=*", "${7*7}", "{{7*7}}"] {
        target.refuses(text, post(json!(EMAIL), json!(text)), INVALID_CREDENTIALS).await;
    }
    target.serves("texts", post(json!(EMAIL), json!(PASSWORD)), 200).await;
    target
}

async fn paths() -> Target {
    let target = Target::without_limits().await;
    let access = target.confirmed_session(EMAIL).await.access;
    for path in [
        "/auth/nonsense",
        "/auth/user/",
        "/auth/login/",
        "/auth/login/x",
        "/auth/LOGIN",
        "/auth//login",
        "/auth/login%00",
        "/auth/login%2f",
        "/auth/login;x=1",
        "/auth/login.json",
        "/auth/user/two-factor-secret-key/",
        "/auth/user//two-factor-secret-key",
        "/auth/user/two-factor-secret-key%20",
        "/auth/user/Two-Factor-Secret-Key",
        "/auth/user/%74wo-factor-secret-key/x",
        "/auth/user/sessions/",
        "/auth/email/verify/1",
        "/auth/email//verify/1/x",
        "/auth/email/verify/1/x/y",
        "/auth/%252e%252e/me",
        "/auth/admin",
        "/auth/.env",
    ] {
        target.refuses(path, target.get(path).bearer(&access), NOT_FOUND).await;
    }
    target.serves("a path", target.get("/auth/user/sessions").bearer(&access), 200).await;
    target
}

async fn methods() -> Target {
    let target = Target::without_limits().await;
    let access = target.register(EMAIL).await.access;
    let headers = ["x-http-method-override", "x-http-method", "x-method-override"];
    let call =
        |method: &str, path: &str| -> Call { target.request(method.parse().unwrap(), path).bearer(&access) };
    for (method, path, allow) in [
        ("GET", "/auth/login", "POST"),
        ("PUT", "/auth/login", "POST"),
        ("GET", "/auth/logout", "POST"),
        ("DELETE", "/auth/register", "POST"),
        ("PATCH", "/auth/user/password", "PUT,DELETE"),
        ("POST", "/auth/user/profile-information", "PUT"),
        ("TRACE", "/auth/user/password", "PUT,DELETE"),
        ("POST", "/auth/user/confirmed-password-status", "GET,HEAD"),
        ("PUT", "/auth/user/two-factor-authentication", "POST,DELETE"),
    ] {
        let answer = target.refuses(path, call(method, path), (405, "method_not_allowed")).await;
        assert_eq!(answer.header("allow"), Some(allow), "{method} {path}");
    }
    for header in headers {
        let call = call("GET", "/auth/logout").header(header, "POST");
        target.refuses(header, call, (405, "method_not_allowed")).await;
    }
    target.serves("the session goes on", target.get("/me").bearer(&access), 200).await;
    target
}
