//! What cancels a deletion besides its user: a lock down, a revert, an administrator; and what a thief cannot do.

use super::{GRACE, delete, held_back, mail, pass, two_mails, verified, with_pending};
use crate::change_emails::{is_the_owners_again, moved, revert, stolen};
use crate::reset_passwords::reset_password::reset;
use crate::support::places::{Place, in_every_place};
use crate::support::providers::{Behaviour, Deletes, Outbox};
use crate::support::routers::on_both_routers;
use crate::support::{App, Builder, EMAIL};
use axum_auth_module::delivery::{
    AccountDeletionKind, PasswordResetMessage, SecurityNoticeKind, SecurityNoticeMessage,
};
use axum_auth_module::testing::MemoryDeletions;
use serde_json::json;

on_both_routers![
    a_lock_down_by_an_administrator_cancels_it,
    the_link_of_a_notice_cancels_it,
    a_lock_down_of_a_user_who_is_being_deleted_is_refused,
    a_host_that_closes_the_account_ends_it,
];

in_every_place![a_thief_who_has_moved_the_account_cannot_destroy_it];

const NEW: &str = "new@example.com";

async fn a_lock_down_by_an_administrator_cancels_it() {
    let (app, _) = with_pending().await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    while app.event().await.name() != "auth.deletion-scheduled" {}
    app.auth.admin().lock_down(&id).await.unwrap();
    assert_eq!(app.event_names::<2>().await, ["auth.deletion-cancelled", "auth.account-secured"]);
    mail(&app, EMAIL, AccountDeletionKind::Cancelled).await;
    let way_back = app.outbox.next::<PasswordResetMessage>().await;
    reset(&app, EMAIL, &way_back.token, "the owner has chosen this").await.expect(200);
    app.login_call(EMAIL, "the owner has chosen this").await.expect(200);
    app.advance(GRACE);
    pass(&app).await;
    assert!(app.users.by_email(EMAIL).is_some());
}

async fn the_link_of_a_notice_cancels_it() {
    let app = App::with_everything_and(super::unlimited, |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let password = "the thief has chosen this";
    let body = json!({
        "currentPassword": crate::support::PASSWORD, "password": password, "passwordConfirmation": password,
    });
    let thief = app.put("/auth/user/password").bearer(&tokens.access).json(&body).await.expect(200).tokens();
    let notice = app.outbox.next::<SecurityNoticeMessage>().await;
    assert_eq!(notice.kind, SecurityNoticeKind::PasswordChanged);
    delete(&app, &thief.access).await.expect(202);
    let secure = app.post("/auth/account/secure").json(&json!({ "token": notice.token.unwrap() }));
    secure.await.expect(200);
    assert!(app.auth.admin().deletion_of(&app.users.by_email(EMAIL).unwrap().id).await.unwrap().is_none());
    app.login_call(EMAIL, password).await.refused(401, "invalid_credentials");
}

async fn a_lock_down_of_a_user_who_is_being_deleted_is_refused() {
    let deletes = Deletes::default();
    let module =
        |module: Builder| module.delete_accounts(MemoryDeletions::new(), deletes.clone(), Outbox::default());
    let app = App::with_everything_and(super::unlimited, module).await;
    let tokens = verified(&app, EMAIL).await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    delete(&app, &tokens.access).await.expect(202);
    app.advance(GRACE);
    deletes.faults.before.set(Behaviour::FAIL);
    pass(&app).await;
    let refused = app.auth.admin().lock_down(&id).await.unwrap_err();
    assert_eq!(refused.code().as_str(), "invalid_mail_token");
}

async fn a_host_that_closes_the_account_ends_it() {
    let (app, _) = with_pending().await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    app.auth.close_account(&id).await.unwrap();
    assert!(app.auth.admin().deletion_of(&id).await.unwrap().is_none());
}

/// The thief's walk with a deletion at its end: the link in the mail to the first address undoes all of it.
async fn a_thief_who_has_moved_the_account_cannot_destroy_it(place: &Place) {
    let (app, thief) = stolen(place).await;
    let (thief, to_the_owner) = moved(&app, &thief.access, EMAIL, NEW).await;
    app.confirm_password(&thief.access).await;
    delete(&app, &thief.access).await.expect(202);
    let [_, told] = two_mails(&app, [NEW, EMAIL], AccountDeletionKind::Scheduled).await;
    assert!(told.token.is_some(), "the owner can cancel it as well");
    app.advance(6 * 86_400);
    held_back(&app, NEW).await;
    revert(&app, &to_the_owner.token.unwrap()).await.expect(200);
    is_the_owners_again(&app, place, &thief).await;
    app.advance(GRACE);
    pass(&app).await;
    place.user(EMAIL).await;
}
