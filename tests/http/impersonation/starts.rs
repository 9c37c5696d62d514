//! For whom nobody acts, and what overtakes the start of an impersonated session.

use super::{ACTOR, REASON, host, id, impersonate, reason};
use crate::change_emails::unlimited;
use crate::delete_accounts::delete;
use crate::support::places::Place;
use crate::support::providers::CAUSE;
use crate::support::{Account, App, EMAIL, PASSWORD, Tokens};
use axum_auth_module::policy::{Policy, PolicyError};
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use axum_auth_module::{AuthError, AuthModule, Impersonation, Impersonator, StandardActions, async_trait};
use serde_json::json;
use std::time::Duration;
use tokio::task::yield_now;

async fn act(
    auth: &AuthModule<Account>,
    actor: impl Into<Impersonator>,
    id: i64,
) -> Result<Impersonation, AuthError> {
    auth.admin().impersonate(actor, &id, REASON).await
}

async fn refused(app: &App, actor: impl Into<Impersonator>) -> AuthError {
    let refused = act(&app.auth, actor, id(app)).await.err().expect("a refusal");
    assert!(
        app.auth.admin().sessions_of(&id(app)).await.unwrap().iter().all(|session| session.actor.is_none())
    );
    refused
}

struct Refuses;

#[async_trait]
impl Policy<Account> for Refuses {
    async fn allows_impersonation(&self, _: &str, user: &Account) -> Result<bool, PolicyError> {
        match user.name.as_str() {
            "Ada" => Err(PolicyError::refused("works_here", "Nobody acts for a colleague.")),
            _ => Ok(false),
        }
    }
}

struct Fails;

#[async_trait]
impl Policy<Account> for Fails {
    async fn allows_impersonation(&self, _: &str, _: &Account) -> Result<bool, PolicyError> {
        Err(PolicyError::failed(CAUSE))
    }
}

/// A policy that says nothing about it.
struct Silent;

impl Policy<Account> for Silent {}

#[tokio::test]
async fn without_a_policy_nobody_acts_for_anybody() {
    let app = App::start().await;
    app.register(EMAIL).await;
    assert_eq!(reason(&refused(&app, ACTOR).await), "impersonation");
}

#[tokio::test]
async fn one_policy_must_allow_it_and_none_may_refuse() {
    use super::SupportDesk;
    async fn with(policy: impl Policy<Account>) -> App {
        let app =
            App::with(|config| config, |module| module.registration(StandardActions).policy(policy)).await;
        app.register(EMAIL).await;
        app
    }
    for app in [with(SupportDesk).await, with((Silent, SupportDesk)).await, with(Some(SupportDesk)).await] {
        assert!(act(&app.auth, ACTOR, id(&app)).await.is_ok());
        assert_eq!(reason(&refused_beside(&app, "sales").await), "impersonation");
    }
    for app in [with(Silent).await, with((Silent, Silent)).await, with(None::<SupportDesk>).await] {
        assert_eq!(reason(&refused(&app, ACTOR).await), "impersonation");
    }
    for app in [with((SupportDesk, Refuses)).await, with((Refuses, SupportDesk)).await] {
        let refused = refused(&app, ACTOR).await;
        assert_eq!(reason(&refused), "works_here");
        assert!(
            matches!(refused, AuthError::NotAllowed { detail, .. } if detail == "Nobody acts for a colleague.")
        );
    }
    let failed = refused(&with((SupportDesk, Fails)).await, ACTOR).await;
    assert!(matches!(failed, AuthError::Internal(_)), "{failed:?}");
}

async fn refused_beside(app: &App, actor: &str) -> AuthError {
    act(&app.auth, actor, id(app)).await.err().expect("a refusal")
}

#[tokio::test]
async fn nobody_acts_for_themselves_or_from_an_impersonated_session() {
    let app = host().await;
    let own = app.register(EMAIL).await;
    app.register("grace@example.com").await;
    let grace = app.users.by_email("grace@example.com").unwrap().id;
    let who = app.auth.authenticate(&own.access).await.unwrap();
    assert_eq!(reason(&refused(&app, &who).await), "oneself");
    assert_eq!(reason(&refused(&app, &who.session).await), "oneself");
    assert_eq!(reason(&refused(&app, id(&app).to_string()).await), "oneself");
    // The policy is asked about the id of the session's user, who is not of the support desk.
    let other = act(&app.auth, &who, grace).await.err().unwrap();
    assert_eq!(reason(&other), "impersonation");
    let acting = impersonate(&app, grace).await;
    let acting = app.auth.authenticate(&acting.access).await.unwrap();
    for refused in [refused(&app, &acting).await, refused(&app, &acting.session).await] {
        assert!(matches!(refused, AuthError::NotWhileImpersonating), "{refused:?}");
    }
}

#[tokio::test]
async fn nobody_acts_for_a_user_who_is_suspended_or_going_to_be_deleted_or_unknown() {
    let app = host().await;
    let own = app.register(EMAIL).await;
    app.users.update(EMAIL, |user| user.active = false);
    assert_eq!(reason(&refused(&app, ACTOR).await), "inactive");
    app.users.update(EMAIL, |user| user.active = true);
    app.confirm_password(&own.access).await;
    delete(&app, &own.access).await.expect(202);
    assert_eq!(reason(&refused(&app, ACTOR).await), "inactive");
    app.auth.admin().cancel_deletion(&id(&app)).await.unwrap();
    let acting = impersonate(&app, id(&app)).await;
    app.users.update(EMAIL, |user| user.active = false);
    app.is_refused(&acting).await;
    let unknown = act(&app.auth, ACTOR, 4711).await.err().unwrap();
    assert!(matches!(unknown, AuthError::Internal(_)), "{unknown:?}");
}

/// The start stops before the row of the session is written.
async fn overtaken(by: impl AsyncFnOnce(&App, &Tokens)) {
    let faults = Faults::new();
    let app = Place::memory().start_faulty(&faults, unlimited).await;
    let own = app.register(EMAIL).await;
    app.verify_address(EMAIL);
    faults.next(ProviderMethod::SessionsCreate, Fault::Waits);
    let (auth, id) = (app.auth.clone(), id(&app));
    let start = tokio::spawn(async move { act(&auth, ACTOR, id).await });
    let waiting = async {
        while !faults.have_happened() {
            yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
    by(&app, &own).await;
    faults.heal();
    let refused = start.await.unwrap().err().expect("a refusal");
    assert_eq!(reason(&refused), "inactive");
    let sessions = app.auth.admin().sessions_of(&id).await.unwrap();
    assert!(sessions.iter().all(|session| session.actor.is_none()), "no session is left");
}

#[tokio::test]
async fn a_start_that_a_suspension_overtakes_is_none() {
    overtaken(async |app, _| {
        app.users.update(EMAIL, |user| user.active = false);
    })
    .await;
}

#[tokio::test]
async fn a_start_that_a_deletion_overtakes_is_none() {
    overtaken(async |app, _| {
        app.auth.admin().schedule_deletion(&id(app)).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_start_that_a_changed_password_overtakes_is_none() {
    overtaken(async |app, own| {
        let new = "another long password";
        let body = json!({ "currentPassword": PASSWORD, "password": new, "passwordConfirmation": new });
        app.put("/auth/user/password").bearer(&own.access).json(&body).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn a_start_that_a_lock_down_overtakes_is_none() {
    overtaken(async |app, _| app.auth.admin().lock_down(&id(app)).await.unwrap()).await;
}

/// The module cannot tell whether the user is still active.
#[tokio::test]
async fn a_start_that_cannot_be_checked_leaves_no_session() {
    let faults = Faults::new();
    let app = Place::memory().start_faulty(&faults, unlimited).await;
    app.register(EMAIL).await;
    let before = app.auth.admin().sessions_of(&id(&app)).await.unwrap().len();
    // The first one reads the user to act for.
    faults.nth(ProviderMethod::UsersFindById, 2, Fault::IsUnavailable);
    let failed = act(&app.auth, ACTOR, id(&app)).await.err().expect("a failure");
    assert!(matches!(failed, AuthError::Unavailable(_)), "{failed:?}");
    assert_eq!(app.auth.admin().sessions_of(&id(&app)).await.unwrap().len(), before);
}
