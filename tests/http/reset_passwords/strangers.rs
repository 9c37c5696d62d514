//! Accounts that somebody else has made with the address of their owner (specification §15.3): the first reset by mail to an
//! address that was never verified leaves nothing of the stranger.

use super::reset_password::{NEW, reset, token};
use crate::support::authenticator::Enrolled;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD};
use axum_auth_module::{InResponse, StandardActions};
use serde_json::json;

on_both_routers![
    a_strangers_second_factor_password_and_sessions_do_not_survive_the_first_reset,
    a_strangers_pending_secret_does_not_survive_it_either,
    a_reset_by_mail_verifies_the_address,
    the_second_factor_of_a_verified_address_survives,
    a_second_factor_survives_the_change_of_the_address_by_who_has_taken_over_a_session,
    what_the_owner_sets_up_afterwards_survives_the_next_reset,
    a_token_in_a_response_proves_nothing,
    without_email_verification_the_second_factor_survives,
];

/// Resets the password by mail.
async fn reset_by_mail(app: &App, email: &str) {
    let token = token(app, &app.outbox, email).await;
    reset(app, email, &token, NEW).await.expect(200);
}

/// Whether a login with the new password needs a second factor.
async fn needs_second_factor(app: &App, email: &str) -> bool {
    let answer = app.login_call(email, NEW).await.expect(200);
    answer.body["twoFactor"].as_bool().unwrap()
}

fn is_verified(app: &App) -> bool {
    app.users.by_email(EMAIL).unwrap().email_verified_at.is_some()
}

async fn a_strangers_second_factor_password_and_sessions_do_not_survive_the_first_reset() {
    let app = App::with_everything().await;
    let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
    app.event_names::<4>().await;
    reset_by_mail(&app, EMAIL).await;
    app.is_over(&tokens).await;
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    assert!(!needs_second_factor(&app, EMAIL).await);
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(user.two_factor_secret.is_none() && user.two_factor_recovery_codes.is_none());
    let names: [_; 4] = app.event_names().await;
    let [reset, disabled, verified] =
        ["auth.password-reset", "auth.two-factor-disabled", "auth.email-verified"];
    assert_eq!(names, [reset, disabled, verified, "auth.account-reclaimed"]);
}

async fn a_strangers_pending_secret_does_not_survive_it_either() {
    let app = App::with_everything().await;
    let access = app.confirmed_session(EMAIL).await.access;
    app.enable(&access).await.expect(200);
    reset_by_mail(&app, EMAIL).await;
    assert!(app.users.by_email(EMAIL).unwrap().two_factor_secret.is_none());
}

async fn a_reset_by_mail_verifies_the_address() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    assert!(!is_verified(&app));
    reset_by_mail(&app, EMAIL).await;
    assert!(is_verified(&app));
}

async fn the_second_factor_of_a_verified_address_survives() {
    let app = App::with_everything().await;
    app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    reset_by_mail(&app, EMAIL).await;
    assert!(needs_second_factor(&app, EMAIL).await);
}

async fn a_second_factor_survives_the_change_of_the_address_by_who_has_taken_over_a_session() {
    for is_verified in [false, true] {
        let app = App::with_addresses_of_profiles().await;
        let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
        if is_verified {
            app.verify_address(EMAIL);
        }
        let body = json!({ "name": "Ada", "email": "thief@example.com" });
        app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await.expect(200);
        reset_by_mail(&app, "thief@example.com").await;
        assert!(needs_second_factor(&app, "thief@example.com").await);
    }
}

async fn what_the_owner_sets_up_afterwards_survives_the_next_reset() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    reset_by_mail(&app, EMAIL).await;
    let access = app.login_call(EMAIL, NEW).await.expect(200).tokens().access;
    let password = json!({ "password": NEW });
    app.post("/auth/user/confirm-password").bearer(&access).json(&password).await.expect(200);
    app.enable(&access).await.expect(200);
    let code = app.authenticator(&access).await.code(&app);
    app.confirm_two_factor(&access, &code).await.expect(200);
    reset_by_mail(&app, EMAIL).await;
    assert!(needs_second_factor(&app, EMAIL).await);
}

async fn a_token_in_a_response_proves_nothing() {
    let resets = |module: crate::support::Builder| {
        let resets = axum_auth_module::testing::MemoryPasswordResets::new();
        module.reset_passwords(resets, StandardActions, InResponse)
    };
    let app = App::with_everything_and(|config| config, resets).await;
    app.enrolled(EMAIL).await;
    let answer = app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    reset(&app, EMAIL, answer.body["token"].as_str().unwrap(), NEW).await.expect(200);
    assert!(needs_second_factor(&app, EMAIL).await && !is_verified(&app));
}

async fn without_email_verification_the_second_factor_survives() {
    use crate::support::routers;
    use axum_auth_module::feature::Feature as F;
    let features = routers::features([F::REGISTRATION, F::RESET_PASSWORDS, F::TWO_FACTOR_AUTHENTICATION]);
    let app = App::with_everything_and(|config| config, |module| module.enabled(features).unwrap()).await;
    app.enrolled(EMAIL).await;
    reset_by_mail(&app, EMAIL).await;
    assert!(needs_second_factor(&app, EMAIL).await && !is_verified(&app));
}
