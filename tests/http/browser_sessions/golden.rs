//! The cookies, and the row of a session, at a fixed time, character by character.
//!
//! Browsers and databases have them: a change here needs code that reads both. Random values, and those that depend on
//! them, are replaced by their names.

use super::browser::{Browser, CHALLENGE, SESSION};
use super::host::with_pages;
use crate::support::answer::Answer;
use crate::support::authenticator::Enrolled;
use crate::support::forge::{self, JWT_SECRET};
use crate::support::places::Place;
use crate::support::{App, Builder, EMAIL, memory_users, registration};
use axum_auth_module::config::BrowserOptions;
use axum_auth_module::repository::{MemorySessions, SessionKind, SessionRecord, SessionRepository};
use axum_auth_module::testing::MovableClock;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// 2026-01-01T00:00:00Z.
fn time() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_767_225_600)
}

async fn host(config: BrowserOptions) -> (Place, Arc<App>) {
    let place = Place::memory();
    place.clock.set(time());
    let app = place.start_with(|base| base.browser(config).issuer("https://a.example").audience("web")).await;
    (place, with_pages(app).await)
}

/// The `Set-Cookie` headers of a response, with a name instead of each token.
fn cookies(answer: &Answer) -> Vec<String> {
    let headers = answer.headers.get_all("set-cookie").iter().map(|header| header.to_str().unwrap());
    let named = headers.map(|header| {
        let (name, rest) = header.split_once('=').unwrap();
        let (value, attributes) = rest.split_once(';').unwrap();
        format!("{name}={};{attributes}", if value.is_empty() { "" } else { "TOKEN" })
    });
    named.collect()
}

/// A part of a token as text.
fn part(token: &str, index: usize) -> String {
    let bytes = URL_SAFE_NO_PAD.decode(token.split('.').nth(index).unwrap()).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn is_signed_with(token: &str, purpose: &str) -> bool {
    let signed = forge::sign(&part(token, 0), &part(token, 1), forge::derived(JWT_SECRET, purpose));
    signed == token
}

#[tokio::test]
async fn the_cookies() {
    let (_place, app) = host(BrowserOptions::default()).await;
    let browser = Browser::new(&app);
    let registered = browser.register(EMAIL).await;
    assert_eq!(cookies(&registered), ["__Host-Http-auth=TOKEN; Path=/; HttpOnly; Secure; SameSite=Lax"]);
    let remembered = browser.log_in_remembered(EMAIL).await;
    assert_eq!(
        cookies(&remembered),
        ["__Host-Http-auth=TOKEN; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=2592000"]
    );
    browser.confirm().await;
    let (token, id) = (browser.session(), browser.session_id());
    assert_eq!(part(&token, 0), r#"{"typ":"sc+jwt","alg":"HS256"}"#);
    assert_eq!(
        part(&token, 1).replace(&id, "ID"),
        r#"{"sub":"1","sid":"ID","n":1,"iat":1767225600,"exp":1769817600,"iss":"https://a.example","aud":"web"}"#
    );
    assert_eq!(id.len(), 22);
    assert!(is_signed_with(&token, "session-cookie"));
    assert_eq!(
        cookies(&browser.log_out().await),
        [
            "__Host-Http-auth=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0",
            "__Host-Http-auth-challenge=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0",
        ]
    );
}

#[tokio::test]
async fn the_challenge_cookie() {
    let (_place, app) = host(BrowserOptions::default()).await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let browser = Browser::new(&app);
    let challenged = browser.log_in(EMAIL).await;
    assert_eq!(
        cookies(&challenged),
        ["__Host-Http-auth-challenge=TOKEN; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=300"]
    );
    let token = browser.cookie(CHALLENGE).unwrap();
    assert_eq!(part(&token, 0), r#"{"typ":"bc+jwt","alg":"HS256"}"#);
    let claims = forge::claims(&token);
    let (jti, generation) = (claims["jti"].as_str().unwrap(), claims["gen"].as_str().unwrap());
    assert_eq!((jti.len(), generation.len()), (22, 43));
    // The second factor was confirmed in the previous time step.
    assert_eq!(
        part(&token, 1).replace(jti, "JTI").replace(generation, "GEN"),
        r#"{"sub":"1","jti":"JTI","exp":1767225930,"gen":"GEN","ep":1767225600001,"rem":false}"#
    );
    assert!(is_signed_with(&token, "browser-challenge"));
    let code = json!({ "code": authenticator.code(&app) });
    let completed = browser.post("/web/auth/two-factor-challenge", &code).await.expect(200);
    assert_eq!(
        cookies(&completed),
        [
            "__Host-Http-auth=TOKEN; Path=/; HttpOnly; Secure; SameSite=Lax",
            "__Host-Http-auth-challenge=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0",
        ]
    );
}

#[tokio::test]
async fn the_cookies_of_other_configurations() {
    use axum_auth_module::config::SameSite;
    for (options, expected) in [
        (
            BrowserOptions::default().name("staff-2").same_site(SameSite::Strict),
            "__Host-Http-staff-2=TOKEN; Path=/; HttpOnly; Secure; SameSite=Strict",
        ),
        (BrowserOptions::default().insecure_for_development(), "auth=TOKEN; Path=/; HttpOnly; SameSite=Lax"),
        (
            BrowserOptions::default().insecure_for_development().name("x").same_site(SameSite::Strict),
            "x=TOKEN; Path=/; HttpOnly; SameSite=Strict",
        ),
    ] {
        let (_place, app) = host(options).await;
        assert_eq!(cookies(&Browser::new(&app).register(EMAIL).await), [expected]);
    }
}

#[tokio::test]
async fn the_row() {
    let (place, app) = host(BrowserOptions::default()).await;
    let browser = Browser::new(&app);
    Browser::new(&app).register("grace@example.com").await;
    let call =
        browser.call(reqwest::Method::POST, "/web/auth/register").header("user-agent", "Mozilla/5.0 (X11)");
    browser.keep(call.json(&registration(EMAIL)).await.expect(201));
    let row = async || {
        let row = place.rows("2").await.remove(0);
        let generation = generation_in(&row.state);
        let mac = between(&row.state, "\"mac\":\"", "\"").to_owned();
        assert_eq!((generation.len(), mac.len()), (43, 43));
        (row.state.replace(&generation, "GEN").replace(&mac, "MAC"), row)
    };
    let (state, record) = row().await;
    assert_eq!(
        state,
        r#"{"v":1,"realm":"web/http::support::account::Account","gen":"GEN","was":[],"since":1767225600,"rot":{"next":0,"recent":[]},"amr":["pwd"],"auth":1767225600,"ok":[],"cookie":{"n":0,"floor":0,"seen":0,"at":0},"mac":"MAC"}"#
    );
    assert_eq!((record.kind, record.user_id.as_str()), (SessionKind::Browser, "2"));
    assert_eq!((record.created_at, record.last_used_at), (time(), time()));
    assert_eq!(record.expires_at, time() + Duration::from_secs(24 * 3600));
    assert_eq!(
        (record.client.as_deref(), record.user_agent.as_deref()),
        (Some("192.0.2.1"), Some("Mozilla/5.0 (X11)"))
    );

    // A confirmation, and 1.5 s later the first use of its cookie.
    browser.confirm().await;
    place.clock.advance(Duration::from_millis(1500));
    browser.get("/claims").await.expect(200);
    let (state, confirmed) = row().await;
    assert_eq!(
        state,
        r#"{"v":1,"realm":"web/http::support::account::Account","gen":"GEN","was":[],"since":1767225600,"rot":{"next":0,"recent":[]},"amr":["pwd"],"auth":1767225600,"ok":[["pwd",1767225600]],"cookie":{"n":1,"floor":0,"seen":1,"at":1767225601500},"mac":"MAC"}"#
    );
    assert_eq!(confirmed.expires_at, record.expires_at);

    // A credential change makes its cookie the only one.
    browser.change_password(crate::support::PASSWORD, "a new password for all").await;
    let (state, _) = row().await;
    assert!(state.contains(r#""cookie":{"n":2,"floor":2,"seen":2,"at":1767225601500}"#), "{state}");
    assert!(state.contains(r#""was":[],"since":1767225601,"#), "{state}");

    // A remembered session.
    browser.log_out().await;
    browser
        .post(
            "/web/auth/login",
            &json!({ "email": EMAIL, "password": "a new password for all", "remember": true }),
        )
        .await
        .expect(200);
    let (state, record) = row().await;
    assert!(state.contains(r#""cookie":{"n":0,"floor":0,"seen":0,"at":0},"rem":true,"mac":"#), "{state}");
    assert_eq!(record.expires_at, UNIX_EPOCH + Duration::from_secs(1_767_225_601 + 30 * 24 * 3600));
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    text.split_once(before).unwrap().1.split_once(after).unwrap().0
}

fn generation_in(state: &str) -> String {
    between(state, "\"gen\":\"", "\"").to_owned()
}

/// A cookie, the row of its session and the hash of the user's password, as an earlier release has issued and stored
/// them. They were computed without the library.
const COOKIE: &str = "eyJ0eXAiOiJzYytqd3QiLCJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIiwic2lkIjoiQUFFQ0F3UUZCZ2NJQ1FvTERBM\
    E9EdyIsIm4iOjEsImlhdCI6MTc2NzIyNTY2MCwiZXhwIjoxNzY5ODE3NjAwfQ.sEnESLgo4oBrCMMcaLRhl4us4T_B\
    U43FYDfTZNdRaxY";
const STATE: &str = "{\"v\":1,\"realm\":\"auth\",\"gen\":\"L7PJaKUQOgr9CzH4qNW8IJx_MgzI8XBpb23eOKV3Ncw\",\"was\":[],\"since\"\
    :1767225600,\"rot\":{\"next\":0,\"recent\":[]},\"amr\":[\"pwd\"],\"auth\":1767225600,\"ok\":[[\"pwd\",1767\
    225660]],\"cookie\":{\"n\":1,\"floor\":0,\"seen\":1,\"at\":1767225661000},\"rem\":true,\"mac\":\"K-_TZiDh\
    ddmvmPTpm9sERo8moEjW40Kv42gTLlevUJM\"}";
const ID: &str = "AAECAwQFBgcICQoLDA0ODw";
const HASH: &str = "$2b$04$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234";

#[tokio::test]
async fn a_cookie_and_a_row_of_an_earlier_release_still_work() {
    let (users, sessions, clock) = (memory_users(), MemorySessions::new(), MovableClock::at(time()));
    let (kept, at) = (sessions.clone(), clock.clone());
    let module = |module: Builder| module.sessions(kept).realm("auth");
    let app = App::with_everything_on(users.clone(), users, |config| config.clock(at), module).await;
    let app = with_pages(app).await;
    app.register(EMAIL).await;
    app.users.update(EMAIL, |user| user.password = HASH.to_owned());
    let end = time() + Duration::from_secs(30 * 24 * 3600);
    let row = SessionRecord::new(ID, "1", SessionKind::Browser, STATE, time(), end);
    sessions.create(row).await.unwrap_or_else(|error| panic!("{error:?}"));

    clock.set(time() + Duration::from_secs(6 * 24 * 3600));
    let call = |path: &str| app.get(path).header("cookie", &format!("{SESSION}={COOKIE}"));
    assert_eq!(call("/me").await.expect(200).text, EMAIL);
    assert_eq!(call("/claims").await.expect(200).text, "1");
    let session = call("/web/auth/session").await.expect(200);
    assert_eq!(session.body["authenticated"], json!(true), "{}", session.text);
    let list = call("/web/auth/user/sessions").await.expect(200);
    let listed = &list.body["sessions"][0];
    assert_eq!((&listed["id"], &listed["remembered"]), (&json!(ID), &json!(true)));
}
