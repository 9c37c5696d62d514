//! `POST /logout`.

use crate::support::{App, EMAIL};

#[tokio::test]
async fn a_logout_ends_its_session_and_leaves_the_others() {
    let app = App::start().await;
    let other = app.register(EMAIL).await;
    let first = app.login(EMAIL).await;
    let second = app.refresh(&first.refresh).await.expect(200).tokens();
    let answer = app.post("/auth/logout").bearer(&first.access).await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    for token in [&first.access, &second.access] {
        app.me(token).await.refused(401, "unauthenticated");
        app.get("/claims").bearer(token).await.refused(401, "unauthenticated");
    }
    for token in [&first.refresh, &second.refresh] {
        app.refresh(token).await.refused(401, "invalid_refresh_token");
    }
    app.post("/auth/logout").bearer(&first.access).await.refused(401, "unauthenticated");
    app.me(&other.access).await.expect(200);
    app.refresh(&other.refresh).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login", "auth.logout"]);
}

#[tokio::test]
async fn an_ended_session_stays_ended_until_its_last_token_expires() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    app.post("/auth/logout").bearer(&tokens.access).await.expect(200);
    app.advance(7 * 24 * 3600 - 1);
    app.refresh(&tokens.refresh).await.refused(401, "invalid_refresh_token");
    app.advance(1);
    app.refresh(&tokens.refresh).await.refused(401, "invalid_refresh_token");
}

#[tokio::test]
async fn a_logout_needs_a_token_and_no_body() {
    let app = App::start().await;
    app.post("/auth/logout").await.refused(401, "unauthenticated");
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
