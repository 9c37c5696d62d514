//! The methods of `Browser` for deletions, in handlers of a host with pages of its own.

use super::{mail, unlimited};
use crate::support::answer::Answer;
use crate::support::routers::{self, CHALLENGE_COOKIE, SESSION_COOKIE};
use crate::support::{Account, App, Call, EMAIL, PASSWORD, serve};
use axum::Router;
use axum::extract::FromRef;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum_auth_module::delivery::AccountDeletionKind;
use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::extract::{Browser, BrowserLogin, BrowserRestored, Remember};
use axum_auth_module::{AuthError, AuthModule};
use serde_json::{Value, json};

#[derive(Clone, FromRef)]
struct Host {
    auth: AuthModule<Account>,
}

/// The host of these tests: its pages beside the router of the module.
fn router(auth: AuthModule<Account>) -> Router {
    Router::new()
        .route("/pages/login", post(login))
        .route("/pages/delete", post(delete))
        .route("/pages/restore", post(restore))
        .nest(routers::BROWSER_ROUTER, auth.browser_router())
        .with_state(Host { auth })
}

async fn login(browser: Browser<Account>) -> Result<Response, AuthError> {
    Ok(match browser.login(EMAIL, PASSWORD, Remember::No).await? {
        BrowserLogin::Session(cookies) => (cookies, "session").into_response(),
        BrowserLogin::PendingDeletion { cookies, deletes_at } => {
            assert!(deletes_at > std::time::SystemTime::UNIX_EPOCH);
            (cookies, "keep the account?").into_response()
        }
        other => panic!("{other:?}"),
    })
}

async fn delete(browser: Browser<Account>) -> Result<Response, AuthError> {
    let (scheduled, cookies) = browser.delete_account().await?;
    assert!(scheduled.deletes_at > std::time::SystemTime::UNIX_EPOCH);
    Ok((cookies, "it will be deleted").into_response())
}

async fn restore(browser: Browser<Account>, body: String) -> Result<Response, AuthError> {
    let fields: Value = serde_json::from_str(&body).unwrap();
    Ok(match browser.restore_account(fields["token"].as_str()).await? {
        BrowserRestored::Session(cookies) => (cookies, "welcome back").into_response(),
        BrowserRestored::Cancelled => "the account stays".into_response(),
        other => panic!("{other:?}"),
    })
}

fn page(app: &App, path: &str, body: &Value) -> Call {
    app.post(path).json(body)
}

/// The value that a response gives this cookie.
fn set_to(answer: &Answer, name: &str) -> String {
    let cookies = answer.set_cookies();
    cookies.into_iter().find(|cookie| cookie.name == name).expect("the cookie").value
}

#[tokio::test]
async fn pages_delete_and_restore_as_the_routes_do() {
    routers::on(RouterKind::Browser, async {
        let mut app = App::with_everything_and(unlimited, |module| module).await;
        app.address = serve(router(app.auth.clone())).await;
        let nothing = json!({});
        let refused = page(&app, "/pages/restore", &nothing).await;
        refused.refused(422, "invalid_mail_token");
        page(&app, "/pages/delete", &nothing).await.refused(401, "unauthenticated");
        let tokens = app.register(EMAIL).await;
        page(&app, "/pages/delete", &nothing)
            .bearer(&tokens.access)
            .await
            .refused(403, "password_confirmation_required");
        app.auth.admin().verify_email(&app.users.by_email(EMAIL).unwrap().id).await.unwrap();
        app.confirm_password(&tokens.access).await;
        let deleted = page(&app, "/pages/delete", &nothing).bearer(&tokens.access).await.expect(200);
        assert_eq!(deleted.text, "it will be deleted");
        assert!(
            deleted.set_cookies().iter().any(|cookie| cookie.name == SESSION_COOKIE && cookie.is_expired())
        );
        let told = mail(&app, EMAIL, AccountDeletionKind::Scheduled).await;

        let asked = page(&app, "/pages/login", &nothing).await.expect(200);
        assert_eq!(asked.text, "keep the account?");
        let cookie = format!("{CHALLENGE_COOKIE}={}", set_to(&asked, CHALLENGE_COOKIE));
        let restored = page(&app, "/pages/restore", &nothing).header("cookie", &cookie).await.expect(200);
        assert_eq!(restored.text, "welcome back");
        let access = set_to(&restored, SESSION_COOKIE);
        app.get("/auth/session").bearer(&access).await.expect(200);

        // The mail of that deletion does not cancel the next one, and that of the next one does.
        app.advance(1);
        app.confirm_password(&access).await;
        page(&app, "/pages/delete", &nothing).bearer(&access).await.expect(200);
        mail(&app, EMAIL, AccountDeletionKind::Cancelled).await;
        let next = mail(&app, EMAIL, AccountDeletionKind::Scheduled).await;
        let old = page(&app, "/pages/restore", &json!({ "token": told.token.unwrap() })).await;
        old.refused(422, "invalid_mail_token");
        let kept = page(&app, "/pages/restore", &json!({ "token": next.token.unwrap() })).await.expect(200);
        assert_eq!(kept.text, "the account stays");
        let logged_in = page(&app, "/pages/login", &nothing).await.expect(200);
        assert_eq!(logged_in.text, "session");
    })
    .await;
}
