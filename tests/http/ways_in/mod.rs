//! Ways in: nobody is locked out by removing one, and users see which they have (specification §9.28, §9.29, §11.10).

use crate::email_login::sign_in;
use crate::reset_passwords::reset_password::{reset, token};
use crate::support::authenticator::no_code_limits;
use crate::support::providers::faults;
use crate::support::routers::{self, on_both_routers};
use crate::support::{Account, App, Builder, Call, EMAIL, PASSWORD, Tokens, addresses_of_profiles, at_once};
use axum_auth_module::actions::{ActionContext, ActionError, ProfileData, UpdatesUserProfile};
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::ProviderMethod;
use axum_auth_module::{StandardActions, async_trait};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Notify;

on_both_routers![
    a_user_with_a_mailbox_removes_the_password,
    the_only_way_in_stays,
    a_removal_requires_a_recent_confirmation,
    a_user_without_a_password_removes_nothing,
    a_pending_reset_token_ends_with_the_password,
    without_another_way_in_there_is_no_such_route,
    an_address_that_is_the_only_way_in_stays,
    users_see_their_ways_in,
    a_removal_that_is_under_way_makes_another_wait,
];

on_both_routers![
    threads:
    of_the_last_two_ways_in_one_stays,
    of_ten_removals_at_once_none_is_half_done,
];

const PATH: &str = "/auth/user/password";
const METHODS: &str = "/auth/user/sign-in-methods";

fn remove(app: &App, tokens: &Tokens) -> Call {
    app.delete(PATH).bearer(&tokens.access)
}

fn move_to(app: &App, tokens: &Tokens, email: &str) -> Call {
    let call = app.put("/auth/user/profile-information").bearer(&tokens.access);
    call.json(&json!({ "name": "Ada", "email": email }))
}

/// A user with a password and a verified address, in a session that has confirmed the password.
async fn with_two_ways() -> (App, Tokens) {
    let app = App::with_everything_and(|config| config.limits(no_code_limits()), addresses_of_profiles).await;
    let tokens = app.confirmed_session(EMAIL).await;
    app.verify_address(EMAIL);
    (app, tokens)
}

/// A user with a verified address who has removed the password, in a session with a recent confirmation.
async fn with_the_mailbox_alone() -> (App, Tokens) {
    let (app, tokens) = with_two_ways().await;
    let tokens = remove(&app, &tokens).await.expect(200).tokens();
    (app, tokens)
}

fn password(app: &App) -> String {
    app.users.by_email(EMAIL).unwrap().password
}

async fn a_user_with_a_mailbox_removes_the_password() {
    let (app, tokens) = with_two_ways().await;
    let other = app.login(EMAIL).await;
    let answer = remove(&app, &tokens).await.expect(200);
    assert_eq!(answer.body["message"], "The password has been removed.");
    let acting = answer.tokens();
    assert_eq!(password(&app), "");
    app.is_over(&other).await;
    app.is_refused(&tokens).await;
    app.me(&acting.access).await.expect(200);
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    while app.event().await.name() != "auth.password-removed" {}
}

async fn the_only_way_in_stays() {
    let app = App::with_everything().await;
    let tokens = app.confirmed_session(EMAIL).await;
    let other = app.login(EMAIL).await;
    remove(&app, &tokens).await.refused(409, "last_sign_in_method");
    app.me(&other.access).await.expect(200);
    app.login(EMAIL).await;
}

async fn a_removal_requires_a_recent_confirmation() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    app.verify_address(EMAIL);
    remove(&app, &tokens).await.refused(403, "password_confirmation_required");
    app.delete(PATH).await.refused(401, "unauthenticated");
    app.login(EMAIL).await;
}

async fn a_user_without_a_password_removes_nothing() {
    let (app, tokens) = with_the_mailbox_alone().await;
    let other = sign_in(&app, EMAIL).await.tokens();
    remove(&app, &tokens).await.expect(200);
    app.me(&other.access).await.expect(200);
    app.post("/auth/logout").bearer(&other.access).await.expect(200);
    let mut names = Vec::new();
    while names.last() != Some(&"auth.logout") {
        names.push(app.event().await.name());
    }
    assert_eq!(names.iter().filter(|name| **name == "auth.password-removed").count(), 1, "{names:?}");
}

async fn a_pending_reset_token_ends_with_the_password() {
    let (app, tokens) = with_two_ways().await;
    let pending = token(&app, &app.outbox, EMAIL).await;
    remove(&app, &tokens).await.expect(200);
    reset(&app, EMAIL, &pending, "another long password").await.refused(422, "invalid_reset_token");
    assert_eq!(password(&app), "");
    // A reset by mail sets a password again.
    app.advance(60);
    let pending = token(&app, &app.outbox, EMAIL).await;
    reset(&app, EMAIL, &pending, "another long password").await.expect(200);
    app.login_call(EMAIL, "another long password").await.expect(200);
}

async fn without_another_way_in_there_is_no_such_route() {
    use axum_auth_module::feature::{Feature, FeatureSet};
    let without = [
        Feature::EmailLogin,
        Feature::PasswordlessRegistration,
        Feature::ChangeEmails,
        Feature::Passkeys,
        Feature::SocialLogin,
    ];
    let features = FeatureSet::all().difference(without.into());
    let app = App::with_everything_and(|config| config, |module| module.enabled(features).unwrap()).await;
    let tokens = app.confirmed_session(EMAIL).await;
    app.verify_address(EMAIL);
    let answer = remove(&app, &tokens).await.refused(405, "method_not_allowed");
    assert_eq!(answer.header("allow"), Some("PUT"));
    app.get(METHODS).bearer(&tokens.access).await.refused(404, "not_found");
    // Nobody is held by an address that is no way in.
    move_to(&app, &tokens, "lovelace@example.com").await.expect(200);
}

async fn an_address_that_is_the_only_way_in_stays() {
    let (app, tokens) = with_the_mailbox_alone().await;
    move_to(&app, &tokens, "lovelace@example.com").await.refused(409, "last_sign_in_method");
    let body = json!({ "name": "Ada King", "email": EMAIL });
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await.expect(200);
    let password = json!({ "password": PASSWORD, "passwordConfirmation": PASSWORD });
    let tokens = app.put(PATH).bearer(&tokens.access).json(&password).await.expect(200).tokens();
    app.confirm_password(&tokens.access).await;
    move_to(&app, &tokens, "lovelace@example.com").await.expect(200);
    app.login_call("lovelace@example.com", PASSWORD).await.expect(200);
}

async fn users_see_their_ways_in() {
    let (app, tokens) = with_two_ways().await;
    let ways = async |tokens: &Tokens| app.get(METHODS).bearer(&tokens.access).await.expect(200).body;
    let no_second_factor = json!({ "enabled": false, "methods": [] });
    assert_eq!(
        ways(&tokens).await,
        json!({
            "password": true, "passkeys": 0, "identities": [], "email": true,
            "twoFactor": no_second_factor, "confirmWith": ["password", "email"],
        })
    );
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    let body = ways(&tokens).await;
    assert_eq!((&body["email"], &body["confirmWith"]), (&json!(false), &json!(["password"])));
    app.verify_address(EMAIL);
    let tokens = remove(&app, &tokens).await.expect(200).tokens();
    let body = ways(&tokens).await;
    assert_eq!((&body["password"], &body["confirmWith"]), (&json!(false), &json!(["email"])));
    app.get(METHODS).await.refused(401, "unauthenticated");

    let (app, _) = with_two_ways().await;
    let enrolled = app.enrolled("eve@example.com").await;
    let body = app.get(METHODS).bearer(&enrolled.tokens.access).await.expect(200).body;
    assert_eq!(body["twoFactor"], json!({ "enabled": true, "methods": ["totp", "recovery_code"] }));
}

/// The standard action, once it may.
#[derive(Clone, Default)]
struct Waits {
    has_begun: Arc<Notify>,
    may_go_on: Arc<Notify>,
}

#[async_trait]
impl UpdatesUserProfile<Account> for Waits {
    async fn update(
        &self,
        user: &Account,
        data: ProfileData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        self.has_begun.notify_one();
        self.may_go_on.notified().await;
        StandardActions.update(user, data, context).await
    }
}

/// The update of the address holds the lease: a removal gives up, and the next one finds the password to be the last way in.
async fn a_removal_that_is_under_way_makes_another_wait() {
    let (faults, action) = (faults(), Waits::default());
    let (store, waits) = (faults.over(MemoryStore::new()), action.clone());
    let module =
        |module: Builder| addresses_of_profiles(module.store(store).update_profile_information(waits));
    let app = App::with_everything_and(|config| config.limits(no_code_limits()), module).await;
    let tokens = app.confirmed_session(EMAIL).await;
    app.verify_address(EMAIL);
    let begin = |call: Call| tokio::spawn(routers::on(routers::current(), call.into_future()));
    app.auth.background_work_finished().await;
    let update = begin(move_to(&app, &tokens, "lovelace@example.com"));
    action.has_begun.notified().await;
    remove(&app, &tokens).await.refused(503, "unavailable");
    faults.clear_calls();
    let removal = begin(remove(&app, &tokens));
    // It has tried to get the lease, and tries again.
    while faults.calls().iter().filter(|call| **call == ProviderMethod::StoreSwap).count() < 2 {
        tokio::task::yield_now().await;
    }
    action.may_go_on.notify_one();
    update.await.unwrap().expect(200);
    removal.await.unwrap().refused(409, "last_sign_in_method");
    app.login_call("lovelace@example.com", PASSWORD).await.expect(200);
}

async fn of_the_last_two_ways_in_one_stays() {
    for _ in 0..20 {
        let (app, tokens) = with_two_ways().await;
        let other = app.login(EMAIL).await;
        app.confirm_password(&other.access).await;
        let calls = [remove(&app, &tokens), move_to(&app, &other, "lovelace@example.com")];
        let answers = at_once(calls.map(Call::into_future)).await;
        let (removed, moved) = (&answers[0], &answers[1]);
        for answer in &answers {
            assert!([200, 401, 409].contains(&answer.status), "{} {}", answer.status, answer.text);
        }
        assert!((removed.status == 200) != (moved.status == 200), "{} {}", removed.status, moved.status);
        if removed.status == 200 {
            sign_in(&app, EMAIL).await.tokens();
        } else {
            app.login_call("lovelace@example.com", PASSWORD).await.expect(200);
        }
    }
}

async fn of_ten_removals_at_once_none_is_half_done() {
    let (app, tokens) = with_two_ways().await;
    let calls = (0..10).map(|_| remove(&app, &tokens).into_future());
    let answers = at_once(calls).await;
    let mut won: Vec<_> = answers.into_iter().filter(|answer| answer.status != 401).collect();
    let statuses: Vec<_> = won.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200]);
    app.me(&won.remove(0).tokens().access).await.expect(200);
    assert_eq!(password(&app), "");
}
