//! Access tokens and what pretends to be one (specification §10, RFC 8725).

use crate::support::{App, EMAIL, forge};
use serde_json::{Value, json};

#[tokio::test]
async fn an_access_token_says_what_the_specification_says() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    assert_eq!(Value::Object(forge::part(&tokens.access, 0)), json!({ "alg": "HS256", "typ": "at+jwt" }));
    assert_eq!(Value::Object(forge::part(&tokens.refresh, 0)), json!({ "alg": "HS256", "typ": "rt+jwt" }));
    let access = forge::claims(&tokens.access);
    let names: Vec<_> = access.keys().map(String::as_str).collect();
    assert_eq!(names, ["exp", "gen", "iat", "jti", "sid", "sub"]);
    assert_eq!(access["sub"], "1");
    assert_eq!(access["exp"].as_u64().unwrap() - access["iat"].as_u64().unwrap(), 15 * 60);
    let refresh = forge::claims(&tokens.refresh);
    let names: Vec<_> = refresh.keys().map(String::as_str).collect();
    assert_eq!(names, ["auth_time", "exp", "gen", "iat", "jti", "rotation", "sid", "sub"]);
    assert_eq!(refresh["rotation"], 0);
    assert_eq!(refresh["exp"].as_u64().unwrap() - refresh["iat"].as_u64().unwrap(), 7 * 24 * 3600);
    assert_eq!(refresh["auth_time"], refresh["iat"]);
    assert_eq!(refresh["sid"], access["sid"]);
    assert_ne!(refresh["jti"], access["jti"]);
}

#[tokio::test]
async fn an_access_token_lives_for_fifteen_minutes_to_the_second() {
    let app = App::start().await;
    let token = app.register(EMAIL).await.access;
    // The token was issued within a second that had begun: go to the beginning of its last one.
    let expires = forge::claims(&token)["exp"].as_u64().unwrap();
    let at = |seconds: u64| std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    app.clock.set(at(expires) - std::time::Duration::from_millis(1));
    app.me(&token).await.expect(200);
    app.clock.set(at(expires));
    app.me(&token).await.refused(401, "unauthenticated");
}

#[tokio::test]
async fn the_forger_of_these_tests_can_make_a_token_that_works() {
    let app = App::start().await;
    let token = app.register(EMAIL).await.access;
    app.me(&forge::with_claims(&token, |_| {})).await.expect(200);
    app.me(&forge::with_header(&token, r#"{"typ":"at+jwt","alg":"HS256","kid":"x"}"#)).await.expect(200);
}

#[tokio::test]
async fn a_header_that_is_not_exactly_ours_is_refused() {
    let app = App::start().await;
    let token = app.register(EMAIL).await.access;
    for header in [
        r#"{"alg":"none","typ":"at+jwt"}"#,
        r#"{"alg":"None","typ":"at+jwt"}"#,
        r#"{"alg":"nOnE","typ":"at+jwt"}"#,
        r#"{"alg":"","typ":"at+jwt"}"#,
        r#"{"alg":"HS384","typ":"at+jwt"}"#,
        r#"{"alg":"HS512","typ":"at+jwt"}"#,
        r#"{"alg":"RS256","typ":"at+jwt"}"#,
        r#"{"alg":"ES256","typ":"at+jwt"}"#,
        r#"{"alg":"EdDSA","typ":"at+jwt"}"#,
        r#"{"alg":"hs256","typ":"at+jwt"}"#,
        r#"{"alg":["HS256"],"typ":"at+jwt"}"#,
        r#"{"alg":null,"typ":"at+jwt"}"#,
        r#"{"typ":"at+jwt"}"#,
        r#"{"alg":"HS256"}"#,
        r#"{"alg":"HS256","typ":"JWT"}"#,
        r#"{"alg":"HS256","typ":"AT+JWT"}"#,
        r#"{"alg":"HS256","typ":"application/at+jwt"}"#,
        r#"{"alg":"HS256","typ":"rt+jwt"}"#,
        r#"{"alg":"HS256","typ":"2fa+jwt"}"#,
        r#"{"alg":"HS256","typ":""}"#,
        r#"{"alg":"HS256","typ":1}"#,
        r#"{"alg":"HS256","typ":"at+jwt","crit":["x"]}"#,
        r#"{"alg":"HS256","typ":"at+jwt","crit":[]}"#,
        r#"{"alg":"HS256","typ":"at+jwt","crit":"x"}"#,
        r#"{"alg":"HS256","typ":"at+jwt","alg":"none"}"#,
        r#"{"alg":"HS256","typ":"JWT","typ":"at+jwt"}"#,
        r#"["HS256"]"#,
        "x",
        "",
    ] {
        let forged = forge::with_header(&token, header);
        let answer = app.me(&forged).await;
        assert_eq!((answer.status, answer.code()), (401, "unauthenticated"), "{header}");
    }
}

#[tokio::test]
async fn claims_that_are_not_exactly_ours_are_refused() {
    let app = App::start().await;
    let token = app.register(EMAIL).await.access;
    let now = forge::claims(&token)["iat"].as_u64().unwrap();
    let changes: Vec<(&str, Option<Value>)> = vec![
        ("exp", None),
        ("exp", Some(json!("9999999999"))),
        ("exp", Some(json!(9_999_999_999.5))),
        ("exp", Some(json!(1e300))),
        ("exp", Some(json!(-1))),
        ("exp", Some(json!(0))),
        ("exp", Some(json!(now))),
        ("exp", Some(json!(now - 1))),
        ("exp", Some(json!(null))),
        ("exp", Some(json!([now + 60]))),
        ("iat", None),
        ("iat", Some(json!(now + 3600))),
        ("iat", Some(json!("now"))),
        ("nbf", Some(json!(now + 60))),
        ("nbf", Some(json!("now"))),
        ("sub", None),
        ("sub", Some(json!(1))),
        ("sub", Some(json!("2"))),
        ("sub", Some(json!("x"))),
        ("sub", Some(json!(""))),
        ("sub", Some(json!("1 "))),
        ("sub", Some(json!(["1"]))),
        ("sid", None),
        ("sid", Some(json!(1))),
        ("jti", None),
        ("gen", None),
        ("gen", Some(json!(""))),
        ("gen", Some(json!("x"))),
        ("gen", Some(json!(null))),
    ];
    for (name, value) in changes {
        let shown = format!("{name}: {value:?}");
        let forged = forge::with_claims(&token, |claims| match value {
            Some(value) => drop(claims.insert(name.to_owned(), value)),
            None => drop(claims.remove(name)),
        });
        let answer = app.me(&forged).await;
        assert_eq!((answer.status, answer.code()), (401, "unauthenticated"), "{shown}");
    }
    let huge = forge::with_claims(&token, |claims| drop(claims.insert("exp".to_owned(), json!(u64::MAX))));
    app.me(&huge).await.expect(200);
}

#[tokio::test]
async fn a_token_that_is_not_whole_is_refused() {
    let app = App::start().await;
    let token = app.register(EMAIL).await.access;
    let parts: Vec<_> = token.split('.').collect();
    let [header, claims, signature] = parts.as_slice() else { panic!("three parts") };
    for broken in [
        String::new(),
        ".".to_owned(),
        "..".to_owned(),
        header.to_string(),
        format!("{header}.{claims}"),
        format!("{header}.{claims}."),
        format!("{header}.{claims}.{signature}."),
        format!("{header}.{claims}.{signature}.x"),
        format!("{header}.{claims}.{signature}=="),
        format!("{header}.{claims}.{}", &signature[..20]),
        format!("{header}.{claims}.{signature}A"),
        format!("{header}..{signature}"),
        format!("{}.{claims}.{signature}", forge::encode(r#"{"alg":"none","typ":"at+jwt"}"#)),
        format!("{token}{}", "x".repeat(7_000)),
        token.replace('.', ". "),
        token.to_uppercase(),
    ] {
        app.me(&broken).await.refused(401, "unauthenticated");
    }
}

#[tokio::test]
async fn issuer_and_audience_are_required_once_they_are_configured() {
    let app = App::configured(|config| config.issuer("https://a.example").audience("api")).await;
    let token = app.register(EMAIL).await.access;
    let claims = forge::claims(&token);
    assert_eq!((claims["iss"].as_str(), claims["aud"].as_str()), (Some("https://a.example"), Some("api")));
    app.me(&token).await.expect(200);
    for name in ["iss", "aud"] {
        let without = forge::with_claims(&token, |claims| drop(claims.remove(name)));
        app.me(&without).await.refused(401, "unauthenticated");
        let other = forge::with_claims(&token, |claims| drop(claims.insert(name.to_owned(), json!("other"))));
        app.me(&other).await.refused(401, "unauthenticated");
    }
}

#[tokio::test]
async fn the_token_of_a_user_who_is_gone_or_inactive_is_refused() {
    let app = App::start().await;
    let token = app.register(EMAIL).await.access;
    app.users.update(EMAIL, |user| user.active = false);
    app.me(&token).await.refused(401, "unauthenticated");
    app.post("/auth/logout").bearer(&token).await.refused(401, "unauthenticated");
    app.users.update(EMAIL, |user| user.active = true);
    app.me(&token).await.expect(200);
    app.users.remove(EMAIL);
    app.me(&token).await.refused(401, "unauthenticated");
}

#[tokio::test]
async fn claims_are_checked_without_asking_for_the_user() {
    let (users, faults) = (crate::support::memory_users(), axum_auth_module::testing::Faults::new());
    let registration = |module: axum_auth_module::AuthModuleBuilder<_>| {
        module.registration(axum_auth_module::StandardActions)
    };
    let app = App::on(faults.over(users.clone()), users, |config| config, registration).await;
    let token = app.register(EMAIL).await.access;
    faults.clear_calls();
    assert_eq!(app.get("/claims").bearer(&token).await.expect(200).text, "1");
    assert_eq!(faults.calls(), []);
    app.users.remove(EMAIL);
    app.get("/claims").bearer(&token).await.expect(200);
    app.get("/claims").await.refused(401, "unauthenticated");
    app.advance(15 * 60);
    app.get("/claims").bearer(&token).await.refused(401, "unauthenticated");
}
