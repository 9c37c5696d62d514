//! `PUT /user/profile-information`, and what a new address takes with it.

mod notices;

use crate::every_route::features_off::service_is_there_only_with;
use crate::support::answer::Answer;
use crate::support::providers::{Behaviour, CAUSE};
use crate::support::routers::on_both_routers;
use crate::support::{
    Account, App, EMAIL, PASSWORD, Tokens, addresses_of_profiles, at_once, registration, reset_key,
};
use axum_auth_module::actions::{ActionContext, ActionError, ProfileData, UpdatesUserProfile};
use axum_auth_module::async_trait;
use axum_auth_module::clock::Clock;
use axum_auth_module::delivery::{EmailVerificationMessage, Notice, PasswordResetMessage};
use axum_auth_module::error::FieldErrors;
use axum_auth_module::feature::Feature;
use axum_auth_module::repository::PasswordResetRepository;
use axum_auth_module::services::UpdateProfileInformationService;
use axum_auth_module::user::{UserChange, UserPatch};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

on_both_routers![
    name_and_address_are_changed_and_every_session_lives,
    an_address_that_stays_stays_verified_and_keeps_what_was_sent_to_it,
    somebody_elses_address_is_taken_in_every_spelling,
    what_was_sent_to_the_address_of_before_is_worthless,
    a_new_address_is_unverified_whatever_the_action_says,
    a_new_address_is_unverified_even_if_the_action_fails_after_writing_it,
    a_new_address_is_unverified_even_if_the_action_panics_after_writing_it,
    a_new_address_is_unverified_even_if_the_action_hangs_after_writing_it,
    a_new_address_is_unverified_even_if_the_client_hangs_up,
    only_the_fields_that_the_action_asks_for_reach_it,
    the_standard_action_changes_name_and_address_and_nothing_else,
    everything_wrong_with_the_fields_is_said_at_once,
    the_route_needs_a_token_before_anything_else,
    the_address_can_be_changed_ten_times_an_hour_and_the_name_always,
    other_addresses_and_registrations_of_a_client_are_one_count,
    a_changed_address_is_an_event_without_the_address,
    a_profile_can_be_changed_sixty_times_a_minute,
    a_host_can_require_the_password_for_another_address,
    a_verified_address_is_told_once_that_it_was_replaced,
    an_address_that_nobody_has_verified_is_told_nothing,
    a_notice_that_cannot_be_sent_changes_nothing,
];

on_both_routers![threads: of_ten_users_who_want_one_address_at_once_one_gets_it];

const NEW: &str = "lovelace@example.com";
const EVE: &str = "eve@example.com";
const PATH: &str = "/auth/user/profile-information";

async fn update(app: &App, access: &str, body: Value) -> Answer {
    app.put(PATH).bearer(access).json(&body).await
}

async fn move_to(app: &App, access: &str, email: &str) -> Answer {
    update(app, access, json!({ "name": "Ada", "email": email })).await
}

/// A host with this action, and a user with a verified address.
async fn with_action<A: UpdatesUserProfile<Account>>(action: A) -> (App, Tokens) {
    let app = App::with_everything_and(
        |config| config.request_timeout(Duration::from_secs(1)),
        |module| addresses_of_profiles(module.update_profile_information(action)),
    );
    verified(app.await).await
}

async fn verified(app: App) -> (App, Tokens) {
    let tokens = app.register(EMAIL).await;
    app.users.update(EMAIL, |user| user.email_verified_at = Some(UNIX_EPOCH));
    (app, tokens)
}

async fn with_user() -> (App, Tokens) {
    verified(App::with_addresses_of_profiles().await).await
}

async fn the_address_can_be_changed_ten_times_an_hour_and_the_name_always() {
    let (app, tokens) = with_user().await;
    app.register(EVE).await;
    for n in 0..5 {
        move_to(&app, &tokens.access, &format!("ada{n}@example.com")).await.expect(200);
        // This tells whether the address has an account.
        move_to(&app, &tokens.access, EVE).await.refused(409, "email_taken");
    }
    let refused = move_to(&app, &tokens.access, NEW).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("3600"));
    move_to(&app, &tokens.access, EVE).await.refused(429, "too_many_attempts");
    move_to(&app, &tokens.access, "ada4@example.com").await.expect(200);
    app.advance(3600);
    let tokens = app.login("ada4@example.com").await;
    move_to(&app, &tokens.access, NEW).await.expect(200);
}

/// Each of them tells whether an address has an account.
async fn other_addresses_and_registrations_of_a_client_are_one_count() {
    let app = App::with_addresses_of_profiles().await;
    let client = "203.0.113.7";
    let register = |email: &str| app.post("/auth/register").from(client).json(&registration(email));
    let mut accounts = Vec::new();
    for n in 0..5 {
        accounts.push(register(&format!("{n}@example.com")).await.expect(201).tokens());
    }
    let update = |n: usize, email: &str, from: &str| {
        let call = app.put(PATH).bearer(&accounts[n % 5].access).from(from);
        call.json(&json!({ "name": "Ada", "email": email }))
    };
    for n in 0..15 {
        update(n, &format!("other{n}@example.com"), client).await.expect(200);
    }
    register(NEW).await.refused(429, "too_many_attempts");
    let refused = update(0, NEW, client).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("60"));
    // A name, and other clients.
    update(0, "other10@example.com", client).await.expect(200);
    update(0, NEW, "203.0.113.8").await.expect(200);
    app.advance(60);
    register("late@example.com").await.expect(201);
}

async fn a_changed_address_is_an_event_without_the_address() {
    let (app, tokens) = with_user().await;
    move_to(&app, &tokens.access, EMAIL).await.expect(200);
    move_to(&app, &tokens.access, NEW).await.expect(200);
    move_to(&app, &tokens.access, NEW).await.expect(200);
    assert_eq!(app.event().await.name(), "auth.registered");
    let changed = app.event().await;
    assert_eq!((changed.name(), changed.user_id.as_deref()), ("auth.email-changed", Some("1")));
    assert!(changed.client.is_some() && !format!("{changed:?}").contains('@'));
    app.login_call(NEW, PASSWORD).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.login"]);
}

async fn a_profile_can_be_changed_sixty_times_a_minute() {
    let (app, tokens) = with_user().await;
    let rename = |n: usize| {
        let body = json!({ "name": format!("Ada {n}"), "email": EMAIL });
        app.put(PATH).bearer(&tokens.access).json(&body)
    };
    for n in 0..60 {
        rename(n).await.expect(200);
    }
    rename(60).await.refused(429, "too_many_attempts");
    assert_eq!(app.users.by_email(EMAIL).unwrap().name, "Ada 59");
    let other = app.register(EVE).await;
    update(&app, &other.access, json!({ "name": "Eve", "email": EVE })).await.expect(200);
    app.advance(60);
    rename(61).await.expect(200);
}

async fn a_host_can_require_the_password_for_another_address() {
    let app =
        App::with_everything_and(|config| config.confirm_email_change(true), addresses_of_profiles).await;
    let (app, tokens) = verified(app).await;
    move_to(&app, &tokens.access, NEW).await.refused(403, "password_confirmation_required");
    assert!(app.users.by_email(NEW).is_none());
    let renamed = json!({ "name": "Ada Lovelace", "email": EMAIL.to_uppercase() });
    update(&app, &tokens.access, renamed).await.expect(200);
    app.confirm_password(&tokens.access).await;
    move_to(&app, &tokens.access, NEW).await.expect(200);
}

async fn a_verified_address_is_told_once_that_it_was_replaced() {
    let (app, tokens) = with_user().await;
    update(&app, &tokens.access, json!({ "name": "Eve", "email": EMAIL })).await.expect(200);
    move_to(&app, &tokens.access, NEW).await.expect(200);
    let notice = app.outbox.next::<Notice>().await;
    assert_eq!(notice.recipient(), EMAIL);
    assert!(!format!("{notice:?}").contains(EMAIL));
    let Notice::AddressChanged(notice) = notice else { panic!("another notice") };
    assert_eq!(notice.changed_at, app.clock.now());
    assert!(app.outbox.is_empty());
}

async fn an_address_that_nobody_has_verified_is_told_nothing() {
    let (app, tokens) = with_user().await;
    move_to(&app, &tokens.access, NEW).await.expect(200);
    app.outbox.next::<Notice>().await;
    // The new address is not verified: it may be anybody's.
    move_to(&app, &tokens.access, "byron@example.com").await.expect(200);
    app.users.update("byron@example.com", |user| user.email_verified_at = Some(UNIX_EPOCH));
    move_to(&app, &tokens.access, EMAIL).await.expect(200);
    assert_eq!(app.outbox.next::<Notice>().await.recipient(), "byron@example.com");
    assert!(app.outbox.is_empty());
}

async fn a_notice_that_cannot_be_sent_changes_nothing() {
    let (app, tokens) = with_user().await;
    for (behaviour, email) in [(Behaviour::FAIL, NEW), (Behaviour::PANIC, EMAIL), (Behaviour::HANG, NEW)] {
        let before = if email == NEW { EMAIL } else { NEW };
        app.users.update(before, |user| user.email_verified_at = Some(UNIX_EPOCH));
        app.outbox.behaviour.set(behaviour);
        move_to(&app, &tokens.access, email).await.expect(200);
    }
    app.me(&tokens.access).await.expect(200);
}

async fn name_and_address_are_changed_and_every_session_lives() {
    let (app, tokens) = with_user().await;
    let other = app.login(EMAIL).await;
    let body = json!({ "name": "Ada Lovelace", "email": "  LoveLace@Example.com " });
    let answer = update(&app, &tokens.access, body).await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    let user = app.users.by_email(NEW).unwrap();
    assert_eq!((user.id, user.name.as_str(), user.email_verified_at), (1, "Ada Lovelace", None));
    for tokens in [tokens, other] {
        assert_eq!(app.me(&tokens.access).await.expect(200).text, NEW);
        app.renew(&tokens).await;
    }
    app.login(NEW).await;
    app.login_call(EMAIL, crate::support::PASSWORD).await.refused(401, "invalid_credentials");
    let names = ["auth.registered", "auth.login", "auth.email-changed", "auth.login", "auth.login-failed"];
    assert_eq!(app.event_names().await, names);
}

async fn an_address_that_stays_stays_verified_and_keeps_what_was_sent_to_it() {
    let (app, tokens) = with_user().await;
    app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    for spelling in [EMAIL, "ADA@example.com", " ada@EXAMPLE.com\t"] {
        let body = json!({ "name": "Ada Lovelace", "email": spelling });
        update(&app, &tokens.access, body).await.expect(200);
        let user = app.users.by_email(EMAIL).unwrap();
        assert_eq!((user.name.as_str(), user.email_verified_at), ("Ada Lovelace", Some(UNIX_EPOCH)));
    }
    assert!(app.resets.find_by_email(&reset_key(EMAIL)).await.unwrap().is_some());
}

async fn somebody_elses_address_is_taken_in_every_spelling() {
    let (app, tokens) = with_user().await;
    app.register(EVE).await;
    for spelling in [EVE, "EVE@example.com", "  eve@Example.Com\t"] {
        move_to(&app, &tokens.access, spelling).await.refused(409, "email_taken");
    }
    let user = app.users.by_email(EMAIL).unwrap();
    assert_eq!(user.email_verified_at, Some(UNIX_EPOCH), "nothing was changed");
}

async fn of_ten_users_who_want_one_address_at_once_one_gets_it() {
    let app = App::with_addresses_of_profiles().await;
    let mut calls = Vec::new();
    for n in 0..10 {
        let tokens = app.register(&format!("u{n}@example.com")).await;
        let body = json!({ "name": "Ada", "email": NEW });
        calls.push(app.put(PATH).bearer(&tokens.access).json(&body).into_future());
    }
    let mut statuses: Vec<_> = at_once(calls).await.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses[0], 200);
    assert!(statuses[1..].iter().all(|status| *status == 409), "{statuses:?}");
}

/// A link for the user's address, as a path.
async fn link(app: &App, tokens: &Tokens) -> String {
    app.post("/auth/email/verification-notification").bearer(&tokens.access).await.expect(200);
    app.outbox.next::<EmailVerificationMessage>().await.data.path("/auth")
}

async fn reset(app: &App, email: &str, token: &str) -> Answer {
    let password = "a new password for all";
    let body =
        json!({ "email": email, "token": token, "password": password, "passwordConfirmation": password });
    app.post("/auth/reset-password").json(&body).await
}

async fn what_was_sent_to_the_address_of_before_is_worthless() {
    let (app, tokens) = with_user().await;
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    let old = link(&app, &tokens).await;
    app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    let token = app.outbox.next::<PasswordResetMessage>().await.token;
    // What is left of an account that once had the new address.
    app.resets.create_token(&reset_key(NEW), "$2b$04$left", app.clock.now()).await.unwrap();
    move_to(&app, &tokens.access, NEW).await.expect(200);
    app.get(&old).bearer(&tokens.access).await.refused(422, "invalid_verification_link");
    for email in [EMAIL, NEW] {
        assert!(app.resets.find_by_email(&reset_key(email)).await.unwrap().is_none(), "{email}");
        reset(&app, email, &token).await.refused(422, "invalid_reset_token");
    }
    let new = link(&app, &tokens).await;
    app.get(&new).bearer(&tokens.access).await.expect(200);
    // Whoever registers the address next has nothing to fear of its former owner's token.
    app.register(EMAIL).await;
    reset(&app, EMAIL, &token).await.refused(422, "invalid_reset_token");
    // And a token of before does not come back with the address.
    app.users.remove(EMAIL);
    move_to(&app, &tokens.access, EMAIL).await.expect(200);
    reset(&app, EMAIL, &token).await.refused(422, "invalid_reset_token");
}

/// Calls every address verified, and then does what it is told to.
#[derive(Clone, Default)]
struct Verifies {
    then: Behaviour,
}

#[async_trait]
impl UpdatesUserProfile<Account> for Verifies {
    async fn update(
        &self,
        user: &Account,
        data: ProfileData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        let patch = UserPatch::new(user.id)
            .with(UserChange::Email(data.email.as_str().to_owned()))
            .with(UserChange::EmailVerifiedAt(Some(context.now())));
        context.users().save(patch).await?;
        self.then.act().await.map_err(ActionError::Internal)
    }
}

async fn a_new_address_is_unverified_whatever_the_action_says() {
    let (app, tokens) = with_action(Verifies::default()).await;
    app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    move_to(&app, &tokens.access, NEW).await.expect(200);
    assert_eq!(app.users.by_email(NEW).unwrap().email_verified_at, None);
    assert!(app.resets.find_by_email(&reset_key(EMAIL)).await.unwrap().is_none());
    app.get("/verified").bearer(&tokens.access).await.refused(403, "email_not_verified");
}

/// The address that an action has written before it broke is an unverified one, at the latest a moment afterwards.
async fn after_an_action_that(broken: u8, status: u16, code: &str) {
    let action = Verifies::default();
    let (app, tokens) = with_action(action.clone()).await;
    app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    action.then.set(broken);
    let answer = move_to(&app, &tokens.access, NEW).await.refused(status, code);
    assert!(!answer.text.contains(CAUSE), "{}", answer.text);
    let is_guarded = async || {
        let verified: Option<SystemTime> = app.users.by_email(NEW).unwrap().email_verified_at;
        verified.is_none() && app.resets.find_by_email(&reset_key(EMAIL)).await.unwrap().is_none()
    };
    for _ in 0..50 {
        if is_guarded().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("a new address is still verified, or its predecessor's reset token still there");
}

async fn a_new_address_is_unverified_even_if_the_action_fails_after_writing_it() {
    after_an_action_that(Behaviour::FAIL, 500, "internal_error").await;
}

async fn a_new_address_is_unverified_even_if_the_action_panics_after_writing_it() {
    after_an_action_that(Behaviour::PANIC, 500, "internal_error").await;
}

async fn a_new_address_is_unverified_even_if_the_action_hangs_after_writing_it() {
    after_an_action_that(Behaviour::HANG, 503, "unavailable").await;
}

async fn a_new_address_is_unverified_even_if_the_client_hangs_up() {
    let action = Verifies::default();
    let (app, tokens) = with_action(action.clone()).await;
    action.then.set(Behaviour::HANG);
    let call = app.put(PATH).bearer(&tokens.access).json(&json!({ "name": "Ada", "email": NEW }));
    let answer = tokio::time::timeout(Duration::from_millis(300), call.into_future()).await;
    assert!(answer.is_err(), "the client has gone before the answer came");
    for _ in 0..100 {
        if app.users.by_email(NEW).unwrap().email_verified_at.is_none() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("a new address is still verified");
}

/// Asks for two fields of its own and, in vain, for those of the record.
struct WithPlan;

#[async_trait]
impl UpdatesUserProfile<Account> for WithPlan {
    fn extra_fields(&self) -> &[&'static str] {
        &["plan", "coupon", "id", "password", "emailVerifiedAt", "twoFactorSecret", "passwordConfirmedAt"]
    }

    async fn update(
        &self,
        user: &Account,
        data: ProfileData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        let names: Vec<_> = data.extra.keys().map(String::as_str).collect();
        assert_eq!(names, ["plan"], "what was asked for and sent");
        match data.extra["plan"].as_str() {
            Some("gold") => Err(FieldErrors::one("plan", "unknown_plan", "The plan is free or pro.").into()),
            Some("broken") => Err(std::io::Error::other(CAUSE).into()),
            _ => {
                let name = UserChange::Name(data.name.as_str().to_owned());
                context.users().save(UserPatch::new(user.id).with(name)).await?;
                Ok(())
            }
        }
    }
}

/// A profile with every field that somebody else might want to have changed.
fn with_everything_on(plan: &str) -> Value {
    let time = "2020-01-01T00:00:00Z";
    json!({
        "name": "Ada Lovelace", "email": EMAIL, "plan": plan, "id": "7", "active": false, "isAdmin": true,
        "password": "x", "emailVerifiedAt": time, "email_verified_at": time, "twoFactorSecret": "x",
        "twoFactorRecoveryCodes": "x", "twoFactorConfirmedAt": time, "passwordConfirmedAt": time,
    })
}

async fn only_the_fields_that_the_action_asks_for_reach_it() {
    let (app, tokens) = with_action(WithPlan).await;
    update(&app, &tokens.access, with_everything_on("pro")).await.expect(200);
    assert_eq!(app.users.by_email(EMAIL).unwrap().name, "Ada Lovelace");
    let refused = update(&app, &tokens.access, with_everything_on("gold")).await;
    assert_eq!(refused.field_errors(), ["plan: unknown_plan"]);
    let failed = update(&app, &tokens.access, with_everything_on("broken")).await;
    assert!(!failed.refused(500, "internal_error").text.contains(CAUSE));
}

async fn the_standard_action_changes_name_and_address_and_nothing_else() {
    let (app, tokens) = with_user().await;
    let before = app.users.by_email(EMAIL).unwrap();
    update(&app, &tokens.access, with_everything_on("pro")).await.expect(200);
    let after = app.users.by_email(EMAIL).unwrap();
    let rest = |user: &Account| {
        let Account { id, password, active, plan, email_verified_at, .. } = user.clone();
        let Account { two_factor_secret, two_factor_recovery_codes, two_factor_confirmed_at, .. } =
            user.clone();
        let two_factor = (two_factor_secret, two_factor_recovery_codes, two_factor_confirmed_at);
        (id, password, active, plan, email_verified_at, two_factor, user.password_confirmed_at)
    };
    assert!(rest(&before) == rest(&after));
    assert_eq!(after.name, "Ada Lovelace");
}

async fn everything_wrong_with_the_fields_is_said_at_once() {
    let (app, tokens) = with_user().await;
    let errors = async |body: Value| update(&app, &tokens.access, body).await.field_errors();
    assert_eq!(errors(json!({})).await, ["name: required", "email: required"]);
    assert_eq!(
        errors(json!({ "name": 1, "email": [EMAIL] })).await,
        ["name: wrong_type", "email: wrong_type"]
    );
    assert_eq!(errors(json!({ "name": " ", "email": "ada" })).await, ["name: required", "email: invalid"]);
    for (name, email, error) in [
        ("x".repeat(256), NEW, "name: too_long"),
        ("a\r\nb".to_owned(), NEW, "name: invalid"),
        ("Ada".to_owned(), "Ada <ada@example.com>", "email: invalid"),
        ("Ada".to_owned(), "ada@example.com\r\nBcc: eve@example.com", "email: invalid"),
        ("Ada".to_owned(), "\u{212a}elvin@example.com", "email: invalid"),
    ] {
        assert_eq!(errors(json!({ "name": name, "email": email })).await, [error], "{email}");
    }
    assert!(app.users.by_email(EMAIL).unwrap().email_verified_at.is_some());
}

async fn the_route_needs_a_token_before_anything_else() {
    let (app, tokens) = with_user().await;
    app.put(PATH).body("text/plain", "x").await.refused(401, "unauthenticated");
    let other = app.get(PATH).bearer(&tokens.access).await.refused(405, "method_not_allowed");
    assert_eq!(other.header("allow"), Some("PUT"));
    app.put(PATH).bearer(&tokens.access).body("text/plain", "x").await.refused(415, "unsupported_media_type");
    app.users.update(EMAIL, |user| user.active = false);
    move_to(&app, &tokens.access, NEW).await.refused(401, "unauthenticated");
    app.users.remove(EMAIL);
    move_to(&app, &tokens.access, NEW).await.refused(401, "unauthenticated");
}

#[tokio::test]
async fn its_service_is_there_only_with_the_feature() {
    service_is_there_only_with::<UpdateProfileInformationService>(Feature::UpdateProfileInformation).await;
}
