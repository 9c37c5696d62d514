//! The mails about a deletion.

use super::{mail, with_pending};
use crate::support::EMAIL;
use axum_auth_module::delivery::{AccountDeletionKind, AccountDeletionMessage};

/// Nobody has proven an address that is not verified, and a suspended user gets no mail.
#[tokio::test]
async fn a_suspended_user_gets_no_mail() {
    let (app, _) = with_pending().await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    app.users.update(EMAIL, |user| user.active = false);
    assert!(app.auth.admin().cancel_deletion(&id).await.unwrap());
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<AccountDeletionMessage>().is_none());
}

/// The language is the one that the user has chosen, and not that of the request, which a thief may have sent.
#[tokio::test]
async fn the_language_is_that_of_the_owner() {
    let (app, told) = with_pending().await;
    assert_eq!(told.language.tag(), "en");
    let id = app.users.by_email(EMAIL).unwrap().id;
    app.auth.admin().cancel_deletion(&id).await.unwrap();
    mail(&app, EMAIL, AccountDeletionKind::Cancelled).await;
}
