//! What ends an impersonated session, and the end of its trail.

use super::{ACTOR, id, impersonated};
use crate::delete_accounts::delete;
use crate::reset_passwords::reset_password;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, Tokens};
use axum_auth_module::events::EventKind;
use serde_json::json;

on_both_routers![
    the_user_ends_it,
    the_user_ends_it_with_all_other_sessions,
    an_administrator_ends_it,
    a_changed_password_ends_it,
    a_reset_ends_it,
    a_lock_down_ends_it,
    a_deletion_ends_it,
    a_login_in_its_browser_ends_it,
    a_refresh_token_that_was_used_twice_ends_it,
];

const NEW: &str = "another long password";

/// This ends the session in which somebody acts for the user, with one event of its own.
async fn ended(end: impl AsyncFnOnce(&App, &Tokens, &Tokens)) {
    let (app, own, acting) = impersonated().await;
    let sessions = app.auth.admin().sessions_of(&id(&app)).await.unwrap();
    let its = sessions.into_iter().find(|session| session.actor.is_some()).unwrap().id;
    app.confirm_password(&own.access).await;
    app.me(&acting.access).await.expect(200);
    end(&app, &own, &acting).await;
    app.is_over(&acting).await;
    app.auth.background_work_finished().await;
    app.auth.admin().unlock(&id(&app)).await.unwrap();
    let mut events = Vec::new();
    loop {
        let event = app.event().await;
        if event.kind == EventKind::Unlocked {
            break;
        }
        events.push(event.kind);
    }
    let trail = EventKind::ImpersonationEnded { session_id: its, actor: ACTOR.to_owned() };
    assert_eq!(events.iter().filter(|event| **event == trail).count(), 1, "{events:?}");
}

async fn the_user_ends_it() {
    ended(async |app, own, _| {
        let sessions = app.auth.admin().sessions_of(&id(app)).await.unwrap();
        let its = &sessions.iter().find(|session| session.actor.is_some()).unwrap().id;
        app.delete(&format!("/auth/user/sessions/{its}")).bearer(&own.access).await.expect(200);
    })
    .await;
}

async fn the_user_ends_it_with_all_other_sessions() {
    ended(async |app, own, _| {
        app.delete("/auth/user/sessions").bearer(&own.access).await.expect(200);
    })
    .await;
}

async fn an_administrator_ends_it() {
    ended(async |app, _, _| {
        app.auth.admin().end_all_sessions(&id(app)).await.unwrap();
    })
    .await;
}

async fn a_changed_password_ends_it() {
    ended(async |app, own, _| {
        let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
        app.put("/auth/user/password").bearer(&own.access).json(&body).await.expect(200);
    })
    .await;
}

async fn a_reset_ends_it() {
    ended(async |app, _, _| {
        let token = reset_password::token(app, &app.outbox, EMAIL).await;
        reset_password::reset(app, EMAIL, &token, NEW).await.expect(200);
    })
    .await;
}

async fn a_lock_down_ends_it() {
    ended(async |app, _, _| app.auth.admin().lock_down(&id(app)).await.unwrap()).await;
}

async fn a_deletion_ends_it() {
    ended(async |app, own, _| {
        delete(app, &own.access).await.expect(202);
    })
    .await;
}

/// The administrator logs in again afterwards.
async fn a_login_in_its_browser_ends_it() {
    ended(async |app, _, acting| {
        if !app.is_for_browsers() {
            app.post("/auth/logout").bearer(&acting.access).await.expect(200);
            return;
        }
        app.login_call(EMAIL, PASSWORD).bearer(&acting.access).await.expect(200);
    })
    .await;
}

async fn a_refresh_token_that_was_used_twice_ends_it() {
    ended(async |app, _, acting| {
        if app.is_for_browsers() {
            app.post("/auth/logout").bearer(&acting.access).await.expect(200);
            return;
        }
        app.renew(acting).await;
        app.advance(60);
        app.refresh(&acting.refresh).await.refused(401, "refresh_token_reused");
    })
    .await;
}
