//! What administrators do with deletions, and the copy of what is stored about a user.

use super::{GRACE, delete, held_back, mail, pass, rfc3339, unlimited, verified, with_pending, with_user};
use crate::change_emails::ask;
use crate::support::passkeys::passkey;
use crate::support::providers::{Deletes, Outbox};
use crate::support::{App, Builder, EMAIL};
use axum_auth_module::clock::Clock;
use axum_auth_module::delivery::{AccountDeletionKind, PasswordResetMessage};
use axum_auth_module::events::{Actor, Event};
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::testing::MemoryDeletions;
use std::time::Duration;

#[tokio::test]
async fn an_administrator_schedules_and_cancels() {
    let (app, tokens) = with_user().await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    while app.event().await.name() != "auth.email-verified" {}
    let admin = app.auth.admin();
    let deletes_at = admin.schedule_deletion(&id).await.unwrap();
    assert_eq!(rfc3339(deletes_at), rfc3339(app.clock.now() + Duration::from_secs(GRACE)));
    assert_eq!(admin.deletion_of(&id).await.unwrap(), Some(deletes_at));
    app.is_over(&tokens).await;
    mail(&app, EMAIL, AccountDeletionKind::Scheduled).await;
    let events = [app.event().await, app.event().await];
    assert_eq!(events.each_ref().map(Event::name), ["auth.session-ended", "auth.deletion-scheduled"]);
    assert!(events.iter().all(|event| event.by == Actor::Administrator));
    assert!(admin.cancel_deletion(&id).await.unwrap());
    assert!(!admin.cancel_deletion(&id).await.unwrap(), "there is none any more");
    assert_eq!(app.event().await.name(), "auth.deletion-cancelled");
    mail(&app, EMAIL, AccountDeletionKind::Cancelled).await;
    app.login(EMAIL).await;
}

#[tokio::test]
async fn a_pending_user_gets_no_way_back_and_the_deletion_stays() {
    let (app, _) = with_pending().await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    app.auth.admin().require_new_password(&id).await.unwrap();
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<PasswordResetMessage>().is_none());
    assert!(app.auth.admin().deletion_of(&id).await.unwrap().is_some());
}

#[tokio::test]
async fn without_a_user_or_the_feature_it_is_an_internal_error() {
    let (app, _) = with_user().await;
    let admin = app.auth.admin();
    assert_eq!(admin.schedule_deletion(&77).await.unwrap_err().code().as_str(), "internal_error");
    assert_eq!(admin.cancel_deletion(&77).await.unwrap_err().code().as_str(), "internal_error");
    assert_eq!(admin.export(&77).await.unwrap_err().code().as_str(), "internal_error");
    let others = FeatureSet::all().difference([Feature::DELETE_ACCOUNTS].into());
    let app = App::with_everything_and(unlimited, |module| module.enabled(others).unwrap()).await;
    app.register(EMAIL).await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    let admin = app.auth.admin();
    assert_eq!(admin.schedule_deletion(&id).await.unwrap_err().code().as_str(), "internal_error");
    assert_eq!(admin.deletion_of(&id).await.unwrap_err().code().as_str(), "internal_error");
}

#[tokio::test]
async fn the_export_has_what_is_stored_and_no_secret() {
    let app = App::with_everything_and(unlimited, |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    app.add_passkey(&tokens.access, &mut passkey()).await;
    app.confirm_password(&tokens.access).await;
    ask(&app, &tokens.access, "new@example.com").await.expect(200);
    app.enable(&tokens.access).await.expect(200);
    let authenticator = app.authenticator(&tokens.access).await;
    let code = authenticator.code(&app);
    let tokens = app.confirm_two_factor(&tokens.access, &code).await.expect(200).tokens();
    let account = app.users.by_email(EMAIL).unwrap();
    let data = app.auth.admin().export(&account.id).await.unwrap();
    assert_eq!(data["user"]["email"], EMAIL);
    assert_eq!(data["user"]["hasPassword"], true);
    assert!(data["user"]["twoFactorConfirmedAt"].is_string());
    assert_eq!(data["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(data["sessions"][0]["client"], "192.0.2.1");
    assert_eq!(data["passkeys"].as_array().unwrap().len(), 1);
    assert!(data["passkeys"][0]["name"].is_string());
    assert_eq!(data["identities"].as_array().unwrap().len(), 0);
    assert_eq!(data["emailChange"]["pending"], "new@example.com");
    assert!(data.get("deletion").is_none());
    let text = data.to_string();
    let secrets = [
        &account.password,
        account.two_factor_secret.as_ref().unwrap(),
        account.two_factor_recovery_codes.as_ref().unwrap(),
    ];
    for secret in secrets {
        assert!(!text.contains(secret.as_str()), "{text}");
    }
    app.confirm_password(&tokens.access).await;
    delete(&app, &tokens.access).await.expect(202);
    let data = app.auth.admin().export(&account.id).await.unwrap();
    assert!(data["deletion"]["deletesAt"].is_string());
    assert_eq!(data["sessions"].as_array().unwrap().len(), 0);
}

#[tokio::test]
async fn a_second_module_with_one_table_deletes_only_its_own_users() {
    let deletions = MemoryDeletions::new();
    let module = |realm: &'static str| {
        let deletions = deletions.clone();
        move |module: Builder| {
            module.realm(realm).delete_accounts(deletions, Deletes::default(), Outbox::default())
        }
    };
    let members = App::with_everything_and(unlimited, module("members")).await;
    let staff = App::with_everything_and(unlimited, module("staff")).await;
    for app in [&members, &staff] {
        app.register(EMAIL).await;
    }
    members.auth.admin().schedule_deletion(&1).await.unwrap();
    assert!(staff.auth.admin().deletion_of(&1).await.unwrap().is_none());
    staff.login(EMAIL).await;
    staff.advance(GRACE);
    pass(&staff).await;
    assert!(members.auth.admin().deletion_of(&1).await.unwrap().is_some());
    held_back(&members, EMAIL).await;
}
