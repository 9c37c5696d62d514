//! `POST /logout`.

use crate::support::cookies::SetCookie;
use crate::support::routers::on_both_routers;
use crate::support::{App, Call, EMAIL};

on_both_routers![
    a_logout_ends_its_session_and_leaves_the_others,
    an_ended_session_stays_ended_until_its_last_token_expires,
    a_logout_needs_a_token_and_no_body,
];

async fn a_logout_ends_its_session_and_leaves_the_others() {
    let app = App::start().await;
    let other = app.register(EMAIL).await;
    let first = app.login(EMAIL).await;
    let second = app.renew(&first).await;
    let answer = app.post("/auth/logout").bearer(&first.access).await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    for tokens in [&first, &second] {
        app.is_over(tokens).await;
    }
    ends_nothing(&app, app.post("/auth/logout").bearer(&first.access)).await;
    app.me(&other.access).await.expect(200);
    app.renew(&other).await;
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login", "auth.logout"]);
}

/// A logout without a session is a 401. A browser deletes its cookies all the same.
async fn ends_nothing(app: &App, logout: Call) {
    let answer = logout.await;
    if !app.is_for_browsers() {
        answer.refused(401, "unauthenticated");
        return;
    }
    let cookies = answer.expect(200).set_cookies();
    assert!(cookies.len() == 2 && cookies.iter().all(SetCookie::is_expired), "{cookies:?}");
}

async fn an_ended_session_stays_ended_until_its_last_token_expires() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    app.post("/auth/logout").bearer(&tokens.access).await.expect(200);
    app.advance(7 * 24 * 3600 - 1);
    app.is_over(&tokens).await;
    app.advance(1);
    app.is_over(&tokens).await;
}

async fn a_logout_needs_a_token_and_no_body() {
    let app = App::start().await;
    ends_nothing(&app, app.post("/auth/logout")).await;
    for (content_type, body) in [(None, ""), (Some("application/json"), ""), (Some("application/json"), "{}")]
    {
        let tokens = if app.users.by_email(EMAIL).is_some() {
            app.login(EMAIL).await
        } else {
            app.register(EMAIL).await
        };
        let call = app.post("/auth/logout").bearer(&tokens.access);
        let call = match content_type {
            Some(content_type) => call.body(content_type, body),
            None => call,
        };
        call.await.expect(200);
    }
}
