//! Sessions and changes of credentials across a rotation: who stays logged in, and who does not come back.

use super::{A, B, C, Secrets, Shared};
use crate::reset_passwords::reset_password::{reset, token};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Call, EMAIL, PASSWORD, Tokens, forge};
use crate::trusted_devices::{login_on, trusted};
use axum_auth_module::actions::{ActionContext, ActionError, PasswordUpdateData, UpdatesUserPasswords};
use axum_auth_module::{StandardActions, async_trait};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Notify;

on_both_routers![
    a_confirmed_password_stays_confirmed,
    a_password_change_before_a_rotation_has_ended_the_other_sessions,
    a_password_change_after_a_rotation_ends_the_other_sessions,
    a_reset_after_a_rotation_ends_every_session,
    a_hash_that_the_host_has_changed_ends_sessions_after_a_rotation_as_before_it,
    a_password_that_was_hashed_again_before_a_rotation_ends_no_session,
    a_password_change_that_fails_after_a_rotation_leaves_the_session_as_it_was,
    a_password_change_continues_if_the_other_instance_hashes_the_password_again,
    a_device_stays_trusted_until_its_secret_is_gone,
];

const NEW: &str = "a new password for all";
/// Instances before and after a rotation, and instances in each step of one that has two.
const ROTATIONS: [(&[Secrets], &[Secrets]); 4] =
    [(&[A], &[B, A]), (&[A, B], &[B, A]), (&[B, A], &[A, B]), (&[A], &[C, B, A])];

fn change_password(app: &App, tokens: &Tokens, from: &str, to: &str) -> Call {
    let body = json!({ "currentPassword": from, "password": to, "passwordConfirmation": to });
    app.put("/auth/user/password").bearer(&tokens.access).json(&body)
}

async fn works(app: &App, tokens: &Tokens) {
    for path in ["/me", "/claims"] {
        app.get(path).bearer(&tokens.access).await.expect(200);
    }
}

#[tokio::test]
async fn what_has_ended_before_a_rotation_stays_ended() {
    for (before, after) in ROTATIONS {
        let shared = Shared::new();
        let before = shared.start(before).await;
        let logged_out = before.register(EMAIL).await;
        before.post("/auth/logout").bearer(&logged_out.access).await.expect(200);
        let spent = before.login(EMAIL).await;
        let refreshed = before.refresh(&spent.refresh).await.expect(200).tokens();

        let after = shared.start(after).await;
        after.is_over(&logged_out).await;
        works(&after, &refreshed).await;
        after.advance(11);
        after.refresh(&spent.refresh).await.refused(401, "refresh_token_reused");
        after.is_over(&refreshed).await;
        after.is_over(&spent).await;
    }
}

#[tokio::test]
async fn a_refresh_token_that_was_spent_after_a_rotation_is_found_when_it_is_used_again() {
    let shared = Shared::new();
    let first = shared.start(&[A]).await.register(EMAIL).await;
    let after = shared.start(&[B, A]).await;
    let second = after.refresh(&first.refresh).await.expect(200).tokens();
    let third = after.refresh(&second.refresh).await.expect(200).tokens();
    after.advance(11);
    after.refresh(&first.refresh).await.refused(401, "refresh_token_reused");
    after.is_over(&third).await;
}

async fn a_confirmed_password_stays_confirmed() {
    let shared = Shared::new();
    let before = shared.start(&[A]).await;
    let tokens = before.register(EMAIL).await;
    let other = before.login(EMAIL).await;
    before.confirm_password(&tokens.access).await;
    let after = shared.start(&[B, A]).await;
    after.get("/confirmed").bearer(&tokens.access).await.expect(200);
    after.get("/confirmed").bearer(&other.access).await.refused(403, "password_confirmation_required");
    after.confirm_password(&other.access).await;
    after.get("/confirmed").bearer(&other.access).await.expect(200);
    works(&after, &other).await;
}

async fn a_password_change_before_a_rotation_has_ended_the_other_sessions() {
    for (before, after) in ROTATIONS {
        let shared = Shared::new();
        let before = shared.start(before).await;
        let (acting, other) = (before.register(EMAIL).await, before.login(EMAIL).await);
        let fresh = change_password(&before, &acting, PASSWORD, NEW).await.expect(200).tokens();

        let after = shared.start(after).await;
        after.is_over(&other).await;
        after.is_over(&acting).await;
        works(&after, &fresh).await;
        after.renew(&fresh).await;
    }
}

async fn a_password_change_after_a_rotation_ends_the_other_sessions() {
    for (before, after) in ROTATIONS {
        let shared = Shared::new();
        let before = shared.start(before).await;
        let (acting, other, refreshed) =
            (before.register(EMAIL).await, before.login(EMAIL).await, before.login(EMAIL).await);

        let after = shared.start(after).await;
        let refreshed = after.renew(&refreshed).await;
        let fresh = change_password(&after, &acting, PASSWORD, NEW).await.expect(200).tokens();
        for app in [&after, &before] {
            for ended in [&other, &refreshed, &acting] {
                app.is_over(ended).await;
            }
        }
        works(&after, &fresh).await;
        after.renew(&fresh).await;
        after.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    }
}

async fn a_reset_after_a_rotation_ends_every_session() {
    for (before, after) in ROTATIONS {
        let shared = Shared::new();
        let before = shared.start(before).await;
        let (one, other) = (before.register(EMAIL).await, before.login(EMAIL).await);
        let token = token(&before, &before.outbox, EMAIL).await;
        let after = shared.start(after).await;
        let one = after.renew(&one).await;
        reset(&after, EMAIL, &token, NEW).await.expect(200);
        for app in [&before, &after] {
            app.is_over(&one).await;
            app.is_over(&other).await;
        }
    }
}

/// A host's own code writes another hash: nobody has told the rows.
async fn a_hash_that_the_host_has_changed_ends_sessions_after_a_rotation_as_before_it() {
    let shared = Shared::new();
    let before = shared.start(&[A]).await;
    let (one, other) = (before.register(EMAIL).await, before.login(EMAIL).await);
    let after = shared.start(&[B, A]).await;
    let one = after.renew(&one).await;
    shared.users.update(EMAIL, |user| user.password = user.password.replace("$2b$", "$2a$"));
    for tokens in [&one, &other] {
        after.is_refused(tokens).await;
    }
}

#[tokio::test]
async fn a_password_that_is_hashed_again_after_a_rotation_ends_no_session() {
    let shared = Shared::new();
    let before = shared.start(&[A]).await;
    let (one, other) = (before.register(EMAIL).await, before.login(EMAIL).await);
    let after = shared.start_with(&[B, A], |config| config.bcrypt_cost(5), |module| module).await;
    let refreshed = after.refresh(&one.refresh).await.expect(200).tokens();
    let login = after.login(EMAIL).await;
    assert!(after.users.by_email(EMAIL).unwrap().password.starts_with("$2b$05$"));
    for tokens in [&one, &refreshed, &other, &login] {
        works(&after, tokens).await;
    }
    after.advance(11);
    let mut alive = Vec::new();
    for tokens in [&refreshed, &other, &login] {
        alive.push(after.refresh(&tokens.refresh).await.expect(200).tokens());
    }
    // Each has its mark under the new secret by now.
    let without_the_old_one = shared.start(&[B]).await;
    for tokens in &alive {
        works(&without_the_old_one, tokens).await;
        without_the_old_one.refresh(&tokens.refresh).await.expect(200);
    }
}

async fn a_password_that_was_hashed_again_before_a_rotation_ends_no_session() {
    let shared = Shared::new();
    let tokens = shared.start(&[A]).await.register(EMAIL).await;
    let before = shared.start_with(&[A], |config| config.bcrypt_cost(5), |module| module).await;
    let login = before.login(EMAIL).await;
    let after = shared.start_with(&[B, A], |config| config.bcrypt_cost(5), |module| module).await;
    for tokens in [&tokens, &login] {
        works(&after, tokens).await;
        let refreshed = after.renew(tokens).await;
        works(&after, &refreshed).await;
        works(&after, tokens).await;
    }
}

/// An access token can be used in one tab while another one refreshes.
#[tokio::test]
async fn earlier_access_tokens_of_a_session_work_after_it_was_refreshed_under_the_new_secret() {
    let shared = Shared::new();
    let first = shared.start(&[A]).await.register(EMAIL).await;
    let after = shared.start(&[B, A]).await;
    let second = after.refresh(&first.refresh).await.expect(200).tokens();
    let third = after.refresh(&second.refresh).await.expect(200).tokens();
    assert_ne!(forge::claims(&first.access)["gen"], forge::claims(&third.access)["gen"]);
    for tokens in [&first, &second, &third] {
        works(&after, tokens).await;
    }
}

async fn a_password_change_that_fails_after_a_rotation_leaves_the_session_as_it_was() {
    let shared = Shared::new();
    let tokens = shared.start(&[A]).await.register(EMAIL).await;
    let after = shared.start(&[B, A]).await;
    let (stored, hash) = (shared.users.clone(), shared.users.by_email(EMAIL).unwrap().password);
    shared.repository.before_save.set(move |_| {
        stored.update(EMAIL, |user| user.password = "another".to_owned());
    });
    change_password(&after, &tokens, PASSWORD, NEW).await.refused(401, "unauthenticated");
    shared.repository.before_save.set(|_| {});
    shared.users.update(EMAIL, |user| user.password.clone_from(&hash));
    works(&after, &tokens).await;
    let refreshed = after.renew(&tokens).await;
    works(&after, &refreshed).await;
}

/// An action that waits before it writes, until a test lets it go on.
#[derive(Clone, Default)]
struct Held {
    entered: Arc<Notify>,
    released: Arc<Notify>,
}

#[async_trait]
impl UpdatesUserPasswords<Account> for Held {
    async fn update(
        &self,
        user: &Account,
        data: PasswordUpdateData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        self.entered.notify_one();
        self.released.notified().await;
        StandardActions.update(user, data, context).await
    }
}

/// The other instance makes marks with the other secret, and the change must recognise them.
async fn a_password_change_continues_if_the_other_instance_hashes_the_password_again() {
    for (one, other) in [(&[B, A], &[A, B]), (&[A, B], &[B, A])] {
        let (shared, held) = (Shared::new(), Held::default());
        let action = held.clone();
        let one = shared.start_with(one, |config| config, |module| module.update_passwords(action)).await;
        let other = shared.start_with(other, |config| config.bcrypt_cost(5), |module| module).await;
        let (acting, idle) = (one.register(EMAIL).await, one.login(EMAIL).await);
        let change = tokio::spawn(change_password(&one, &acting, PASSWORD, NEW).into_future());
        held.entered.notified().await;
        let login = other.login(EMAIL).await;
        assert!(shared.users.by_email(EMAIL).unwrap().password.starts_with("$2b$05$"));
        held.released.notify_one();
        let fresh = change.await.unwrap().expect(200).tokens();
        for app in [&one, &other] {
            works(app, &fresh).await;
            for ended in [&acting, &idle, &login] {
                app.is_over(ended).await;
            }
        }
    }
}

async fn a_device_stays_trusted_until_its_secret_is_gone() {
    let shared = Shared::new();
    let device = trusted(&shared.start(&[A]).await, EMAIL).await.device;
    for secrets in [&[A, B][..], &[B, A]] {
        let app = shared.start(secrets).await;
        assert!(login_on(&app, &device, EMAIL).await.expect(200).session().is_some());
    }
    let after = shared.start(&[B]).await;
    assert!(login_on(&after, &device, EMAIL).await.expect(200).session().is_none());
}
