//! Providers that break: behind every declared endpoint, and in detail behind the routes of resets, verification, profile
//! and passwords. Nothing is left half done, and what security depends on is refused, not skipped. `faults` has actions and sinks.

use super::declarations::call;
use crate::reset_passwords::reset_password::{NEW, is_invalid, reset, token};
use crate::support::providers::{Behaviour, CAUSE, FaultyActions, Outbox, faults};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, EMAIL, PASSWORD, at_once, endpoints_here, memory_users};
use axum_auth_module::actions::{
    ActionContext, ActionError, PasswordUpdateData, ResetsUserPasswords, UpdatesUserPasswords,
};
use axum_auth_module::config::Limit;
use axum_auth_module::delivery::EmailVerificationMessage;
use axum_auth_module::endpoint::{Credential, Endpoint, EndpointField, EndpointFieldKind};
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::{Fault, Faults, MemoryPasswordResets, ProviderMethod};
use axum_auth_module::values::NewPassword;
use axum_auth_module::{StandardActions, async_trait};
use serde_json::{Value, json};
use std::time::Duration;

on_both_routers![
    without_its_store_no_endpoint_with_a_limit_succeeds,
    without_its_sessions_no_endpoint_with_a_credential_succeeds,
    without_its_users_no_endpoint_with_a_credential_succeeds,
    without_its_store_a_change_is_a_5xx_that_does_nothing_and_the_next_request_is_fine,
    a_password_that_was_reset_before_the_store_broke_is_an_event,
    a_password_that_was_changed_before_the_store_broke_is_an_event,
    an_action_that_fails_changes_nothing_and_the_token_stays_valid,
    a_repository_that_fails_costs_no_attempt_and_no_token,
    a_delete_that_fails_leaves_no_half_done_reset,
    a_delete_that_panics_leaves_no_half_done_reset,
    a_delete_that_hangs_leaves_no_half_done_reset,
    an_action_that_fails_after_it_has_written_leaves_no_session_of_before,
];

async fn with_store(faults: &Faults) -> App {
    let store = faults.over(MemoryStore::new());
    let config =
        |config: axum_auth_module::config::AuthConfigBuilder| config.request_timeout(Duration::from_secs(1));
    App::with_everything_and(config, |module| module.store(store)).await
}

/// A body with the fields that an endpoint declares.
fn body(endpoint: &Endpoint) -> Value {
    let value = |field: &EndpointField| match (field.kind, field.name) {
        (EndpointFieldKind::Bool, _) => json!(true),
        (EndpointFieldKind::Number, _) => json!(1),
        (EndpointFieldKind::AnyObject, _) => json!({}),
        (_, "scopes") => json!(["demo:read"]),
        // Only another address is looked at.
        (_, "email") if endpoint.limits.contains(&Limit::EmailChange) => json!("lovelace@example.com"),
        (_, "email") => json!(EMAIL),
        (_, "password" | "passwordConfirmation") => json!(NEW),
        (_, "currentPassword") => json!(PASSWORD),
        (EndpointFieldKind::Username, _) => json!("ada"),
        _ => json!("x"),
    };
    // Of two codes, and of a code and a token, only one can be sent.
    let has_code = endpoint.body.fields().iter().any(|field| field.name == "code");
    let is_sent =
        |field: &&EndpointField| !(has_code && ["recoveryCode", "token", "linkToken"].contains(&field.name));
    let fields = endpoint.body.fields().iter().filter(is_sent);
    fields.map(|field| (field.name, value(field))).collect()
}

/// Calls every endpoint that this is true of while a provider is broken, and expects the same refusal of each.
async fn refuses(app: &App, faults: &Faults, provider: &str, depends: impl Fn(&Endpoint) -> bool) {
    let mut tokens = app.register(EMAIL).await;
    app.verify_address(EMAIL);
    app.confirm_password(&tokens.access).await;
    let failure = if provider == "users" { (500, "internal_error") } else { (503, "unavailable") };
    for (fault, refusal) in [
        (Fault::Fails, failure),
        (Fault::Panics, (500, "internal_error")),
        (Fault::Hangs, (503, "unavailable")),
    ] {
        faults.everywhere(provider, fault);
        let endpoints: Vec<_> = endpoints_here().into_iter().filter(&depends).collect();
        let calls = endpoints
            .iter()
            .map(|endpoint| call(app, endpoint).bearer(&tokens.access).json(&body(endpoint)).into_future());
        for (endpoint, answer) in endpoints.iter().zip(at_once(calls).await) {
            let place = format!("{} {}: {}", endpoint.method.as_str(), endpoint.path, answer.text);
            assert!(!answer.text.contains(CAUSE) && !answer.has_credentials(), "{place}");
            match endpoint.credential_on(app.router) {
                // A page has the error.
                Credential::NotRequired if answer.status == 303 => {
                    assert!(answer.header("location").unwrap().contains("?error="), "{place}");
                }
                // It may refuse a token or a code in the body first.
                Credential::NotRequired => assert!(answer.status >= 400, "{place}"),
                // What a browser links is in a cookie that this one does not have.
                _ if answer.status == 422
                    && endpoint.operation == "linkIdentity"
                    && app.is_for_browsers() =>
                {
                    assert_eq!(answer.field_errors(), ["linkToken: required"], "{place}");
                }
                _ => assert_eq!((answer.status, answer.code()), refusal, "{place}"),
            }
        }
        if provider == "store" {
            // Sessions do not depend on it.
            app.me(&tokens.access).await.expect(200);
            tokens = app.renew(&tokens).await;
        }
        faults.heal();
        app.me(&tokens.access).await.expect(200);
    }
    assert_eq!(app.users.all().len(), 1);
    assert!(app.outbox.is_empty());
}

async fn without_its_store_no_endpoint_with_a_limit_succeeds() {
    let faults = faults();
    refuses(&with_store(&faults).await, &faults, "store", |endpoint| !endpoint.limits.is_empty()).await;
}

async fn without_its_sessions_no_endpoint_with_a_credential_succeeds() {
    without("sessions").await;
}

async fn without_its_users_no_endpoint_with_a_credential_succeeds() {
    without("users").await;
}

async fn without(provider: &str) {
    let (users, faults) = (memory_users(), faults());
    let (repository, sessions) = (faults.over(users.clone()), faults.over(MemorySessions::new()));
    let config =
        |config: axum_auth_module::config::AuthConfigBuilder| config.request_timeout(Duration::from_secs(1));
    let app =
        App::with_everything_on(repository, users, config, |module| module.session_repo(sessions)).await;
    let has_credential = |endpoint: &Endpoint| endpoint.credential_on(app.router) != Credential::NotRequired;
    refuses(&app, &faults, provider, has_credential).await;
}

fn change() -> Value {
    json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW })
}

async fn without_its_store_a_change_is_a_5xx_that_does_nothing_and_the_next_request_is_fine() {
    let faults = faults();
    let app = with_store(&faults).await;
    let tokens = app.register(EMAIL).await;
    let token = token(&app, &app.outbox, EMAIL).await;
    app.post("/auth/email/verification-notification").bearer(&tokens.access).await.expect(200);
    let link = app.outbox.next::<EmailVerificationMessage>().await.data.path("/auth");
    let profile = json!({ "name": "Grace", "email": EMAIL });
    for (fault, status, code) in [
        (Fault::Fails, 503, "unavailable"),
        (Fault::Panics, 500, "internal_error"),
        (Fault::Hangs, 503, "unavailable"),
    ] {
        faults.everywhere("store", fault);
        let calls = [
            app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })),
            app.post("/auth/forgot-password").json(&json!({ "email": "unknown@example.com" })),
            reset(&app, EMAIL, &token, NEW),
            app.post("/auth/email/verification-notification").bearer(&tokens.access),
            app.put("/auth/user/password").bearer(&tokens.access).json(&change()),
        ];
        for answer in at_once(calls.map(IntoFuture::into_future)).await {
            answer.refused(status, code);
        }
        faults.heal();
        let user = app.users.by_email(EMAIL).unwrap();
        assert!(user.email_verified_at.is_none() && bcrypt::verify(PASSWORD, &user.password).unwrap());
        assert!(app.outbox.is_empty());
        app.me(&tokens.access).await.expect(200);
    }
    app.get(&link).bearer(&tokens.access).await.expect(200);
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&profile).await.expect(200);
    app.put("/auth/user/password").bearer(&tokens.access).json(&change()).await.expect(200);
    let names = ["auth.registered", "auth.email-verified", "auth.password-updated"];
    assert_eq!(app.event_names().await, names);
}

/// The standard actions, during which the store breaks.
struct Meanwhile(Faults);

#[async_trait]
impl ResetsUserPasswords<Account> for Meanwhile {
    async fn reset(
        &self,
        user: &Account,
        password: &NewPassword,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        StandardActions.reset(user, password, context).await?;
        self.0.everywhere("store", Fault::Fails);
        Ok(())
    }
}

#[async_trait]
impl UpdatesUserPasswords<Account> for Meanwhile {
    async fn update(
        &self,
        user: &Account,
        data: PasswordUpdateData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        StandardActions.update(user, data, context).await?;
        self.0.everywhere("store", Fault::Fails);
        Ok(())
    }
}

async fn a_password_that_was_reset_before_the_store_broke_is_an_event() {
    let faults = faults();
    let store = faults.over(MemoryStore::new());
    let (action, resets) = (Meanwhile(faults.clone()), MemoryPasswordResets::new());
    let outbox = Outbox::default();
    let delivery = outbox.clone();
    let app = App::with_everything_and(
        |config| config,
        |module| module.store(store).reset_passwords(resets, action, delivery),
    );
    let app = app.await;
    let tokens = app.register(EMAIL).await;
    let token = token(&app, &outbox, EMAIL).await;
    // A sign-in by mail that has begun could not be ended, and the next reset does that.
    reset(&app, EMAIL, &token, NEW).await.refused(503, "unavailable");
    faults.heal();
    app.me(&tokens.access).await.refused(401, "unauthenticated");
    is_invalid(reset(&app, EMAIL, &token, NEW).await);
    app.login_call(EMAIL, NEW).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.password-reset", "auth.login"]);
}

async fn a_password_that_was_changed_before_the_store_broke_is_an_event() {
    let faults = faults();
    let (store, action) = (faults.over(MemoryStore::new()), Meanwhile(faults.clone()));
    let app =
        App::with_everything_and(|config| config, |module| module.store(store).update_passwords(action));
    let app = app.await;
    let tokens = app.register(EMAIL).await;
    let answer = app.put("/auth/user/password").bearer(&tokens.access).json(&change()).await;
    answer.refused(503, "unavailable");
    faults.heal();
    app.me(&tokens.access).await.refused(401, "unauthenticated");
    app.login_call(EMAIL, NEW).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.password-updated", "auth.login"]);
}

/// A host with this action, and these faults of its reset tokens, a user, and a token for that user.
async fn with_token<A: ResetsUserPasswords<Account>>(faults: &Faults, action: A) -> (App, String) {
    let resets = faults.over(MemoryPasswordResets::new());
    let outbox = Outbox::default();
    let delivery = outbox.clone();
    let app = App::with_everything_and(
        |config| config.request_timeout(Duration::from_secs(1)),
        |module| module.reset_passwords(resets, action, delivery),
    );
    let app = app.await;
    app.register(EMAIL).await;
    let token = token(&app, &outbox, EMAIL).await;
    (app, token)
}

async fn an_action_that_fails_changes_nothing_and_the_token_stays_valid() {
    let action = FaultyActions::default();
    let (app, token) = with_token(&faults(), action.clone()).await;
    let tokens = app.login(EMAIL).await;
    for _ in 0..6 {
        action.before.set(Behaviour::FAIL);
        let failed = reset(&app, EMAIL, &token, NEW).await.refused(500, "internal_error");
        assert!(!failed.text.contains(CAUSE), "{}", failed.text);
        app.me(&tokens.access).await.expect(200);
    }
    action.before.set(Behaviour::WELL);
    reset(&app, EMAIL, &token, NEW).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login", "auth.password-reset"]);
}

async fn a_repository_that_fails_costs_no_attempt_and_no_token() {
    let faults = faults();
    let (app, token) = with_token(&faults, StandardActions).await;
    for (fault, status, code) in [
        (Fault::Fails, 500, "internal_error"),
        (Fault::Panics, 500, "internal_error"),
        (Fault::Hangs, 503, "unavailable"),
    ] {
        faults.next(ProviderMethod::ResetsFindByEmail, fault);
        reset(&app, EMAIL, &token, NEW).await.refused(status, code);
    }
    faults.always(ProviderMethod::ResetsFindByEmail, Fault::Fails);
    for _ in 0..6 {
        reset(&app, EMAIL, &token, NEW).await.refused(500, "internal_error");
    }
    faults.heal();
    reset(&app, EMAIL, &token, NEW).await.expect(200);
}

/// However the tidying up ends: the password is the new one, the token is spent, the sessions are over.
async fn after_a_delete_that(fault: Fault) {
    let faults = faults();
    let (app, token) = with_token(&faults, StandardActions).await;
    let tokens = app.login(EMAIL).await;
    faults.always(ProviderMethod::ResetsDeleteByEmail, fault);
    reset(&app, EMAIL, &token, NEW).await;
    app.is_over(&tokens).await;
    is_invalid(reset(&app, EMAIL, &token, "yet another password").await);
    app.login_call(EMAIL, NEW).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login", "auth.password-reset"]);
}

async fn a_delete_that_fails_leaves_no_half_done_reset() {
    after_a_delete_that(Fault::Fails).await;
}

async fn a_delete_that_panics_leaves_no_half_done_reset() {
    after_a_delete_that(Fault::Panics).await;
}

async fn a_delete_that_hangs_leaves_no_half_done_reset() {
    after_a_delete_that(Fault::Hangs).await;
}

async fn an_action_that_fails_after_it_has_written_leaves_no_session_of_before() {
    let action = FaultyActions::default();
    let (app, token) = with_token(&faults(), action.clone()).await;
    let tokens = app.login(EMAIL).await;
    action.after.set(Behaviour::FAIL);
    reset(&app, EMAIL, &token, NEW).await.refused(500, "internal_error");
    app.is_refused(&tokens).await;
}
