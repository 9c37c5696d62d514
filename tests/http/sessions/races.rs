//! What overlaps: logins, refreshes, changes of credentials, resets and the end of sessions.
//!
//! Each race runs for many rounds, with all of its requests at once on all threads.

use crate::support::answer::Answer;
use crate::support::authenticator::no_code_limits;
use crate::support::providers::FaultyUsers;
use crate::support::{Account, App, Builder, Call, EMAIL, PASSWORD, Tokens, at_once, forge, memory_users};
use axum_auth_module::actions::{ActionContext, ActionError, PasswordUpdateData, UpdatesUserPasswords};
use axum_auth_module::async_trait;
use axum_auth_module::config::{AuthConfigBuilder, RateLimit, RateLimits};
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::repository::{MemorySessions, SessionKind, SessionRepository};
use axum_auth_module::user::{UserChange, UserPatch};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

const NEW: &str = "a new password for all";

/// How often a race is run.
const ROUNDS: usize = 200;

/// No limits that these tests would reach.
fn unlimited() -> RateLimits {
    let mut limits = no_code_limits();
    let many = RateLimit::per_seconds(100_000, 60);
    limits.register = many;
    limits.login_client = many;
    limits.login_account = many;
    limits.login_account_and_client = many;
    limits.forgot_password_client = many;
    limits.forgot_password_address = many;
    limits
}

/// A host with every feature and no limits that these tests would reach, and its sessions.
async fn host() -> (App, MemorySessions) {
    let (users, sessions) = (memory_users(), MemorySessions::new());
    let kept = sessions.clone();
    let config = |base: AuthConfigBuilder| base.limits(unlimited()).request_timeout(Duration::from_secs(60));
    let module = |module: Builder| module.sessions(kept);
    (App::with_everything_on(users.clone(), users, config, module).await, sessions)
}

async fn rows(sessions: &MemorySessions, user: &str) -> usize {
    sessions.find_by_user(user, SessionKind::ALL).await.map_or(0, |records| records.len())
}

fn change(app: &App, tokens: &Tokens, current: &str, password: &str) -> Call {
    let body = json!({ "currentPassword": current, "password": password, "passwordConfirmation": password });
    app.put("/auth/user/password").bearer(&tokens.access).json(&body)
}

/// Requests a reset token for an address and returns it.
async fn reset_token(app: &App, email: &str) -> String {
    app.post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
    app.outbox.next::<PasswordResetMessage>().await.token
}

fn reset(app: &App, email: &str, token: &str) -> Call {
    let body = json!({ "email": email, "token": token, "password": NEW, "passwordConfirmation": NEW });
    app.post("/auth/reset-password").json(&body)
}

/// Every round has its own account.
fn address(round: usize) -> String {
    format!("user{round}@example.com")
}

fn id(tokens: &Tokens) -> String {
    forge::claims(&tokens.access)["sub"].as_str().unwrap().to_owned()
}

/// No token of these responses works, with or without reading the record.
async fn nothing_works(app: &App, responses: &[Answer]) {
    for response in responses.iter().filter(|response| response.text.contains("accessToken")) {
        let tokens = Tokens {
            access: response.body["accessToken"].as_str().unwrap().to_owned(),
            refresh: response.body["refreshToken"].as_str().unwrap().to_owned(),
        };
        app.is_over(&tokens).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_leaves_no_session_of_a_change_that_was_in_flight() {
    let (app, sessions) = host().await;
    for round in 0..ROUNDS {
        let email = address(round);
        let thief = app.register(&email).await;
        app.confirm_password(&thief.access).await;
        let token = reset_token(&app, &email).await;
        let attack = match round % 2 {
            0 => change(&app, &thief, PASSWORD, "the thief's new password"),
            _ => app.disable(&thief.access),
        };
        let calls = [reset(&app, &email, &token), attack, app.login_call(&email, PASSWORD)];
        let responses = at_once(calls.map(IntoFuture::into_future)).await;
        // The change may come first; then the reset ends its session.
        assert_eq!(responses[0].status, 200, "{}", responses[0].text);
        nothing_works(&app, &responses[1..]).await;
        app.is_over(&thief).await;
        assert_eq!(rows(&sessions, &id(&thief)).await, 0, "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_overlaps_a_change_never_starts_a_session_under_the_old_password() {
    let (app, _) = host().await;
    for round in 0..ROUNDS {
        let email = address(round);
        let tokens = app.register(&email).await;
        let calls = [change(&app, &tokens, PASSWORD, NEW), app.login_call(&email, PASSWORD)];
        let [changed, login] = <[Answer; 2]>::try_from(at_once(calls.map(IntoFuture::into_future)).await)
            .unwrap_or_else(|_| panic!("two responses"));
        nothing_works(&app, &[login]).await;
        app.me(&changed.expect(200).tokens().access).await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_that_overlaps_a_logout_brings_nothing_back() {
    let (app, sessions) = host().await;
    app.register(EMAIL).await;
    for round in 0..ROUNDS {
        let tokens = app.login(EMAIL).await;
        let refresh = app.post("/auth/refresh").json(&json!({ "refreshToken": tokens.refresh }));
        let logout = app.post("/auth/logout").bearer(&tokens.access);
        let responses = at_once([refresh, logout].map(IntoFuture::into_future)).await;
        assert_eq!(responses[1].status, 200);
        assert!(matches!(responses[0].status, 200 | 401), "{}", responses[0].text);
        nothing_works(&app, &responses).await;
        assert_eq!(rows(&sessions, "1").await, 1, "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_refreshes_of_one_token_are_one_chain() {
    let (app, sessions) = host().await;
    let tokens = app.register(EMAIL).await;
    let mut newest = tokens.refresh;
    for _ in 0..20 {
        let calls = (0..30).map(|_| app.post("/auth/refresh").json(&json!({ "refreshToken": newest })));
        let responses = at_once(calls.map(IntoFuture::into_future)).await;
        let mut successors: Vec<_> = Vec::new();
        for response in responses {
            successors.push(response.expect(200).tokens().refresh);
        }
        let number = |token: &String| forge::claims(token)["rotation"].as_u64();
        let numbers: BTreeSet<_> = successors.iter().map(number).collect();
        assert_eq!(numbers.len(), 1, "each is the successor of the same token");
        newest = successors.remove(0);
    }
    assert_eq!(rows(&sessions, "1").await, 1);
}

/// The host raises the cost of its hashes and is restarted.
#[tokio::test(flavor = "multi_thread")]
async fn hashing_a_password_again_ends_no_session() {
    let (users, sessions) = (memory_users(), MemorySessions::new());
    let start = |cost| {
        let kept = sessions.clone();
        let config = move |base: AuthConfigBuilder| base.limits(unlimited()).bcrypt_cost(cost);
        App::with_everything_on(users.clone(), users.clone(), config, |module: Builder| module.sessions(kept))
    };
    let (before, after) = (start(4).await, start(5).await);
    for round in 0..20 {
        let email = address(round);
        let mut alive = vec![before.register(&email).await, before.login(&email).await];
        let calls = (0..4).map(|_| after.login_call(&email, PASSWORD));
        for response in at_once(calls.map(IntoFuture::into_future)).await {
            alive.push(response.expect(200).tokens());
        }
        let hash = after.users.by_email(&email).unwrap().password;
        assert!(hash.starts_with("$2b$05$"), "{hash}");
        for tokens in &alive {
            after.me(&tokens.access).await.expect(200);
            after.refresh(&tokens.refresh).await.expect(200);
        }
    }
}

/// Stores the new password without a condition of its own.
struct Careless;

#[async_trait]
impl UpdatesUserPasswords<Account> for Careless {
    async fn update(
        &self,
        user: &Account,
        data: PasswordUpdateData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        let hash = context.passwords().hash(&data.password).await?;
        let patch = UserPatch::new(user.id).with(UserChange::Password(hash));
        context.users().save(patch).await?;
        Ok(())
    }
}

/// A reset stores its password right before the change of somebody with a stolen token is written.
#[tokio::test]
async fn a_change_that_a_reset_overtakes_writes_nothing() {
    let users = memory_users();
    let faulty = FaultyUsers::over(users.clone());
    let before_save = faulty.before_save.clone();
    let module = |module: Builder| module.update_passwords(Careless);
    let app = App::with_everything_on(faulty, users, |config| config, module).await;
    let enrolled = app.enrolled(EMAIL).await;
    let (stored, reset_to) = (app.users.clone(), bcrypt::hash(NEW, 4).unwrap());
    let overtaking = reset_to.clone();
    before_save.set(move |patch| {
        let changes_credentials = |change: &UserChange| {
            matches!(change, UserChange::Password(_) | UserChange::TwoFactorConfirmedAt(_))
        };
        if patch.changes().iter().any(changes_credentials) {
            let hash = overtaking.clone();
            stored.update(EMAIL, move |user| user.password = hash.clone());
        }
    });
    let thief = &enrolled.tokens;
    change(&app, thief, PASSWORD, "the thief's new password").await.refused(401, "unauthenticated");
    assert_eq!(app.users.by_email(EMAIL).unwrap().password, reset_to);

    // The same for the second factor, in a session under the password of the reset.
    app.users.update(EMAIL, |user| user.password = bcrypt::hash(PASSWORD, 4).unwrap());
    before_save.set(|_| {});
    app.next_step();
    let token = app.challenge_token(EMAIL).await;
    let session = app.challenge(&token, &enrolled.authenticator.code(&app)).await.expect(200).tokens();
    app.confirm_password(&session.access).await;
    let (stored, overtaking) = (app.users.clone(), reset_to.clone());
    before_save.set(move |_| {
        let hash = overtaking.clone();
        stored.update(EMAIL, move |user| user.password = hash.clone());
    });
    app.disable(&session.access).await.refused(401, "unauthenticated");
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(user.two_factor_confirmed_at.is_some() && user.two_factor_secret.is_some());
}

/// The mark of the credentials is the same before and after: disabling what is not enabled changes none.
#[tokio::test]
async fn a_failed_change_that_changes_no_mark_takes_nothing_back() {
    let (users, sessions) = (memory_users(), MemorySessions::new());
    let faulty = FaultyUsers::over(users.clone());
    let before_save = faulty.before_save.clone();
    let start = |cost| {
        let (faulty, users, kept) = (faulty.clone(), users.clone(), sessions.clone());
        let config = move |base: AuthConfigBuilder| base.bcrypt_cost(cost);
        App::with_everything_on(faulty, users, config, |module: Builder| module.sessions(kept))
    };
    let tokens = start(4).await.register(EMAIL).await;
    // The login hashes the password again, so the row has a previous mark.
    let app = start(5).await;
    app.login(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    let hash = users.by_email(EMAIL).unwrap().password;
    let stored = users.clone();
    before_save.set(move |_| {
        stored.update(EMAIL, |user| user.password = "another".to_owned());
    });
    app.disable(&tokens.access).await.refused(401, "unauthenticated");
    before_save.set(|_| {});
    users.update(EMAIL, |user| user.password.clone_from(&hash));
    app.me(&tokens.access).await.expect(200);
}
