//! What is due: who deletes a user, when, and what happens if that fails or a process stops.

use super::{GRACE, delete, held_back, mail, pass, unlimited, verified, with_pending};
use crate::support::places::{Place, in_every_place};
use crate::support::providers::{Behaviour, Deletes, Outbox};
use crate::support::routers::on_both_routers;
use crate::support::{App, Builder, EMAIL, PASSWORD, at_once, memory_users};
use axum_auth_module::delivery::{AccountDeletionKind, AccountDeletionMessage};
use axum_auth_module::testing::MemoryDeletions;

on_both_routers![
    nothing_happens_a_second_too_early,
    the_user_is_deleted_when_the_time_is_over,
    a_request_that_serves_others_starts_the_pass,
    a_failing_action_is_called_again_after_the_lease,
    an_action_that_fails_after_it_has_deleted_is_not_called_for_nobody,
    a_panic_of_the_action_keeps_others_from_nothing,
    while_the_user_is_being_deleted_nobody_signs_in_or_restores,
    a_user_whom_the_host_has_deleted_is_no_failure,
    a_changed_option_does_not_change_what_is_scheduled,
];

in_every_place![of_two_instances_one_deletes, everything_of_the_user_is_gone];

/// A host with these deletions, and a user whose deletion is pending.
async fn deleting(deletes: &Deletes, deletions: &MemoryDeletions) -> App {
    let module =
        |module: Builder| module.delete_accounts(deletions.clone(), deletes.clone(), Outbox::default());
    let app = App::with_everything_and(unlimited, module).await;
    let tokens = verified(&app, EMAIL).await;
    delete(&app, &tokens.access).await.expect(202);
    app
}

async fn nothing_happens_a_second_too_early() {
    let (app, _) = with_pending().await;
    app.advance(GRACE - 1);
    pass(&app).await;
    held_back(&app, EMAIL).await;
}

async fn the_user_is_deleted_when_the_time_is_over() {
    let (app, told) = with_pending().await;
    while app.event().await.name() != "auth.deletion-scheduled" {}
    app.advance(GRACE);
    pass(&app).await;
    assert!(app.users.by_email(EMAIL).is_none());
    mail(&app, EMAIL, AccountDeletionKind::Done).await;
    let deleted = app.event().await;
    assert_eq!(deleted.name(), "auth.account-deleted");
    assert!(deleted.client.is_none() && deleted.user_id.is_some() && deleted.request_id.is_none());
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    super::restore(&app, &told.token.unwrap()).await.refused(422, "invalid_mail_token");
    // A new user has nothing to do with it.
    app.register(EMAIL).await;
    app.login(EMAIL).await;
}

async fn a_request_that_serves_others_starts_the_pass() {
    let (app, _) = with_pending().await;
    app.register("bob@example.com").await;
    app.advance(GRACE);
    app.login("bob@example.com").await;
    app.auth.background_work_finished().await;
    assert!(app.users.by_email(EMAIL).is_none());
}

async fn a_failing_action_is_called_again_after_the_lease() {
    let (deletes, deletions) = (Deletes::default(), MemoryDeletions::new());
    let app = deleting(&deletes, &deletions).await;
    app.advance(GRACE);
    deletes.faults.before.set(Behaviour::FAIL);
    pass(&app).await;
    pass(&app).await;
    assert_eq!(deletes.calls(), 1, "the lease lasts");
    deletes.faults.before.set(Behaviour::WELL);
    app.advance(15 * 60);
    pass(&app).await;
    assert_eq!(deletes.calls(), 2);
    assert!(app.auth.admin().deletion_of(&1).await.unwrap().is_none());
}

async fn an_action_that_fails_after_it_has_deleted_is_not_called_for_nobody() {
    let users = memory_users();
    let deletes = Deletes::from(users.clone());
    let module =
        |module: Builder| module.delete_accounts(MemoryDeletions::new(), deletes.clone(), Outbox::default());
    let app = App::with_everything_on(users.clone(), users, unlimited, module).await;
    let tokens = verified(&app, EMAIL).await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    delete(&app, &tokens.access).await.expect(202);
    app.advance(GRACE);
    deletes.faults.after.set(Behaviour::FAIL);
    pass(&app).await;
    assert!(app.users.by_email(EMAIL).is_none());
    assert!(app.auth.admin().deletion_of(&id).await.unwrap().is_some(), "the row waits");
    app.advance(15 * 60);
    pass(&app).await;
    assert_eq!(deletes.calls(), 1);
    assert!(app.auth.admin().deletion_of(&id).await.unwrap().is_none());
    while app.event().await.name() != "auth.account-deleted" {}
}

async fn a_panic_of_the_action_keeps_others_from_nothing() {
    let (deletes, deletions) = (Deletes::default(), MemoryDeletions::new());
    let app = deleting(&deletes, &deletions).await;
    let tokens = verified(&app, "bob@example.com").await;
    delete(&app, &tokens.access).await.expect(202);
    app.advance(GRACE);
    deletes.faults.before.set(Behaviour::PANIC);
    pass(&app).await;
    assert_eq!(deletes.calls(), 2, "both were tried");
}

async fn while_the_user_is_being_deleted_nobody_signs_in_or_restores() {
    let (deletes, deletions) = (Deletes::default(), MemoryDeletions::new());
    let app = deleting(&deletes, &deletions).await;
    app.advance(GRACE);
    let refused = held_back(&app, EMAIL).await;
    deletes.faults.before.set(Behaviour::FAIL);
    pass(&app).await;
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    super::restore_after(&app, &refused).await.refused(422, "invalid_mail_token");
    // If the instance has stopped, the account can be restored until another one begins.
    app.advance(15 * 60);
    let refused = held_back(&app, EMAIL).await;
    super::restore_after(&app, &refused).await.expect(200);
    pass(&app).await;
    assert_eq!(deletes.calls(), 1);
}

async fn a_user_whom_the_host_has_deleted_is_no_failure() {
    let (app, _) = with_pending().await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    app.users.remove(EMAIL);
    app.advance(GRACE);
    pass(&app).await;
    assert!(app.auth.admin().deletion_of(&id).await.unwrap().is_none());
}

async fn a_changed_option_does_not_change_what_is_scheduled() {
    let place = Place::memory();
    let (app, tokens) = super::at(&place).await;
    delete(&app, &tokens.access).await.expect(202);
    let app = place.start_with(super::with_grace(0)).await;
    app.advance(GRACE - 1);
    pass(&app).await;
    held_back(&app, EMAIL).await;
    app.advance(1);
    pass(&app).await;
    assert!(app.users.by_email(EMAIL).is_none());
}

async fn of_two_instances_one_deletes(place: &Place) {
    let (app, tokens) = super::at(place).await;
    delete(&app, &tokens.access).await.expect(202);
    let other = place.start_with(unlimited).await;
    app.advance(GRACE);
    let passes = [&app, &other].map(|app| {
        let auth = app.auth.clone();
        async move { auth.maintain().await.map(drop) }
    });
    for passed in at_once(passes).await {
        passed.unwrap();
    }
    assert!(place.find(EMAIL).await.is_none());
    let mut done = 0;
    for app in [&app, &other] {
        app.auth.background_work_finished().await;
        while let Some(mail) = app.outbox.take::<AccountDeletionMessage>() {
            done += usize::from(mail.kind == AccountDeletionKind::Done);
        }
    }
    assert_eq!(done, 1, "one of both has deleted the user");
}

/// What the features store about the user goes with the user.
async fn everything_of_the_user_is_gone(place: &Place) {
    let (app, tokens) = super::at(place).await;
    let mut passkey = crate::support::passkeys::passkey();
    app.add_passkey(&tokens.access, &mut passkey).await;
    app.confirm_password(&tokens.access).await;
    let id = place.user(EMAIL).await.id;
    delete(&app, &tokens.access).await.expect(202);
    app.advance(GRACE);
    pass(&app).await;
    assert!(place.find(EMAIL).await.is_none());
    assert!(place.rows(&id.to_string()).await.is_empty());
    app.sign_in_with(&mut passkey).await.refused(404, "unknown_passkey");
}
