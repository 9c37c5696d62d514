//! What does not become an account.

use super::{prove, register, registration_token, with_action, with_name};
use crate::email_login::{begin, with_code};
use crate::support::answer::Answer;
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, EMAIL, memory_users};
use axum_auth_module::actions::{
    ActionContext, ActionError, CreatesPasswordlessUsers, PasswordlessRegistrationData,
};
use axum_auth_module::config::{RateLimit, RateLimits};
use axum_auth_module::delivery::EmailLoginMessage;
use axum_auth_module::error::FieldErrors;
use axum_auth_module::policy::{Policy, PolicyError};
use axum_auth_module::testing::MemoryUsers;
use axum_auth_module::values::EmailAddress;
use axum_auth_module::{StandardActions, async_trait};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

on_both_routers![
    an_address_that_gets_an_account_before_the_proof_ends_the_flow,
    an_address_that_gets_an_account_before_the_registration_is_taken,
    two_tokens_of_one_address_create_one_account,
    a_refusal_leaves_the_token,
    an_address_that_the_policy_refuses_gets_no_mail_and_a_response_alike,
    an_address_that_the_policy_refuses_later_creates_no_account,
    a_policy_that_fails_is_in_the_log_alone,
    an_action_that_returns_a_user_of_before_logs_nobody_in,
    an_account_that_is_created_as_suspended_gets_no_session,
    a_client_may_register_twenty_times_a_minute,
];

/// No limit of mails and registrations.
pub(super) fn no_limits() -> RateLimits {
    let (mut limits, many) = (RateLimits::default(), RateLimit::per_seconds(1000, 60));
    limits.register = many;
    limits.email_login_client = many;
    limits.email_login_address = many;
    limits
}

async fn an_address_that_gets_an_account_before_the_proof_ends_the_flow() {
    let app = App::with_everything().await;
    let begun = begin(&app, EMAIL).await;
    app.register(EMAIL).await;
    with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
    assert!(app.users.by_email(EMAIL).unwrap().email_verified_at.is_none());
}

async fn an_address_that_gets_an_account_before_the_registration_is_taken() {
    let app = App::with_everything().await;
    let token = registration_token(&app, EMAIL).await;
    app.register(EMAIL).await;
    let refused = with_name(&app, &token).await;
    assert!(!refused.has_credentials());
    refused.refused(409, "email_taken");
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(!user.password.is_empty() && user.email_verified_at.is_none());
}

async fn two_tokens_of_one_address_create_one_account() {
    let app = App::with_everything().await;
    let [one, other] = [registration_token(&app, EMAIL).await, registration_token(&app, EMAIL).await];
    with_name(&app, &one).await.expect(201);
    with_name(&app, &other).await.refused(409, "email_taken");
    assert_eq!(app.users.all().len(), 1);
}

/// What an action or a policy does at present.
#[derive(Clone, Default)]
struct Switch(Arc<AtomicU8>);

impl Switch {
    const REFUSES: u8 = 1;
    const FAILS: u8 = 2;

    fn set(&self, to: u8) {
        self.0.store(to, Ordering::SeqCst);
    }

    fn is(&self, at: u8) -> bool {
        self.0.load(Ordering::SeqCst) == at
    }
}

#[async_trait]
impl CreatesPasswordlessUsers<Account> for Switch {
    async fn create(
        &self,
        data: PasswordlessRegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        if self.is(Self::REFUSES) {
            return Err(FieldErrors::one("name", "unknown_name", "Nobody has this name.").into());
        }
        if self.is(Self::FAILS) {
            return Err(std::io::Error::other("the host is broken").into());
        }
        StandardActions.create(data, context).await
    }
}

async fn a_refusal_leaves_the_token() {
    let switch = Switch::default();
    let action = switch.clone();
    let app =
        App::with_everything_and(|config| config, |module| module.passwordless_registration(action)).await;
    let token = registration_token(&app, EMAIL).await;
    let unnamed = json!({ "registrationToken": token });
    assert_eq!(register(&app, &unnamed).await.field_errors(), ["name: required"]);
    switch.set(Switch::REFUSES);
    assert_eq!(with_name(&app, &token).await.field_errors(), ["name: unknown_name"]);
    switch.set(Switch::FAILS);
    with_name(&app, &token).await.refused(500, "internal_error");
    switch.set(0);
    with_name(&app, &token).await.expect(201);
}

#[async_trait]
impl Policy<Account> for Switch {
    async fn allows_email(&self, email: &EmailAddress, user: Option<&Account>) -> Result<(), PolicyError> {
        assert_eq!((email.as_str(), user.is_none()), (EMAIL, true));
        if self.is(Self::FAILS) {
            return Err(PolicyError::failed("the host is broken"));
        }
        match self.is(Self::REFUSES) {
            true => Err(PolicyError::refused("blocked", "This address is blocked.")),
            false => Ok(()),
        }
    }
}

async fn with_policy(policy: &Switch) -> App {
    let policy = policy.clone();
    App::with_everything_and(|config| config, |module| module.policy(policy)).await
}

async fn is_mailed(app: &App) -> bool {
    app.auth.background_work_finished().await;
    app.outbox.take::<EmailLoginMessage>().is_some()
}

async fn ask(app: &App) -> Answer {
    app.post("/auth/login/email").json(&json!({ "email": EMAIL })).await.expect(200)
}

async fn an_address_that_the_policy_refuses_gets_no_mail_and_a_response_alike() {
    let switch = Switch::default();
    let app = with_policy(&switch).await;
    let mut alike = Vec::new();
    for (state, mails) in [(0, true), (Switch::REFUSES, false)] {
        switch.set(state);
        let answer = ask(&app).await;
        let length = answer.body["flowToken"].as_str().unwrap().len();
        alike.push((answer.body["message"].clone(), answer.body["expiresIn"].clone(), length));
        assert_eq!(is_mailed(&app).await, mails);
    }
    assert_eq!(alike[0], alike[1]);
}

async fn an_address_that_the_policy_refuses_later_creates_no_account() {
    let switch = Switch::default();
    let app = with_policy(&switch).await;
    let token = registration_token(&app, EMAIL).await;
    switch.set(Switch::REFUSES);
    assert_eq!(with_name(&app, &token).await.field_errors(), ["email: blocked"]);
    assert!(app.users.all().is_empty());
    switch.set(0);
    with_name(&app, &token).await.expect(201);
}

async fn a_policy_that_fails_is_in_the_log_alone() {
    let switch = Switch::default();
    let app = with_policy(&switch).await;
    switch.set(Switch::FAILS);
    ask(&app).await;
    assert!(!is_mailed(&app).await);
}

/// An action of a host that returns the first user.
struct FindOrCreate(MemoryUsers<Account>);

#[async_trait]
impl CreatesPasswordlessUsers<Account> for FindOrCreate {
    async fn create(
        &self,
        data: PasswordlessRegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        match self.0.by_email(data.email.as_str()) {
            Some(user) => Ok(user),
            None => StandardActions.create(data, context).await,
        }
    }
}

async fn an_action_that_returns_a_user_of_before_logs_nobody_in() {
    let users = memory_users();
    let action = FindOrCreate(users.clone());
    let with = |module: crate::support::Builder| module.passwordless_registration(action);
    let app = App::with_everything_on(users.clone(), users, |config| config, with).await;
    let token = registration_token(&app, EMAIL).await;
    app.register(EMAIL).await;
    with_name(&app, &token).await.refused(409, "email_taken");
    assert!(app.users.by_email(EMAIL).unwrap().email_verified_at.is_none());
}

/// Creates accounts that an administrator must approve.
struct CreateSuspended(MemoryUsers<Account>);

#[async_trait]
impl CreatesPasswordlessUsers<Account> for CreateSuspended {
    async fn create(
        &self,
        data: PasswordlessRegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        let account = StandardActions.create(data, context).await?;
        self.0.update(&account.email, |account| account.active = false);
        Ok(Account { active: false, ..account })
    }
}

async fn an_account_that_is_created_as_suspended_gets_no_session() {
    let users = memory_users();
    let action = CreateSuspended(users.clone());
    let with = |module: crate::support::Builder| module.passwordless_registration(action);
    let app = App::with_everything_on(users.clone(), users, |config| config, with).await;
    let token = registration_token(&app, EMAIL).await;
    let refused = with_name(&app, &token).await;
    assert!(!refused.has_credentials());
    refused.refused(401, "unauthenticated");
    app.users.update(EMAIL, |account| account.active = true);
    prove(&app, EMAIL).await.expect(200).tokens();
}

async fn a_client_may_register_twenty_times_a_minute() {
    let app = with_action(&[], &[]).await;
    for number in 0..20 {
        let begun = begin(&app, &format!("user{number}@example.com")).await;
        with_code(&app, &begun.flow, begun.code()).await.expect(201);
    }
    with_name(&app, "x").await.refused(429, "too_many_attempts");
    with_name(&app, "x").from("192.0.2.2").await.refused(422, "invalid_flow_token");
    app.advance(60);
    prove(&app, EMAIL).await.expect(201);
}
