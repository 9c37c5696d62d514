//! The owner's arrival: the first sign-in by mail to an address that nobody had proven leaves nothing of a stranger
//! (specification §15.7).

use super::{begin, host, sign_in, with_code};
use crate::every_route::features_off::without;
use crate::reset_passwords::reset_password::{NEW, reset, token};
use crate::support::authenticator::Enrolled;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, memory_users};
use axum_auth_module::config::{TwoFactorOptions, WhenOff};
use axum_auth_module::feature::Feature as F;
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use axum_auth_module::user::UserChange;
use serde_json::json;

on_both_routers![
    a_strangers_password_and_sessions_end,
    a_strangers_second_factor_ends,
    a_strangers_pending_second_factor_ends,
    what_a_stranger_has_begun_leads_nowhere,
    a_verified_account_keeps_everything,
    a_second_factor_of_a_verified_address_must_be_passed_and_then_the_address_is_verified,
    a_second_factor_that_cannot_be_asked_for_leaves_everything,
    a_session_that_comes_along_changes_nothing_of_this,
    an_arrival_that_breaks_is_repeated_by_the_next_proof,
    a_stranger_who_changes_the_address_meanwhile_keeps_the_account_and_no_owner_is_in_it,
    a_reset_of_a_second_factor_that_stays_verifies_nothing,
];

fn is_verified(app: &App) -> bool {
    app.users.by_email(EMAIL).unwrap().email_verified_at.is_some()
}

async fn a_strangers_password_and_sessions_end() {
    let app = host().await;
    let [first, second] = [app.register(EMAIL).await, app.login(EMAIL).await];
    app.event_names::<2>().await;
    let begun = begin(&app, EMAIL).await;
    assert!(!begun.mail.email_verified);
    let answer = with_code(&app, &begun.flow, begun.code()).await.expect(200);
    assert_eq!(answer.members_beside_the_session(), ["passwordRemoved", "twoFactor"]);
    assert_eq!(answer.body["passwordRemoved"], true);
    let owner = answer.tokens();
    for stranger in [&first, &second] {
        app.is_over(stranger).await;
    }
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    assert!(is_verified(&app));
    assert_eq!(app.users.by_email(EMAIL).unwrap().password, "");
    let names: [_; 4] = app.event_names().await;
    assert_eq!(
        names,
        ["auth.login-code-sent", "auth.email-verified", "auth.account-reclaimed", "auth.login"]
    );
    // The owner chooses a password, without one to confirm with.
    let body = json!({ "password": NEW, "passwordConfirmation": NEW });
    let tokens = app.put("/auth/user/password").bearer(&owner.access).json(&body).await.expect(200).tokens();
    app.me(&tokens.access).await.expect(200);
    app.login_call(EMAIL, NEW).await.expect(200);
    // From now on a sign-in by mail takes nothing away.
    let again = sign_in(&app, EMAIL).await;
    assert_eq!(again.members_beside_the_session(), ["twoFactor"]);
    app.me(&tokens.access).await.expect(200);
}

async fn a_strangers_second_factor_ends() {
    let app = host().await;
    let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
    let answer = sign_in(&app, EMAIL).await;
    assert_eq!(answer.members_beside_the_session(), ["passwordRemoved", "twoFactor"]);
    app.is_over(&tokens).await;
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(user.two_factor_secret.is_none() && user.two_factor_confirmed_at.is_none());
}

async fn a_strangers_pending_second_factor_ends() {
    let app = host().await;
    let tokens = app.confirmed_session(EMAIL).await;
    app.enable(&tokens.access).await.expect(200);
    sign_in(&app, EMAIL).await;
    assert!(app.users.by_email(EMAIL).unwrap().two_factor_secret.is_none());
}

/// A challenge, another sign-in by mail and a reset that the stranger has asked for.
async fn what_a_stranger_has_begun_leads_nowhere() {
    let app = host().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let challenge = app.challenge_token(EMAIL).await;
    let begun = begin(&app, EMAIL).await;
    let reset_token = token(&app, &app.outbox, EMAIL).await;
    sign_in(&app, EMAIL).await;
    app.challenge(&challenge, &authenticator.code(&app)).await.refused(401, "invalid_challenge_token");
    with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
    reset(&app, EMAIL, &reset_token, NEW).await.refused(422, "invalid_reset_token");
}

async fn a_verified_account_keeps_everything() {
    let app = host().await;
    let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    let answer = sign_in(&app, EMAIL).await;
    assert!(answer.challenge().is_some());
    app.me(&tokens.access).await.expect(200);
    app.login_call(EMAIL, PASSWORD).await.expect(200);
}

async fn a_second_factor_of_a_verified_address_must_be_passed_and_then_the_address_is_verified() {
    let app = host().await;
    let Enrolled { tokens, authenticator } = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    // The profile update takes the verification, and the second factor stays the owner's.
    let other = "grace@example.com";
    let body = json!({ "name": "Ada", "email": other });
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await.expect(200);
    let verified = |app: &App| app.users.by_email(other).unwrap().email_verified_at.is_some();
    assert!(!verified(&app));
    let challenge = sign_in(&app, other).await.challenge().unwrap();
    assert!(!verified(&app));
    app.me(&tokens.access).await.expect(200);
    app.challenge(&challenge, &authenticator.code(&app)).await.expect(200);
    assert!(verified(&app));
    app.login_call(other, PASSWORD).await.expect(200);
    app.me(&tokens.access).await.expect(200);
}

async fn a_second_factor_that_cannot_be_asked_for_leaves_everything() {
    for when_off in [WhenOff::Refuse, WhenOff::PasswordAlone] {
        let mut options = TwoFactorOptions::default();
        options.when_off = when_off;
        let features = without(F::TWO_FACTOR_AUTHENTICATION);
        let app = App::with_everything_and(
            |config| config.two_factor(options),
            |module| module.enabled(features).unwrap(),
        );
        let app = app.await;
        let tokens = app.register(EMAIL).await;
        app.users.update(EMAIL, |user| user.two_factor_confirmed_at = Some(std::time::UNIX_EPOCH));
        let begun = begin(&app, EMAIL).await;
        let answer = with_code(&app, &begun.flow, begun.code()).await;
        if when_off == WhenOff::PasswordAlone {
            answer.expect(200);
            continue;
        }
        answer.refused(403, "second_factor_unavailable");
        assert!(!is_verified(&app) && !app.users.by_email(EMAIL).unwrap().password.is_empty());
        app.me(&tokens.access).await.expect(200);
        with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
    }
}

async fn a_session_that_comes_along_changes_nothing_of_this() {
    let app = host().await;
    let stranger = app.register(EMAIL).await;
    let begun = begin(&app, EMAIL).await;
    let answer = with_code(&app, &begun.flow, begun.code()).bearer(&stranger.access).await.expect(200);
    assert_eq!(answer.body["passwordRemoved"], true);
    app.is_over(&stranger).await;
}

async fn an_arrival_that_breaks_is_repeated_by_the_next_proof() {
    let users = memory_users();
    let faults = Faults::new();
    let app = App::with_everything_on(
        faults.over(users.clone()),
        users,
        |config| config.limits(super::no_mail_limits()),
        |module| module,
    );
    let app = app.await;
    let stranger = app.register(EMAIL).await;
    let mut refused = 0;
    // Each write of the arrival fails once.
    for write in 1..9 {
        faults.heal();
        let begun = begin(&app, EMAIL).await;
        faults.nth(ProviderMethod::UsersSave, write, Fault::Fails);
        let answer = with_code(&app, &begun.flow, begun.code()).await;
        if answer.status == 200 {
            break;
        }
        answer.expect(500);
        assert!(!is_verified(&app));
        refused += 1;
    }
    assert!(refused >= 2, "{refused}");
    assert!(is_verified(&app));
    app.is_over(&stranger).await;
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
}

async fn a_stranger_who_changes_the_address_meanwhile_keeps_the_account_and_no_owner_is_in_it() {
    use crate::support::providers::OvertakenUsers;
    let users = memory_users();
    let overtaken = OvertakenUsers::over(users.clone());
    let before_save = overtaken.before_save.clone();
    let app = App::with_everything_on(overtaken, users.clone(), |config| config, |module| module).await;
    app.register(EMAIL).await;
    let begun = begin(&app, EMAIL).await;
    before_save.set({
        let users = users.clone();
        move |patch| {
            if patch.changes().iter().any(|change| matches!(change, UserChange::EmailVerifiedAt(Some(_)))) {
                users.update(EMAIL, |user| user.email = "mallory@example.com".to_owned());
            }
        }
    });
    with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
    assert!(users.by_email("mallory@example.com").unwrap().email_verified_at.is_none());
}

async fn a_reset_of_a_second_factor_that_stays_verifies_nothing() {
    let app = host().await;
    let Enrolled { tokens, .. } = app.enrolled("away@example.com").await;
    let body = json!({ "name": "Ada", "email": EMAIL });
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await.expect(200);
    let reset_token = token(&app, &app.outbox, EMAIL).await;
    reset(&app, EMAIL, &reset_token, NEW).await.expect(200);
    assert!(app.login_call(EMAIL, NEW).await.expect(200).challenge().is_some());
    assert!(!is_verified(&app));
}
