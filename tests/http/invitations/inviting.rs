//! Whom an administrator invites, and with which mail.

use super::{accept, created, host, id, invited};
use crate::change_emails::unlimited;
use crate::support::{App, EMAIL};
use axum_auth_module::AuthError;
use axum_auth_module::config::InvitationOptions;
use axum_auth_module::delivery::InvitationMessage;
use axum_auth_module::events::{Actor, EventKind};
use axum_auth_module::feature::{Feature, FeatureSet};
use std::time::Duration;

fn reason(refused: Result<(), AuthError>) -> String {
    match refused {
        Err(AuthError::NotAllowed { reason, .. }) => reason.into_owned(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_mail_goes_to_the_stored_address_and_the_event_is_an_administrators() {
    let app = host().await;
    created(&app, EMAIL).await;
    app.users.update(EMAIL, |user| user.locale = Some("de".to_owned()));
    let mail = invited(&app, id(&app)).await;
    assert_eq!((mail.email.as_str(), mail.name.as_str()), (EMAIL, "Ada"));
    assert!(mail.token.is_some_and(|token| token.starts_with("fl1.")));
    let event = app.event().await;
    assert_eq!((event.kind, event.by, event.client), (EventKind::InvitationSent, Actor::Administrator, None));
    assert_eq!(event.user_id, Some(id(&app).to_string()));
    let stored = app.auth.admin().export(&id(&app)).await.unwrap();
    assert!(stored["invitation"]["expiresAt"].is_string(), "{stored}");
}

#[tokio::test]
async fn only_an_active_user_without_a_password_is_invited() {
    let app = host().await;
    app.register(EMAIL).await;
    let admin = app.auth.admin();
    assert_eq!(reason(admin.invite(&id(&app)).await), "has_password");
    app.users.update(EMAIL, |user| user.password = String::new());
    app.users.update(EMAIL, |user| user.active = false);
    assert_eq!(reason(admin.invite(&id(&app)).await), "inactive");
    app.users.update(EMAIL, |user| user.active = true);
    admin.schedule_deletion(&id(&app)).await.unwrap();
    assert_eq!(reason(admin.invite(&id(&app)).await), "inactive");
    admin.cancel_deletion(&id(&app)).await.unwrap();
    admin.invite(&id(&app)).await.unwrap();
    app.outbox.next::<InvitationMessage>().await;
    assert!(matches!(admin.invite(&4711).await, Err(AuthError::Internal(_))), "nobody has this id");
    let without = App::start().await;
    created(&without, EMAIL).await;
    let refused = without.auth.admin().invite(&id(&without)).await.unwrap_err();
    assert!(matches!(&refused, AuthError::Internal(cause) if cause.to_string().contains("INVITATIONS")));
}

#[tokio::test]
async fn a_mail_that_leads_to_the_login_page_has_no_token_and_ends_the_one_before() {
    let with = |by_mail| async move {
        let mut options = InvitationOptions::default();
        options.sign_in_by_mail = by_mail;
        App::with_everything_and(move |config| unlimited(config).invitations(options), |module| module).await
    };
    let app = with(true).await;
    created(&app, EMAIL).await;
    assert!(invited(&app, id(&app)).await.token.is_none());
    let stored = app.auth.admin().export(&id(&app)).await.unwrap();
    assert!(stored.get("invitation").is_none(), "there is nothing to accept: {stored}");
    // The user signs in by mail, which verifies the address.
    crate::email_login::sign_in(&app, EMAIL).await.expect(200);
    assert!(app.users.by_email(EMAIL).unwrap().email_verified_at.is_some());
}

#[tokio::test]
async fn without_sign_in_by_mail_a_mail_without_a_token_would_lead_nowhere() {
    let mut options = InvitationOptions::default();
    options.sign_in_by_mail = true;
    let features = FeatureSet::from([Feature::INVITATIONS, Feature::REGISTRATION]);
    let app = App::with_everything_and(
        move |config| config.invitations(options),
        |module| module.enabled(features).unwrap(),
    )
    .await;
    created(&app, EMAIL).await;
    let refused = app.auth.admin().invite(&id(&app)).await.unwrap_err();
    assert!(matches!(&refused, AuthError::Internal(cause) if cause.to_string().contains("EMAIL_LOGIN")));
    assert!(app.outbox.is_empty());
}

#[tokio::test]
async fn the_newest_invitation_counts_for_its_lifetime() {
    let mut options = InvitationOptions::default();
    options.lifetime = Duration::from_secs(3600);
    let app =
        App::with_everything_and(move |config| unlimited(config).invitations(options), |module| module).await;
    created(&app, EMAIL).await;
    let first = invited(&app, id(&app)).await.token.unwrap();
    app.advance(3599);
    let second = invited(&app, id(&app)).await.token.unwrap();
    accept(&app, &first, super::NEW).await.refused(422, "invalid_mail_token");
    app.advance(3599);
    accept(&app, &second, super::NEW).await.expect(200);
}

#[tokio::test]
async fn by_default_it_can_be_accepted_for_seven_days_to_the_second() {
    const WEEK: u64 = 7 * 24 * 60 * 60;
    for (seconds, refusal) in [(WEEK - 1, None), (WEEK, Some("expired_mail_token"))] {
        let (app, token) = super::with_invitation().await;
        app.advance(seconds);
        let answer = accept(&app, &token, super::NEW).await;
        match refusal {
            None => drop(answer.expect(200)),
            Some(code) => drop(answer.refused(422, code)),
        }
    }
}
