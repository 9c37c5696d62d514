//! Each thing that the owner of an account must know of is told once, and to nobody else.

use super::{change_password, enrol, kinds, notices, one, with_user};
use crate::email_login;
use crate::impersonation::ACTOR;
use crate::reset_passwords::reset_password::{NEW as NEW_PASSWORD, reset, token as reset_token};
use crate::support::passkeys::passkey;
use crate::support::places::Place;
use crate::support::provider::{at_github, link};
use crate::support::routers::{self, on_both_routers};
use crate::support::{App, EMAIL, PASSWORD};
use crate::trusted_devices::{login_on, trust};
use axum_auth_module::config::{NoticeOptions, TwoFactorOptions};
use axum_auth_module::delivery::SecurityNoticeKind::{self, *};
use axum_auth_module::languages::Messages;
use axum_auth_module::services::ImportedTwoFactor;
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use std::net::IpAddr;
use std::time::Duration;

on_both_routers![
    a_changed_a_removed_and_a_reset_password,
    a_second_factor_once_it_is_in_force,
    a_second_factor_that_is_in_force_at_once,
    what_is_shown_of_a_second_factor_and_what_replaces_it,
    a_passkey_that_was_added_or_removed,
    an_api_token_that_was_created,
    a_device_that_is_trusted,
    an_identity_that_was_linked_and_unlinked,
    a_refresh_token_that_was_used_twice,
    an_account_that_was_reclaimed,
    nothing_goes_to_an_address_that_nobody_has_proven,
    what_an_administrator_does_is_told_without_a_client,
    a_kind_that_is_switched_off_is_not_told,
    the_language_is_the_owners_and_never_that_of_the_request,
    a_store_that_fails_beside_the_response_keeps_nobody_from_being_told,
];

async fn a_changed_a_removed_and_a_reset_password() {
    let (app, tokens) = with_user().await;
    assert_eq!(kinds(&app).await, [], "a registration and a verified address are no news to their user");
    let agent = "Mozilla/5.0 (Windows NT 10.0; rv:145.0) Gecko/20100101 Firefox/145.0";
    let body = serde_json::json!({
        "currentPassword": PASSWORD, "password": NEW_PASSWORD, "passwordConfirmation": NEW_PASSWORD,
    });
    let call = app.put("/auth/user/password").bearer(&tokens.access).json(&body);
    let tokens = call.header("user-agent", agent).await.expect(200).tokens();
    let notice = one(&app, PasswordChanged).await;
    assert_eq!((notice.email.as_str(), notice.name.as_str()), (EMAIL, "Ada"));
    assert_eq!(notice.client, Some("192.0.2.1".parse::<IpAddr>().unwrap()));
    assert_eq!(
        (notice.user_agent.as_deref(), notice.device().as_deref()),
        (Some(agent), Some("Firefox, Windows"))
    );
    assert!(notice.token.is_some() && notice.expires_at > notice.at + Duration::from_secs(7 * 86_400 - 2));

    app.delete("/auth/user/password").bearer(&tokens.access).await.expect(200);
    assert!(one(&app, PasswordRemoved).await.token.is_some());

    let token = reset_token(&app, &app.outbox, EMAIL).await;
    reset(&app, EMAIL, &token, PASSWORD).await.expect(200);
    let notice = one(&app, PasswordReset).await;
    assert!(notice.token.is_none(), "who has reset the password reads this mailbox");

    let wrong = serde_json::json!({
        "currentPassword": "wrong", "password": NEW_PASSWORD, "passwordConfirmation": NEW_PASSWORD,
    });
    let tokens = app.login(EMAIL).await;
    app.put("/auth/user/password").bearer(&tokens.access).json(&wrong).await.expect(422);
    assert_eq!(kinds(&app).await, []);
}

async fn a_second_factor_once_it_is_in_force() {
    let (app, tokens) = with_user().await;
    app.enable(&tokens.access).await.expect(200);
    app.disable(&tokens.access).await.expect(200);
    app.enable(&app.login(EMAIL).await.access).await;
    let tokens = app.login(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    app.enable(&tokens.access).await.expect(200);
    app.get("/auth/user/two-factor-qr-code").bearer(&tokens.access).await.expect(200);
    app.recovery_codes(&tokens.access).await;
    assert_eq!(kinds(&app).await, [], "a pending secret opens nothing");
    let authenticator = app.authenticator(&tokens.access).await;
    let confirmed = app.confirm_two_factor(&tokens.access, &authenticator.code(&app)).await;
    let tokens = confirmed.expect(200).tokens();
    assert!(one(&app, TwoFactorEnabled).await.token.is_some());
    app.disable(&tokens.access).await.expect(200);
    assert!(one(&app, TwoFactorDisabled).await.token.is_some());
}

async fn a_second_factor_that_is_in_force_at_once() {
    let mut at_once = TwoFactorOptions::default();
    at_once.confirm = false;
    let app = App::with_everything_and(|config| config.two_factor(at_once), |module| module).await;
    let tokens = crate::change_emails::verified(&app, EMAIL).await;
    app.enable(&tokens.access).await.expect(200);
    assert_eq!(kinds(&app).await, [TwoFactorEnabled], "its recovery codes are part of it");
}

async fn what_is_shown_of_a_second_factor_and_what_replaces_it() {
    let (app, tokens) = with_user().await;
    let (tokens, _) = enrol(&app, &tokens).await;
    app.get("/auth/user/two-factor-qr-code").bearer(&tokens.access).await.expect(200);
    app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).await.expect(200);
    assert!(one(&app, TwoFactorSecretShown).await.token.is_some(), "a page shows both at once");
    app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).from("192.0.2.9").await.expect(200);
    assert_eq!(kinds(&app).await, [TwoFactorSecretShown], "another client is another one");
    app.advance(601);
    app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).await.expect(200);
    assert_eq!(kinds(&app).await, [TwoFactorSecretShown]);

    let codes = app.post("/auth/user/two-factor-recovery-codes").bearer(&tokens.access).await.expect(200);
    assert!(one(&app, RecoveryCodesGenerated).await.token.is_some());
    let code = codes.body[0].as_str().unwrap();
    let challenge = app.challenge_token(EMAIL).await;
    app.challenge_by_recovery_code(&challenge, code).await.expect(200);
    assert!(one(&app, RecoveryCodeUsed).await.token.is_some());
    let challenge = app.challenge_token(EMAIL).await;
    app.challenge_by_recovery_code(&challenge, code).await.expect(422);
    assert_eq!(kinds(&app).await, [], "a code works once, and is told once");
}

async fn a_passkey_that_was_added_or_removed() {
    let (app, tokens) = with_user().await;
    let added = app.add_passkey(&tokens.access, &mut passkey()).await;
    assert!(one(&app, PasskeyAdded).await.token.is_some());
    let path = format!("/auth/user/passkeys/{}", added["id"].as_str().unwrap());
    let renamed = serde_json::json!({ "name": "Blue key" });
    app.put(&path).bearer(&tokens.access).json(&renamed).await.expect(200);
    assert_eq!(kinds(&app).await, []);
    app.delete(&path).bearer(&tokens.access).await.expect(200);
    assert!(one(&app, PasskeyRemoved).await.token.is_some());
}

async fn an_api_token_that_was_created() {
    let (app, tokens) = with_user().await;
    let path = "/auth/user/api-tokens";
    let body = serde_json::json!({ "name": "Backup", "scopes": ["demo:read"] });
    let created = app.post(path).bearer(&tokens.access).json(&body).await.expect(201);
    assert!(one(&app, ApiTokenCreated).await.token.is_some());
    let path = format!("{path}/{}", created.body["id"].as_str().unwrap());
    app.delete(&path).bearer(&tokens.access).await.expect(200);
    assert_eq!(kinds(&app).await, [], "that programs can do less is no news");
}

async fn a_device_that_is_trusted() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    app.auth.background_work_finished().await;
    let (tokens, device) = trust(&app, EMAIL, &enrolled.authenticator).await;
    assert!(one(&app, DeviceTrusted).await.token.is_some());
    login_on(&app, &device, EMAIL).await.expect(200);
    app.confirm_password(&tokens.access).await;
    app.delete("/auth/user/trusted-devices").bearer(&tokens.access).await.expect(200);
    assert_eq!(kinds(&app).await, [], "that a device is used, or is not trusted any more, is no news");
}

async fn an_identity_that_was_linked_and_unlinked() {
    if routers::is_browser() {
        return;
    }
    let (app, tokens) = with_user().await;
    app.confirm_password(&tokens.access).await;
    let linked = link(&app, &tokens.access, &at_github(7, EMAIL)).await;
    assert!(one(&app, IdentityLinked).await.token.is_some());
    let path = format!("/auth/user/identities/{}", linked["id"].as_str().unwrap());
    app.delete(&path).bearer(&tokens.access).await.expect(200);
    assert!(one(&app, IdentityUnlinked).await.token.is_some());
}

async fn a_refresh_token_that_was_used_twice() {
    if routers::is_browser() {
        return;
    }
    let (app, tokens) = with_user().await;
    app.refresh(&tokens.refresh).await.expect(200);
    app.advance(60);
    app.refresh(&tokens.refresh).await.refused(401, "refresh_token_reused");
    assert!(one(&app, RefreshTokenReused).await.token.is_none(), "the session has ended already");
}

async fn an_account_that_was_reclaimed() {
    let app = App::with_everything().await;
    // A stranger has made the account.
    let tokens = app.confirmed_session(EMAIL).await;
    app.enable(&tokens.access).await.expect(200);
    let authenticator = app.authenticator(&tokens.access).await;
    app.confirm_two_factor(&tokens.access, &authenticator.code(&app)).await.expect(200);
    assert_eq!(kinds(&app).await, []);
    email_login::sign_in(&app, EMAIL).await;
    assert!(one(&app, AccountReclaimed).await.token.is_none());
    // The same by a reset.
    let other = "eve@example.com";
    app.register(other).await;
    let token = reset_token(&app, &app.outbox, other).await;
    reset(&app, other, &token, NEW_PASSWORD).await.expect(200);
    assert_eq!(
        kinds(&app).await,
        [AccountReclaimed],
        "the address was not proven when the password was reset"
    );
}

async fn nothing_goes_to_an_address_that_nobody_has_proven() {
    let app = App::with_everything().await;
    let tokens = app.confirmed_session(EMAIL).await;
    let tokens = change_password(&app, &tokens.access, PASSWORD, NEW_PASSWORD).await;
    app.me(&tokens.access).await.expect(200);
    app.auth.admin().require_new_password(&1).await.unwrap();
    assert_eq!(kinds(&app).await, []);
    // Nor to one to which a thief has moved the account by a profile update.
    let app = App::with_addresses_of_profiles().await;
    let tokens = crate::change_emails::verified(&app, EMAIL).await;
    let body = serde_json::json!({ "name": "Ada", "email": "thief@example.com" });
    let moved = app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body);
    let moved = moved.await.expect(200);
    let access = moved.session().map_or(tokens.access, |tokens| tokens.access);
    change_password(&app, &access, PASSWORD, NEW_PASSWORD).await;
    assert_eq!(kinds(&app).await, []);
}

async fn what_an_administrator_does_is_told_without_a_client() {
    let (app, tokens) = with_user().await;
    enrol(&app, &tokens).await;
    app.auth.admin().reset_two_factor(&1).await.unwrap();
    let notice = one(&app, TwoFactorDisabled).await;
    assert_eq!((notice.client, notice.user_agent), (None, None));
    let factor = ImportedTwoFactor::new("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ").unwrap();
    app.auth.admin().import_two_factor(&1, &factor).await.unwrap();
    assert_eq!(kinds(&app).await, [TwoFactorEnabled]);
    app.auth.admin().require_new_password(&1).await.unwrap();
    assert_eq!(kinds(&app).await, [PasswordRemoved]);
    app.auth.admin().lock_down(&1).await.unwrap();
    assert_eq!(kinds(&app).await, [], "the recovery mail says it");
    app.auth.admin().impersonate(ACTOR, &1, "Ticket 4711").await.unwrap();
    let notice = one(&app, Impersonated).await;
    assert_eq!((notice.client, notice.user_agent, notice.token), (None, None, None));
}

async fn a_kind_that_is_switched_off_is_not_told() {
    let options = NoticeOptions::default().without(PasswordChanged);
    let app = App::with_everything_and(|config| config.notices(options), |module| module).await;
    let tokens = crate::change_emails::verified(&app, EMAIL).await;
    let tokens = change_password(&app, &tokens.access, PASSWORD, NEW_PASSWORD).await;
    app.delete("/auth/user/password").bearer(&tokens.access).await.expect(200);
    assert_eq!(kinds(&app).await, [PasswordRemoved]);
    let deviation = app.auth.posture().into_iter().find(|found| found.option == "notices").unwrap();
    assert!(deviation.message.ends_with("password-changed"), "{}", deviation.message);
}

async fn the_language_is_the_owners_and_never_that_of_the_request() {
    let messages = Messages::english().and(Messages::german());
    let app = App::with_everything_and(|config| config, |module| module.messages(messages)).await;
    let tokens = crate::change_emails::verified(&app, EMAIL).await;
    let body = serde_json::json!({
        "currentPassword": PASSWORD, "password": NEW_PASSWORD, "passwordConfirmation": NEW_PASSWORD,
    });
    let call = app.put("/auth/user/password").bearer(&tokens.access).json(&body);
    call.header("accept-language", "de").await.expect(200);
    let all = notices(&app).await;
    assert_eq!(all.iter().map(|notice| notice.language.tag()).collect::<Vec<_>>(), ["en"]);
}

/// Every kind that exists is told by one of these tests, or by those of sign-ins.
#[test]
fn every_kind_has_a_test() {
    let here = include_str!("kinds.rs");
    for kind in SecurityNoticeKind::ALL.iter().filter(|kind| **kind != NewSignIn) {
        assert!(here.contains(&format!("[{kind:?}]")) || here.contains(&format!(", {kind:?})")), "{kind}");
    }
}

async fn a_store_that_fails_beside_the_response_keeps_nobody_from_being_told() {
    let (place, visits) = (Place::memory(), Faults::new());
    let is_of_visit = |_, key: &str| key.starts_with("notice-first:");
    let app = place.start_faulty_apart(&Faults::new(), (&visits, is_of_visit), |config| config).await;
    let tokens = app.register(EMAIL).await;
    app.verify_address(EMAIL);
    visits.always(ProviderMethod::StoreGet, Fault::Fails);
    change_password(&app, &tokens.access, PASSWORD, NEW_PASSWORD).await;
    assert!(one(&app, PasswordChanged).await.token.is_some());
}
