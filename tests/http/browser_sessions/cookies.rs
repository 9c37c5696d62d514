//! What the module sets and reads.

use super::browser::{Browser, CHALLENGE, SESSION};
use super::host;
use crate::support::answer::Answer;
use crate::support::{App, EMAIL, PASSWORD};
use axum_auth_module::config::{BrowserOptions, SameSite};
use serde_json::json;

#[tokio::test]
async fn a_session_from_registration_to_logout() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    assert_eq!(browser.session_status().await, json!({ "authenticated": false }));

    let registered = browser.register(EMAIL).await;
    assert_eq!(registered.body, json!({ "twoFactor": false }));
    let cookie = registered.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-Http-auth=ey"), "{cookie}");
    assert!(cookie.ends_with("; Path=/; HttpOnly; Secure; SameSite=Lax"), "{cookie}");
    assert_eq!(registered.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(registered.header("cross-origin-resource-policy"), Some("same-origin"));

    assert_eq!(browser.get("/me").await.expect(200).text, EMAIL);
    let session = browser.session_status().await;
    assert_eq!((&session["authenticated"], &session["confirmed"]), (&json!(true), &json!(false)));
    assert_eq!(session["authenticatedBy"], json!(["pwd"]));

    browser.get("/confirmed").await.refused(403, "password_confirmation_required");
    browser.confirm().await;
    browser.get("/confirmed").await.expect(200);
    assert_eq!(browser.session_status().await["confirmed"], json!(true));

    let thief = browser.copy();
    browser.log_out().await;
    assert_eq!(browser.names(), [""; 0]);
    browser.get("/me").await.refused(401, "unauthenticated");
    assert!(!thief.is_logged_in().await);
    thief.log_out().await;
}

/// The cookies of a response: name and attributes.
pub(super) fn set(answer: &Answer) -> Vec<(String, String)> {
    let headers = answer.headers.get_all("set-cookie").iter();
    let cookie = |text: &str| {
        let (pair, attributes) = text.split_once("; ").unwrap();
        let (name, value) = pair.split_once('=').unwrap();
        let state = if value.is_empty() { "expired; " } else { "" };
        (name.to_owned(), format!("{state}{attributes}"))
    };
    headers.map(|header| cookie(header.to_str().unwrap())).collect()
}

const ATTRIBUTES: &str = "Path=/; HttpOnly; Secure; SameSite=Lax";

fn session_cookie(suffix: &str) -> (String, String) {
    (SESSION.to_owned(), format!("{ATTRIBUTES}{suffix}"))
}

pub(super) fn expired(name: &str) -> (String, String) {
    (name.to_owned(), format!("expired; {ATTRIBUTES}; Max-Age=0"))
}

#[tokio::test]
async fn each_route_sets_the_cookies_of_the_specification() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    let remember = json!({ "email": EMAIL, "password": PASSWORD, "remember": true });
    assert_eq!(set(&browser.register(EMAIL).await), [session_cookie("")]);
    assert_eq!(set(&browser.log_in(EMAIL).await), [session_cookie("")]);
    let month = "; Max-Age=2592000";
    assert_eq!(set(&browser.post("/web/auth/login", &remember).await.expect(200)), [session_cookie(month)]);
    // The clock of the tests stands, so nothing of the month is over.
    assert_eq!(set(&browser.confirm().await), [session_cookie(month)]);
    app.advance(86_400);
    let rest = "; Max-Age=2505600";
    assert_eq!(
        set(&browser.change_password(PASSWORD, "a new password for all").await),
        [session_cookie(rest)]
    );
    browser.change_password("a new password for all", PASSWORD).await;

    browser.confirm().await;
    let nothing: [(String, String); 0] = [];
    let enabled = browser.post("/web/auth/user/two-factor-authentication", &json!({})).await.expect(200);
    assert_eq!(set(&enabled), nothing);
    let key = browser.get("/web/auth/user/two-factor-secret-key").await.expect(200);
    let authenticator =
        crate::support::authenticator::Authenticator::new(key.body["secretKey"].as_str().unwrap());
    let code = json!({ "code": authenticator.code(&app) });
    let confirmed = browser.post("/web/auth/user/confirmed-two-factor-authentication", &code).await;
    assert_eq!(set(&confirmed.expect(200)), [session_cookie(rest)]);

    app.next_step();
    let challenge = |max_age| (CHALLENGE.to_owned(), format!("{ATTRIBUTES}; Max-Age={max_age}"));
    let other = Browser::new(&app);
    assert_eq!(set(&other.log_in_remembered(EMAIL).await), [challenge(300)]);
    let code = json!({ "code": authenticator.code(&app) });
    let challenged = other.post("/web/auth/two-factor-challenge", &code).await.expect(200);
    assert_eq!(set(&challenged), [session_cookie(month), expired(CHALLENGE)]);
    other.confirm().await;
    let disabled = other.delete("/web/auth/user/two-factor-authentication").await.expect(200);
    assert_eq!(set(&disabled), [session_cookie(month)]);
    assert_eq!(set(&other.log_out().await), [expired(SESSION), expired(CHALLENGE)]);
    // Nobody is logged in: the cookies expire all the same.
    assert_eq!(set(&other.log_out().await), [expired(SESSION), expired(CHALLENGE)]);

    // Responses that set nothing.
    browser.log_in(EMAIL).await;
    for path in ["/web/auth/session", "/web/auth/user/sessions", "/me", "/claims", "/page", "/browser"] {
        assert_eq!(set(&browser.get(path).await.expect(200)), nothing, "{path}");
    }
    let wrong = browser.post("/web/auth/user/confirm-password", &json!({ "password": "wrong" })).await;
    assert_eq!(set(&wrong), nothing);
}

#[tokio::test]
async fn a_cookie_is_strict_if_the_host_wants_that() {
    let options = BrowserOptions::default().same_site(SameSite::Strict);
    let app = host::start_with(|config| config.browser(options)).await;
    let answer = Browser::new(&app).register(EMAIL).await;
    let (_, attributes) = set(&answer).remove(0);
    assert_eq!(attributes, "Path=/; HttpOnly; Secure; SameSite=Strict");
}

/// With the longest name of a cookie, an issuer and an audience. A very long user id makes it longer.
#[tokio::test]
async fn the_value_of_a_cookie_has_less_than_one_kibibyte() {
    let app = host::start_with(|config| {
        let options = BrowserOptions::default().name("a".repeat(32));
        config.browser(options).issuer("https://a-long-issuer.example.com/tenant").audience("an-audience")
    });
    let app = app.await;
    let browser = Browser::new(&app);
    let answer = browser.register(EMAIL).await;
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.len() < 1024, "{}", cookie.len());
    let name = format!("__Host-Http-{}", "a".repeat(32));
    assert!(browser.cookie(&name).is_some());
}

/// What a module does with these `Cookie` header lines: whether the session counts.
async fn counts(app: &App, lines: &[Vec<u8>]) -> bool {
    let call = |path: &str| {
        let call = app.get(path).header("sec-fetch-site", "same-origin");
        lines.iter().fold(call, |call, line| call.header_bytes("cookie", line))
    };
    let session = call("/web/auth/session").await.expect(200).body["authenticated"] == json!(true);
    match (call("/me").await.status, call("/web/auth/user/sessions").await.status, session) {
        (200, 200, true) => true,
        (401, 401, false) => false,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn several_lines_of_cookies_are_one() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let own = format!("{SESSION}={}", browser.session());
    for lines in [
        vec![own.clone()],
        vec!["a=b".to_owned(), own.clone(), "c=d".to_owned()],
        vec![format!("a=b; {own}"), "c=d".to_owned()],
        vec![String::new(), own.clone()],
        vec![format!("a;b; ;;=;{own};")],
        vec![format!("  {own}\t")],
        vec![format!("{SESSION} = {}", browser.session())],
        vec![format!("x{own}; {own}; {SESSION}2=x; {SESSION}-challenge=x")],
        vec![format!("a=\"b;{own}")],
    ] {
        let bytes: Vec<_> = lines.iter().map(|line| line.clone().into_bytes()).collect();
        assert!(counts(&app, &bytes).await, "{lines:?}");
    }
    let umlauts = vec![["ä=ö; ".as_bytes(), own.as_bytes()].concat(), b"x=\xff\xfe".to_vec()];
    assert!(counts(&app, &umlauts).await);
}

#[tokio::test]
async fn a_cookie_that_somebody_could_read_differently_counts_as_none() {
    let app = host::start().await;
    let (browser, attacker) = (Browser::new(&app), Browser::new(&app));
    browser.register(EMAIL).await;
    attacker.register("mallory@example.com").await;
    let (own, planted) = (browser.session(), attacker.session());
    let own_pair = format!("{SESSION}={own}");
    let lower = SESSION.to_ascii_lowercase();
    let mut lines: Vec<Vec<Vec<u8>>> = [
        // Two cookies with one name, in one line and in two.
        vec![format!("{own_pair}; {SESSION}={planted}")],
        vec![format!("{SESSION}={planted}; {own_pair}")],
        vec![format!("{own_pair}; {own_pair}")],
        vec![own_pair.clone(), format!("{SESSION}={planted}")],
        vec![own_pair.clone(), own_pair.clone()],
        vec![format!("{own_pair}; {SESSION}=")],
        vec![format!("{own_pair}; {SESSION}")],
        // Names that differ in case.
        vec![format!("{lower}={own}")],
        vec![format!("{own_pair}; {lower}={planted}")],
        vec![format!("{lower}={planted}; {own_pair}")],
        vec![format!("__HOST-HTTP-auth={own}")],
        vec![format!("__Host-http-auth={own}")],
        vec![format!("__Host-Http-AUTH={own}")],
        // Quotes.
        vec![format!("{SESSION}=\"{own}\"")],
        vec![format!("{SESSION}=\"{own}")],
        vec![format!("{SESSION}={own}\"")],
        // Other names.
        vec![format!("auth={own}")],
        vec![format!("__Host-auth={own}")],
        vec![format!("__Secure-auth={own}")],
        vec![format!("{SESSION}2={own}")],
        vec![format!("={SESSION}={own}")],
        // Other values.
        vec![format!("{SESSION}=")],
        vec![SESSION.to_owned()],
        vec![format!("{SESSION}=;{own}")],
        vec![format!("{SESSION}={};{}", &own[..20], &own[20..])],
        vec![format!("{SESSION}={} {}", &own[..20], &own[20..])],
        vec![format!("{SESSION}={own},x")],
        vec![format!("{SESSION}={own}=")],
        vec![format!("{SESSION}={}", own.replace('.', "%2E"))],
        vec![format!("{SESSION}={}", "x".repeat(8192))],
        vec![format!("{SESSION}={own}{}", "x".repeat(8192))],
        vec![format!("{SESSION}={own}{}", ".".repeat(3000))],
    ]
    .into_iter()
    .map(|lines| lines.into_iter().map(String::into_bytes).collect())
    .collect();
    lines.push(vec![[own_pair.as_bytes(), b"\xff"].concat()]);
    lines.push(vec![[own_pair.as_bytes(), "ü".as_bytes()].concat()]);
    for lines in lines {
        let text: Vec<_> = lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        assert!(!counts(&app, &lines).await, "{text:?}");
    }
    assert!(browser.is_logged_in().await && attacker.is_logged_in().await);
}
