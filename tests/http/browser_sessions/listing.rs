//! Sessions of both kinds in one list, and their end from each side.

use super::browser::{Browser, CHALLENGE};
use super::host;
use crate::support::{App, EMAIL, Tokens, forge};
use axum_auth_module::config::SessionOptions;
use axum_auth_module::events::{EventKind, SessionEnd};
use serde_json::{Value, json};

fn bearer_id(tokens: &Tokens) -> String {
    forge::claims(&tokens.access)["sid"].as_str().unwrap().to_owned()
}

async fn seen_by(browser: &Browser) -> Vec<Value> {
    let list = browser.get("/web/auth/user/sessions").await.expect(200);
    list.body["sessions"].as_array().unwrap().clone()
}

/// The reason of the next session that was ended, and its id.
async fn ended(app: &App) -> (String, SessionEnd) {
    loop {
        if let EventKind::SessionEnded { session_id, reason } = app.event().await.kind {
            return (session_id, reason);
        }
    }
}

#[tokio::test]
async fn the_list_shows_sessions_of_both_kinds_to_both() {
    let app = host::start().await;
    let tokens = app.register(EMAIL).await;
    app.advance(10);
    let session = Browser::new(&app);
    session.log_in(EMAIL).await;
    app.advance(10);
    let remembered = Browser::new(&app);
    remembered.log_in_remembered(EMAIL).await;

    let sessions = seen_by(&session).await;
    let about = |member: &str| sessions.iter().map(|session| session[member].clone()).collect::<Vec<_>>();
    let ids = [session.session_id(), remembered.session_id(), bearer_id(&tokens)];
    assert_eq!(about("id"), ids);
    assert_eq!(about("current"), [true, false, false]);
    assert_eq!(about("kind"), ["browser", "browser", "bearer"]);
    assert_eq!(about("remembered"), [false, true, false]);
    assert_eq!(about("client"), ["192.0.2.1"; 3]);

    let from_bearer = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    let from_bearer = from_bearer.body["sessions"].as_array().unwrap().clone();
    assert_eq!(from_bearer[0]["id"], bearer_id(&tokens));
    // But for the order and for which is the current one, all see the same.
    let without_current = |sessions: &[Value]| {
        let mut sessions = sessions.to_vec();
        for session in &mut sessions {
            session["current"] = Value::Null;
        }
        sessions.sort_by_key(|session| session["id"].to_string());
        sessions
    };
    assert_eq!(without_current(&from_bearer), without_current(&sessions));
    assert_eq!(without_current(&seen_by(&remembered).await), without_current(&sessions));
}

#[tokio::test]
async fn a_session_of_each_kind_ends_one_of_the_other() {
    let app = host::start().await;
    let tokens = app.confirmed_session(EMAIL).await;
    let (one, two) = (Browser::new(&app), Browser::new(&app));
    one.log_in(EMAIL).await;
    two.log_in_remembered(EMAIL).await;
    let path = |id: &str| format!("/user/sessions/{id}");
    let of_one = path(&one.session_id());
    app.delete(&format!("/auth{of_one}")).bearer(&tokens.access).await.expect(200);
    assert!(!one.is_logged_in().await && two.is_logged_in().await);
    assert_eq!(ended(&app).await, (one.session_id(), SessionEnd::Revoked));

    let of_bearer = format!("/web/auth{}", path(&bearer_id(&tokens)));
    two.delete(&of_bearer).await.refused(403, "password_confirmation_required");
    two.confirm().await;
    let answer = two.delete(&of_bearer).await.expect(200);
    assert_eq!(answer.header("set-cookie"), None);
    app.is_over(&tokens).await;
    assert!(two.is_logged_in().await);
    two.delete(&of_bearer).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_session_of_each_kind_ends_all_others() {
    let app = host::start().await;
    let tokens = app.confirmed_session(EMAIL).await;
    let (one, two) = (Browser::new(&app), Browser::new(&app));
    one.log_in(EMAIL).await;
    two.log_in(EMAIL).await;
    let ended = app.delete("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    assert_eq!(ended.body["ended"], 2);
    assert!(!one.is_logged_in().await && !two.is_logged_in().await);
    one.log_in(EMAIL).await;
    two.log_in(EMAIL).await;
    two.confirm().await;
    assert_eq!(two.delete("/web/auth/user/sessions").await.expect(200).body["ended"], 2);
    assert!(!one.is_logged_in().await && two.is_logged_in().await);
    app.is_over(&tokens).await;
}

#[tokio::test]
async fn the_end_of_the_current_session_is_a_logout_and_expires_both_cookies() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    browser.confirm().await;
    browser.plant(CHALLENGE, "a challenge that was not completed");
    let copy = browser.copy();
    let answer = browser.delete(&format!("/web/auth/user/sessions/{}", browser.session_id())).await;
    let cookies: Vec<_> = answer.expect(200).headers.get_all("set-cookie").iter().cloned().collect();
    assert_eq!(cookies.len(), 2);
    assert!(cookies.iter().all(|cookie| cookie.to_str().unwrap().contains("; Max-Age=0")));
    assert_eq!(browser.names(), [""; 0]);
    assert!(!copy.is_logged_in().await);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.logout"]);
}

#[tokio::test]
async fn a_logout_ends_the_own_session_alone() {
    let app = host::start().await;
    let tokens = app.register(EMAIL).await;
    let (one, two) = (Browser::new(&app), Browser::new(&app));
    one.log_in(EMAIL).await;
    two.log_in(EMAIL).await;
    one.log_out().await;
    assert!(!one.is_logged_in().await && two.is_logged_in().await);
    app.me(&tokens.access).await.expect(200);
    app.post("/auth/logout").bearer(&tokens.access).await.expect(200);
    assert!(two.is_logged_in().await);
}

#[tokio::test]
async fn sessions_of_both_kinds_count_towards_the_maximum() {
    let mut options = SessionOptions::default();
    options.max_per_user = 2;
    let app = host::start_with(|config| config.sessions(options)).await;
    let tokens = app.register(EMAIL).await;
    let (one, two) = (Browser::new(&app), Browser::new(&app));
    app.advance(1);
    one.log_in(EMAIL).await;
    app.me(&tokens.access).await.expect(200);
    app.advance(1);
    two.log_in(EMAIL).await;
    app.is_over(&tokens).await;
    assert!(one.is_logged_in().await && two.is_logged_in().await);
    app.advance(1);
    app.login(EMAIL).await;
    assert!(!one.is_logged_in().await && two.is_logged_in().await);
}

#[tokio::test]
async fn an_administrator_ends_the_sessions_of_browsers() {
    let app = host::start().await;
    let (one, two) = (Browser::new(&app), Browser::new(&app));
    one.register(EMAIL).await;
    two.log_in_remembered(EMAIL).await;
    assert!(app.auth.admin().end_session(&one.session_id()).await.unwrap());
    assert!(!one.is_logged_in().await && two.is_logged_in().await);
    assert_eq!(app.auth.admin().end_all_sessions(&1).await.unwrap(), 1);
    assert!(!two.is_logged_in().await);
}

#[tokio::test]
async fn an_identity_says_how_and_when_the_user_signed_in() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    assert_eq!(browser.get("/kind").await.expect(200).text, "browser");
    assert_eq!(browser.session_status().await["authenticatedBy"], json!(["pwd"]));
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(user.email_verified_at.is_none());
    browser.get("/verified").await.refused(403, "email_not_verified");
    app.auth.admin().verify_email(&1).await.unwrap();
    browser.get("/verified").await.expect(200);
}
