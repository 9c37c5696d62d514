//! Confirming a new address: by whom, once, and what ends with it.

use super::{NEW, ask, asked, cancel, confirm, mail, moved, pending, revert, verified, with_user};
use crate::email_login;
use crate::every_route::acting::{Latch, SlowPolicy};
use crate::reset_passwords::reset_password::{NEW as NEW_PASSWORD, reset, token as reset_token};
use crate::support::routers::{self, on_both_routers};
use crate::support::{Account, App, EMAIL, memory_users, registration};
use axum_auth_module::async_trait;
use axum_auth_module::delivery::{EmailChangeMessage, EmailChangePurpose};
use axum_auth_module::repository::{RepositoryError, UserRepository};
use axum_auth_module::testing::MemoryUsers;
use axum_auth_module::user::{NewUser, UserField, UserPatch};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

on_both_routers![
    it_changes_the_address_and_ends_the_other_sessions,
    it_works_in_a_session_of_its_own_user_alone,
    what_is_not_the_token_of_the_mail_is_refused,
    a_token_that_is_a_second_too_old_is_refused,
    an_address_that_was_taken_meanwhile_is_refused_and_the_link_works_once_it_is_free,
    what_was_mailed_to_either_address_ends,
    an_address_that_nobody_has_proven_is_told_nothing,
    a_repository_that_fails_after_it_has_written_leaves_the_owner_the_way_back,
    a_change_that_is_cancelled_or_replaced_during_its_confirmation_does_not_happen,
];

async fn it_changes_the_address_and_ends_the_other_sessions() {
    let (app, tokens) = with_user().await;
    let other = app.login(EMAIL).await;
    let token = asked(&app, &tokens.access, NEW).await;
    while app.event().await.name() != "auth.email-change-requested" {}
    // The mark of the session stays, so its earlier tokens are told by their time, in whole seconds.
    app.advance(1);
    let answer = confirm(&app, &tokens.access, &token).from("203.0.113.9").await.expect(200);
    assert_eq!(answer.members_beside_the_session(), ["message"]);
    let renewed = answer.tokens();
    app.me(&renewed.access).await.expect(200);
    app.is_refused(&tokens).await;
    app.is_over(&other).await;
    let account = app.users.by_email(NEW).unwrap();
    assert!(account.email_verified_at.is_some() && app.users.by_email(EMAIL).is_none());
    let mut names = app.event_names::<2>().await;
    names.sort_unstable();
    assert_eq!(names, ["auth.email-changed", "auth.session-ended"]);
    let told = mail(&app, EMAIL, EmailChangePurpose::Changed).await;
    assert_eq!(told.client, "203.0.113.9".parse().ok());
    assert!(told.token.is_some());
    assert_eq!(pending(&app, &renewed.access).await, Value::Null);
    // Twice: the token is for an address that the user no longer has.
    confirm(&app, &renewed.access, &token).await.refused(422, "invalid_mail_token");
    app.login_call(EMAIL, crate::support::PASSWORD).await.refused(401, "invalid_credentials");
    app.login(NEW).await;
}

/// Who gets a mistyped mail can do nothing with it.
async fn it_works_in_a_session_of_its_own_user_alone() {
    let (app, tokens) = with_user().await;
    let token = asked(&app, &tokens.access, NEW).await;
    let stranger = verified(&app, "eve@example.com").await;
    confirm(&app, &stranger.access, &token).await.refused(422, "invalid_mail_token");
    let nobody = app.post("/auth/user/email-change/confirm").json(&json!({ "token": token }));
    nobody.await.refused(401, "unauthenticated");
    // In another session of its user it works.
    let other = app.login(EMAIL).await;
    confirm(&app, &other.access, &token).await.expect(200);
}

async fn what_is_not_the_token_of_the_mail_is_refused() {
    let (app, tokens) = with_user().await;
    let (tokens, told) = moved(&app, &tokens.access, EMAIL, NEW).await;
    app.confirm_password(&tokens.access).await;
    let token = asked(&app, &tokens.access, "third@example.com").await;
    let last = if token.ends_with('A') { "B" } else { "A" };
    let edited = format!("{}{last}", &token[..token.len() - 1]);
    for wrong in [edited.as_str(), &token[..token.len() - 1], "fl1.", "x", told.token.as_deref().unwrap()] {
        confirm(&app, &tokens.access, wrong).await.refused(422, "invalid_mail_token");
    }
    revert(&app, &token).await.refused(422, "invalid_mail_token");
    let empty = app.post("/auth/user/email-change/confirm").bearer(&tokens.access).json(&json!({}));
    assert_eq!(empty.await.field_errors(), ["token: required"]);
    confirm(&app, &tokens.access, &token).await.expect(200);
}

async fn a_token_that_is_a_second_too_old_is_refused() {
    let (app, tokens) = with_user().await;
    for (age, is_valid) in [(86_400, false), (86_399, true)] {
        let session = app.login(EMAIL).await;
        app.confirm_password(&session.access).await;
        let token = asked(&app, &session.access, NEW).await;
        app.advance(age);
        let session = app.login(EMAIL).await;
        let answer = confirm(&app, &session.access, &token).await;
        if is_valid {
            answer.expect(200);
        } else {
            answer.refused(422, "expired_mail_token");
            assert_eq!(pending(&app, &session.access).await, Value::Null);
        }
    }
    app.is_over(&tokens).await;
}

async fn an_address_that_was_taken_meanwhile_is_refused_and_the_link_works_once_it_is_free() {
    let (app, tokens) = with_user().await;
    let token = asked(&app, &tokens.access, NEW).await;
    app.register(NEW).await;
    confirm(&app, &tokens.access, &token).await.refused(409, "email_taken");
    app.me(&tokens.access).await.expect(200);
    assert!(app.outbox.take::<EmailChangeMessage>().is_none());
    app.users.remove(NEW);
    confirm(&app, &tokens.access, &token).await.expect(200);
}

async fn what_was_mailed_to_either_address_ends() {
    let (app, tokens) = with_user().await;
    let token = asked(&app, &tokens.access, NEW).await;
    let before = reset_token(&app, &app.outbox, EMAIL).await;
    let begun = email_login::begin(&app, EMAIL).await;
    confirm(&app, &tokens.access, &token).await.expect(200);
    for email in [EMAIL, NEW] {
        reset(&app, email, &before, NEW_PASSWORD).await.refused(422, "invalid_reset_token");
    }
    email_login::with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
    email_login::sign_in(&app, NEW).await;
}

async fn an_address_that_nobody_has_proven_is_told_nothing() {
    let app = super::host().await;
    let tokens = app.confirmed_session(EMAIL).await;
    let token = asked(&app, &tokens.access, NEW).await;
    confirm(&app, &tokens.access, &token).await.expect(200);
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<EmailChangeMessage>().is_none());
    // It is nobody's, so it is not kept for anybody.
    app.register(EMAIL).await;
}

/// Fails after it has written, while this is true.
struct FailsLate(MemoryUsers<Account>, Arc<AtomicBool>);

#[async_trait]
impl UserRepository for FailsLate {
    type User = Account;

    async fn find_by_id(&self, id: &i64) -> Result<Option<Account>, RepositoryError> {
        self.0.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        self.0.find_by_field(field, value).await
    }

    async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
        self.0.create(user).await
    }

    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        let saved = self.0.save(patch).await?;
        match self.1.load(Ordering::SeqCst) {
            true => Err(RepositoryError::other("the connection is gone")),
            false => Ok(saved),
        }
    }
}

async fn a_repository_that_fails_after_it_has_written_leaves_the_owner_the_way_back() {
    let (users, fails) = (memory_users(), Arc::new(AtomicBool::new(false)));
    let repository = FailsLate(users.clone(), Arc::clone(&fails));
    let app = App::with_everything_on(repository, users, super::unlimited, |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let token = asked(&app, &tokens.access, NEW).await;
    fails.store(true, Ordering::SeqCst);
    confirm(&app, &tokens.access, &token).await.refused(500, "internal_error");
    fails.store(false, Ordering::SeqCst);
    let told = mail(&app, EMAIL, EmailChangePurpose::Changed).await;
    app.post("/auth/register").json(&registration(EMAIL)).await.refused(409, "email_taken");
    revert(&app, &told.token.unwrap()).await.expect(200);
    assert!(app.users.by_email(EMAIL).is_some());
    app.is_over(&tokens).await;
}

/// The policy is asked after the pending change was read, and takes its time.
async fn a_change_that_is_cancelled_or_replaced_during_its_confirmation_does_not_happen() {
    for is_cancelled in [true, false] {
        let latch = Latch::new();
        let policy = SlowPolicy(latch.clone());
        let app = App::with_everything_and(super::unlimited, |module| module.policy(policy)).await;
        let tokens = verified(&app, EMAIL).await;
        latch.release();
        let token = asked(&app, &tokens.access, NEW).await;
        latch.is_reached().await;
        let other = ask(&app, &tokens.access, "other@example.com");
        let other =
            (!is_cancelled).then(|| tokio::spawn(routers::on(routers::current(), other.into_future())));
        if !is_cancelled {
            latch.is_reached().await;
        }
        let confirmation = confirm(&app, &tokens.access, &token);
        let confirmation = tokio::spawn(routers::on(routers::current(), confirmation.into_future()));
        latch.is_reached().await;
        if let Some(other) = other {
            // The latch lets those go on first who came first.
            latch.release();
            other.await.unwrap();
        } else {
            cancel(&app, &tokens.access).await.expect(200);
        }
        latch.release();
        confirmation.await.unwrap().refused(422, "invalid_mail_token");
        assert!(app.users.by_email(EMAIL).is_some());
    }
}
