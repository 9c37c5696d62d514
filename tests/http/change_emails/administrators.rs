//! What administrators do for a user whose account somebody else has used.

use super::{NEW, asked, confirm, mail, revert, unlimited, verified, with_user};
use crate::email_login;
use crate::support::{App, EMAIL, PASSWORD};
use axum_auth_module::delivery::{
    EmailChangeMessage, EmailChangePurpose, EmailLoginMessage, EmailLoginPurpose, PasswordResetMessage,
    PasswordResetReason,
};
use axum_auth_module::error::AuthError;
use axum_auth_module::events::{Actor, EventKind, SessionEnd};
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::values::EmailAddress;
use std::error::Error;

/// A host without these features.
async fn without<const N: usize>(features: [Feature; N]) -> App {
    let enabled = FeatureSet::all().difference(FeatureSet::from(features));
    App::with_everything_and(unlimited, |module| module.enabled(enabled).unwrap()).await
}

#[tokio::test]
async fn a_lock_down_removes_what_was_added_within_seven_days() {
    let (app, tokens) = with_user().await;
    app.enable(&tokens.access).await.expect(200);
    let authenticator = app.authenticator(&tokens.access).await;
    let tokens = app.confirm_two_factor(&tokens.access, &authenticator.code(&app)).await.expect(200).tokens();
    app.advance(6 * 86_400);
    let tokens = app.renew(&tokens).await;
    app.confirm_password(&tokens.access).await;
    let pending = asked(&app, &tokens.access, NEW).await;
    let to_the_thief = crate::reset_passwords::reset_password::token(&app, &app.outbox, EMAIL).await;
    while app.event().await.name() != "auth.email-change-requested" {}
    app.auth.admin().lock_down(&1).await.unwrap();
    app.is_over(&tokens).await;
    let account = app.users.by_email(EMAIL).unwrap();
    assert!(account.password.is_empty() && account.two_factor_secret.is_none());
    assert!(account.email_verified_at.is_some(), "the address stays as it is");
    let ended = app.event().await;
    let EventKind::SessionEnded { reason, .. } = &ended.kind else { panic!("{ended:?}") };
    assert_eq!(
        (*reason, reason.as_str(), ended.by),
        (SessionEnd::LockedDown, "locked-down", Actor::Administrator)
    );
    let secured = app.event().await;
    assert_eq!(
        (secured.name(), secured.by, secured.client),
        ("auth.account-secured", Actor::Administrator, None)
    );
    let reset = crate::reset_passwords::reset_password::reset;
    reset(&app, EMAIL, &to_the_thief, PASSWORD).await.refused(422, "invalid_reset_token");
    let way_back = app.outbox.next::<PasswordResetMessage>().await;
    assert_eq!(way_back.reason, PasswordResetReason::LockedDown);
    reset(&app, EMAIL, &way_back.token, PASSWORD).await.expect(200);
    let owner = app.login(EMAIL).await;
    confirm(&app, &owner.access, &pending).await.refused(422, "invalid_mail_token");
}

#[tokio::test]
async fn a_second_factor_that_is_older_than_seven_days_stays() {
    let app = super::host().await;
    let enrolled = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    let codes = app.recovery_codes(&enrolled.tokens.access).await;
    app.advance(7 * 86_400 + 60);
    app.auth.admin().lock_down(&1).await.unwrap();
    let account = app.users.by_email(EMAIL).unwrap();
    assert!(account.password.is_empty() && account.two_factor_confirmed_at.is_some());
    let way_back = app.outbox.next::<PasswordResetMessage>().await;
    let reset = crate::reset_passwords::reset_password::reset;
    reset(&app, EMAIL, &way_back.token, PASSWORD).await.expect(200);
    let challenge = app.challenge_token(EMAIL).await;
    app.challenge_by_recovery_code(&challenge, &codes[0]).await.refused(422, "invalid_recovery_code");
    app.challenge(&challenge, &enrolled.authenticator.code(&app)).await.expect(200);
}

/// Without reset tokens the mail has no secret: who reads it signs in by mail.
#[tokio::test]
async fn without_reset_passwords_the_mail_has_no_secret() {
    let app = without([Feature::RESET_PASSWORDS]).await;
    let tokens = verified(&app, EMAIL).await;
    for (purpose, is_lock_down) in
        [(EmailLoginPurpose::PasswordRemoved, false), (EmailLoginPurpose::LockedDown, true)]
    {
        match is_lock_down {
            false => app.auth.admin().require_new_password(&1).await.unwrap(),
            true => app.auth.admin().lock_down(&1).await.unwrap(),
        }
        let mail = app.outbox.next::<EmailLoginMessage>().await;
        assert_eq!((mail.email.as_str(), mail.purpose), (EMAIL, purpose));
        assert!(mail.code.is_none() && mail.token.is_none() && mail.client.is_none());
        email_login::sign_in(&app, EMAIL).await;
    }
    app.is_over(&tokens).await;
}

#[tokio::test]
async fn without_a_way_back_nothing_is_changed() {
    let app = without([
        Feature::RESET_PASSWORDS,
        Feature::EMAIL_LOGIN,
        Feature::PASSWORDLESS_REGISTRATION,
        Feature::CHANGE_EMAILS,
        Feature::SECURITY_NOTICES,
    ])
    .await;
    let tokens = app.register(EMAIL).await;
    let email = EmailAddress::parse(NEW).unwrap();
    for (refused, function, needs) in [
        (app.auth.admin().lock_down(&1).await, "lock_down", "RESET_PASSWORDS or EMAIL_LOGIN"),
        (
            app.auth.admin().require_new_password(&1).await,
            "require_new_password",
            "RESET_PASSWORDS or EMAIL_LOGIN",
        ),
        (app.auth.admin().change_email(&1, &email).await, "change_email", "CHANGE_EMAILS"),
    ] {
        let cause = refused.unwrap_err().source().unwrap().to_string();
        assert_eq!(cause, format!("`{function}` needs {needs}"));
    }
    app.me(&tokens.access).await.expect(200);
}

#[tokio::test]
async fn a_suspended_user_gets_no_mail() {
    let (app, tokens) = with_user().await;
    app.users.update(EMAIL, |user| user.active = false);
    app.auth.admin().lock_down(&1).await.unwrap();
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<PasswordResetMessage>().is_none());
    app.users.update(EMAIL, |user| user.active = true);
    app.is_over(&tokens).await;
}

#[tokio::test]
async fn an_administrator_changes_an_address_as_the_user_would() {
    let (app, tokens) = with_user().await;
    let pending = asked(&app, &tokens.access, "asked@example.com").await;
    while app.event().await.name() != "auth.email-change-requested" {}
    let email = EmailAddress::parse(NEW).unwrap();
    app.auth.admin().change_email(&1, &email).await.unwrap();
    app.is_over(&tokens).await;
    let account = app.users.by_email(NEW).unwrap();
    assert!(account.email_verified_at.is_some() && !account.password.is_empty());
    let names = app.event_names::<2>().await;
    assert_eq!(names, ["auth.session-ended", "auth.email-changed"]);
    let told = mail(&app, EMAIL, EmailChangePurpose::Changed).await;
    assert!(told.client.is_none());
    // What the user has asked for before is over.
    let owner = app.login(NEW).await;
    confirm(&app, &owner.access, &pending).await.refused(422, "invalid_mail_token");
    // Once more changes nothing.
    app.auth.admin().change_email(&1, &email).await.unwrap();
    app.me(&owner.access).await.expect(200);
    app.register("bob@example.com").await;
    let taken = app.auth.admin().change_email(&1, &EmailAddress::parse("bob@example.com").unwrap()).await;
    assert!(matches!(taken, Err(AuthError::EmailTaken)));
    app.me(&owner.access).await.expect(200);
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<EmailChangeMessage>().is_none());
    revert(&app, &told.token.unwrap()).await.expect(200);
    assert!(app.users.by_email(EMAIL).is_some());
    let unknown = app.auth.admin().change_email(&99, &email).await;
    assert!(matches!(unknown, Err(AuthError::Internal(_))));
}
