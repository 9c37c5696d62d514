//! What happens to an account between the check of a reset token and the write of the new password (specification §15.3).

use super::reset_password::{NEW, is_invalid, reset, token};
use crate::support::places::{Place, in_every_place};
use crate::support::providers::{Outbox, OvertakenUsers};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Builder, EMAIL, PASSWORD, at_once, memory_users};
use axum_auth_module::actions::{ActionContext, ActionError, ResetsUserPasswords};
use axum_auth_module::config::{RateLimit, RateLimits};
use axum_auth_module::policy::{PasswordOwner, Policy, PolicyError};
use axum_auth_module::testing::{MemoryPasswordResets, MemoryUsers};
use axum_auth_module::values::NewPassword;
use axum_auth_module::{StandardActions, async_trait};
use serde_json::json;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

on_both_routers![
    a_reset_is_refused_if_the_account_gets_another_address_or_password_or_is_suspended_meanwhile,
    a_reset_is_refused_if_the_account_changes_right_before_the_write,
    a_refused_reset_uses_the_token_up,
    a_reset_succeeds_although_a_login_hashes_the_password_again_meanwhile,
];

in_every_place![
    on_both_routers:
    of_a_reset_and_a_change_of_the_password_at_once_one_is_written,
    of_a_reset_and_a_change_of_the_address_at_once_one_is_written,
];

const AWAY: &str = "lovelace@example.com";

/// Something that happens in the middle of a reset, once: while the policy is asked, or while the action runs.
#[derive(Clone, Default)]
struct Meanwhile {
    policy: Moment,
    action: Moment,
}

#[derive(Clone, Default)]
struct Moment(Arc<Mutex<Option<What>>>);

type What = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Moment {
    fn set(&self, what: impl Future<Output = ()> + Send + 'static) {
        *self.0.lock().unwrap() = Some(Box::pin(what));
    }

    async fn passes(&self) {
        let what = self.0.lock().unwrap().take();
        if let Some(what) = what {
            what.await;
        }
    }
}

#[async_trait]
impl Policy<Account> for Meanwhile {
    async fn allows_password(
        &self,
        _: &NewPassword,
        _: &PasswordOwner<'_, Account>,
    ) -> Result<(), PolicyError> {
        self.policy.passes().await;
        Ok(())
    }
}

#[async_trait]
impl ResetsUserPasswords<Account> for Meanwhile {
    async fn reset(
        &self,
        user: &Account,
        password: &NewPassword,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        self.action.passes().await;
        StandardActions.reset(user, password, context).await
    }
}

async fn with_token(meanwhile: &Meanwhile) -> (App, String) {
    let (resets, outbox) = (MemoryPasswordResets::new(), Outbox::default());
    let (policy, action, delivery) = (meanwhile.clone(), meanwhile.clone(), outbox.clone());
    let module = |module: Builder| module.policy(policy).reset_passwords(resets, action, delivery);
    let app = App::with_everything_and(|config| config, module).await;
    app.register(EMAIL).await;
    let token = token(&app, &outbox, EMAIL).await;
    (app, token)
}

/// What ends a token, as if another request or the host did it.
const CHANGES: [fn(&MemoryUsers<Account>); 3] = [
    |users| assert!(users.update(EMAIL, |user| user.email = AWAY.to_owned())),
    |users| assert!(users.update(EMAIL, |user| user.password = bcrypt::hash("the new one", 4).unwrap())),
    |users| assert!(users.update(EMAIL, |user| user.active = false)),
];

/// The account as it is stored, at either address.
fn stored(users: &MemoryUsers<Account>) -> Account {
    users.by_email(EMAIL).or_else(|| users.by_email(AWAY)).unwrap()
}

async fn a_reset_is_refused_if_the_account_gets_another_address_or_password_or_is_suspended_meanwhile() {
    for change in CHANGES {
        for moment in [|m: &Meanwhile| m.policy.clone(), |m: &Meanwhile| m.action.clone()] {
            let meanwhile = Meanwhile::default();
            let (app, token) = with_token(&meanwhile).await;
            let users = app.users.clone();
            moment(&meanwhile).set(async move { change(&users) });
            is_invalid(reset(&app, EMAIL, &token, NEW).await);
            assert!(!bcrypt::verify(NEW, &stored(&app.users).password).unwrap());
            assert_eq!(app.event().await.name(), "auth.registered");
            // Nothing was emitted: the next event is of the next request.
            app.login_call("nobody@example.com", NEW).await.expect(401);
            assert_eq!(app.event().await.name(), "auth.login-failed");
        }
    }
}

/// A suspension is a field of the host's that no condition can name: in that moment the reset is written.
async fn a_reset_is_refused_if_the_account_changes_right_before_the_write() {
    for change in &CHANGES[..2] {
        let users = memory_users();
        let faulty = OvertakenUsers::over(users.clone());
        let before_save = faulty.before_save.clone();
        let app = App::with_everything_on(faulty, users.clone(), |config| config, |module| module).await;
        app.register(EMAIL).await;
        let token = token(&app, &app.outbox, EMAIL).await;
        before_save.set({
            let users = users.clone();
            move |_| {
                if users.by_email(EMAIL).is_some_and(|user| bcrypt::verify(PASSWORD, &user.password).unwrap())
                {
                    change(&users);
                }
            }
        });
        is_invalid(reset(&app, EMAIL, &token, NEW).await);
        assert!(!bcrypt::verify(NEW, &stored(&users).password).unwrap());
    }
}

/// The change that has made it invalid deletes it a moment after its write: no second try may come between.
async fn a_refused_reset_uses_the_token_up() {
    let meanwhile = Meanwhile::default();
    let (app, token) = with_token(&meanwhile).await;
    let users = app.users.clone();
    meanwhile.action.set(async move { CHANGES[1](&users) });
    is_invalid(reset(&app, EMAIL, &token, NEW).await);
    is_invalid(reset(&app, EMAIL, &token, NEW).await);
    assert!(!bcrypt::verify(NEW, &stored(&app.users).password).unwrap());
}

async fn a_reset_succeeds_although_a_login_hashes_the_password_again_meanwhile() {
    for moment in [|m: &Meanwhile| m.policy.clone(), |m: &Meanwhile| m.action.clone()] {
        let meanwhile = Meanwhile::default();
        let (app, token) = with_token(&meanwhile).await;
        let outdated = bcrypt::hash(PASSWORD, 5).unwrap();
        app.users.update(EMAIL, |user| user.password.clone_from(&outdated));
        let (login, users) = (app.login_call(EMAIL, PASSWORD), app.users.clone());
        moment(&meanwhile).set(async move {
            login.await.expect(200);
            assert_ne!(users.by_email(EMAIL).unwrap().password, outdated, "it was hashed again");
        });
        reset(&app, EMAIL, &token, NEW).await.expect(200);
        app.login_call(EMAIL, NEW).await.expect(200);
    }
}

async fn of_a_reset_and_a_change_of_the_password_at_once_one_is_written(place: &Place) {
    let limits = RateLimits::all(RateLimit::per_seconds(10_000, 60));
    let app = place.start_with(|config| config.limits(limits)).await;
    for round in 0..place.rounds(32) {
        let email = format!("ada{round}@example.com");
        let access = app.register(&email).await.access;
        let token = token(&app, &app.outbox, &email).await;
        let body = json!({
            "currentPassword": PASSWORD, "password": "changed by the owner", "passwordConfirmation": "changed by the owner",
        });
        let change = app.put("/auth/user/password").bearer(&access).json(&body);
        let answers = at_once([reset(&app, &email, &token, NEW).into_future(), change.into_future()]).await;
        let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
        let winner = match statuses[..] {
            [200, 401] => NEW,
            [422, 200] => {
                assert_eq!(answers[0].code(), "invalid_reset_token");
                "changed by the owner"
            }
            _ => panic!("{statuses:?}"),
        };
        app.login_call(&email, winner).await.expect(200);
    }
}

async fn of_a_reset_and_a_change_of_the_address_at_once_one_is_written(place: &Place) {
    let limits = RateLimits::all(RateLimit::per_seconds(10_000, 60));
    let app = place.start_with_addresses_of_profiles(|config| config.limits(limits)).await;
    for round in 0..place.rounds(32) {
        let (email, away) = (format!("ada{round}@example.com"), format!("lovelace{round}@example.com"));
        let access = app.register(&email).await.access;
        let token = token(&app, &app.outbox, &email).await;
        let body = json!({ "name": "Ada", "email": away });
        let change = app.put("/auth/user/profile-information").bearer(&access).json(&body);
        let answers = at_once([reset(&app, &email, &token, NEW).into_future(), change.into_future()]).await;
        let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
        let (address, password) = match statuses[..] {
            [200, 401] => (&email, NEW),
            [422, 200] => {
                assert_eq!(answers[0].code(), "invalid_reset_token");
                (&away, PASSWORD)
            }
            _ => panic!("{statuses:?}"),
        };
        app.login_call(address, password).await.expect(200);
    }
}
