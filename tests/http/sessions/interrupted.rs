//! Changes of credentials whose process ends between their steps (specification §11.6).
//!
//! A process that ends is a provider that never returns: nothing of the change runs after it. Another instance goes on.

use super::session_id;
use crate::support::answer::Answer;
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Call, EMAIL, PASSWORD, Tokens, at_once, forge};
use axum_auth_module::actions::{ActionContext, ActionError, PasswordUpdateData, UpdatesUserPasswords};
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::events::{Event, EventKind, SessionEnd};
use axum_auth_module::repository::SessionRecord;
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use axum_auth_module::{StandardActions, async_trait};
use serde_json::{Value, json};
use std::future::pending;
use std::sync::Arc;
use tokio::sync::Notify;

in_every_place![
    on_both_routers:
    a_change_that_was_written_and_not_finished_ends_every_session_of_before_at_the_next_use,
];
on_both_routers![
    a_change_is_completed_wherever_it_was_interrupted_after_the_record_was_written,
    a_change_of_the_second_factor_is_completed_like_one_of_the_password,
    a_change_that_was_not_written_is_taken_back_at_the_next_use,
    a_login_that_hashes_the_password_again_does_not_hide_an_interrupted_change,
    a_login_that_hashes_the_previous_password_again_is_no_change,
    a_change_that_an_earlier_release_has_begun_counts_from_the_first_use,
];
on_both_routers![threads: requests_at_once_complete_a_change_once];

const NEW: &str = "a new password for all";

/// After this many seconds a change is either over or was interrupted: its task ends after 120 seconds, and another
/// instance's clock may be 60 seconds ahead.
const LIMIT: u64 = 180;

fn change(app: &App, tokens: &Tokens) -> Call {
    let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
    app.put("/auth/user/password").bearer(&tokens.access).json(&body)
}

async fn claims(app: &App, tokens: &Tokens) -> Answer {
    app.get("/claims").bearer(&tokens.access).await
}

/// Writes the new password and does not return.
#[derive(Clone, Default)]
struct EndsAfterTheWrite(Arc<Notify>);

#[async_trait]
impl UpdatesUserPasswords<Account> for EndsAfterTheWrite {
    async fn update(
        &self,
        user: &Account,
        data: PasswordUpdateData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        StandardActions.update(user, data, context).await?;
        self.0.notify_one();
        pending().await
    }
}

/// A user whose change of the password was interrupted.
struct Interrupted {
    email: String,
    acting: Tokens,
    other: Tokens,
    reset_token: String,
}

impl Interrupted {
    async fn new(app: &App, action: &EndsAfterTheWrite, email: String) -> Self {
        let (acting, other) = (app.register(&email).await, app.login(&email).await);
        app.post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
        let reset_token = app.outbox.next::<PasswordResetMessage>().await.token;
        tokio::select! {
            answer = change(app, &acting).into_future() => panic!("{}", answer.text),
            () = action.0.notified() => {}
        }
        Self { email, acting, other, reset_token }
    }

    async fn reset(&self, app: &App) -> Answer {
        let body = json!({
            "email": self.email, "token": self.reset_token, "password": NEW, "passwordConfirmation": NEW
        });
        app.post("/auth/reset-password").json(&body).await
    }
}

async fn a_change_that_was_written_and_not_finished_ends_every_session_of_before_at_the_next_use(
    place: &Place,
) {
    let action = EndsAfterTheWrite::default();
    let ends = action.clone();
    let before = place.start_as(&place.clock, |config| config, |module| module.update_passwords(ends)).await;
    let bystander = before.register("eve@example.com").await;
    let mut users = Vec::new();
    for used in ["claims", "me", "refresh"] {
        users.push(Interrupted::new(&before, &action, format!("{used}@example.com")).await);
    }
    drop(before);

    let after = place.start().await;
    let mut logins = Vec::new();
    for user in &users {
        // The change may still go on at another instance.
        claims(&after, &user.acting).await.expect(200);
        after.me(&user.acting.access).await.expect(200);
        after.is_refused(&user.other).await;
        logins.push(after.login_call(&user.email, NEW).await.expect(200).tokens());
    }
    after.advance(LIMIT - 1);
    for user in &users {
        claims(&after, &user.acting).await.expect(200);
    }
    after.advance(1);
    for (user, login) in users.iter().zip(&logins) {
        let use_it = match &*user.email {
            "claims@example.com" => claims(&after, &user.acting).await,
            "refresh@example.com" if !after.is_for_browsers() => after.refresh(&user.acting.refresh).await,
            _ => after.me(&user.acting.access).await,
        };
        assert_eq!(use_it.status, 401, "{}", user.email);
        for tokens in [&user.acting, &user.other] {
            after.is_over(tokens).await;
        }
        let mut ended = [ended(&after).await, ended(&after).await];
        ended.sort();
        let mut expected = [&user.acting, &user.other].map(session_id);
        expected.sort();
        assert_eq!(ended, expected);
        user.reset(&after).await.refused(422, "invalid_reset_token");
        // A session that began after the change continues.
        after.me(&login.access).await.expect(200);
        claims(&after, login).await.expect(200);
    }
    after.me(&bystander.access).await.expect(200);
}

/// The id of the next session that ends because of a change of the credentials. Nobody knows any more whose request began it.
async fn ended(app: &App) -> String {
    let Event { kind, client, .. } = super::ended(app).await;
    let EventKind::SessionEnded { session_id, reason } = kind else { panic!("{kind:?}") };
    assert_eq!((reason, client), (SessionEnd::CredentialChange, None));
    session_id
}

/// Sends this request to a host whose `nth` call of this method hangs, and goes away.
async fn interrupted_at(faults: &Faults, (method, nth): (ProviderMethod, usize), request: Call) {
    faults.nth(method, nth, Fault::Hangs);
    let has_happened = async {
        while !faults.have_happened() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        answer = request.into_future() => panic!("{method}: {}", answer.text),
        () = has_happened => {}
    }
}

async fn a_change_is_completed_wherever_it_was_interrupted_after_the_record_was_written() {
    for call in [
        (ProviderMethod::SessionsFindByUser, 1),
        (ProviderMethod::SessionsDeleteAll, 1),
        (ProviderMethod::ResetsDeleteByEmail, 2),
        (ProviderMethod::SessionsSwap, 2),
    ] {
        let (place, faults) = (Place::memory(), Faults::new());
        let before = place.start_faulty(&faults, |config| config).await;
        let (acting, other) = (before.register(EMAIL).await, before.login(EMAIL).await);
        interrupted_at(&faults, call, change(&before, &acting)).await;
        let after = place.start().await;
        after.advance(LIMIT);
        after.is_over(&acting).await;
        after.is_over(&other).await;
        assert!(place.rows("1").await.is_empty(), "{call:?}");
        after.login_call(EMAIL, NEW).await.expect(200);
    }
}

async fn a_change_of_the_second_factor_is_completed_like_one_of_the_password() {
    let (place, faults) = (Place::memory(), Faults::new());
    let before = place.start_faulty(&faults, |config| config).await;
    let (acting, other) = (before.confirmed_session(EMAIL).await, before.login(EMAIL).await);
    before.enable(&acting.access).await.expect(200);
    let code = before.authenticator(&acting.access).await.code(&before);
    let confirm = before.confirm_two_factor(&acting.access, &code);
    interrupted_at(&faults, (ProviderMethod::SessionsFindByUser, 1), confirm).await;
    let after = place.start().await;
    after.advance(LIMIT);
    after.is_over(&acting).await;
    after.is_over(&other).await;
}

async fn a_change_that_was_not_written_is_taken_back_at_the_next_use() {
    let (place, faults) = (Place::memory(), Faults::new());
    let before = place.start_faulty(&faults, |config| config).await;
    let (acting, other) = (before.register(EMAIL).await, before.login(EMAIL).await);
    interrupted_at(&faults, (ProviderMethod::UsersSave, 1), change(&before, &acting)).await;
    let after = place.start().await;
    let marks = async |state: &str| {
        let row = row(&place, &acting).await;
        row.state.contains(state)
    };
    after.advance(LIMIT - 1);
    claims(&after, &acting).await.expect(200);
    assert!(marks("\"chg\":").await && !marks("\"was\":[]").await);
    after.advance(1);
    claims(&after, &acting).await.expect(200);
    assert!(!marks("\"chg\":").await && marks("\"was\":[]").await);
    after.me(&other.access).await.expect(200);
    // The session can change the password as before.
    change(&after, &acting).await.expect(200);
    after.is_over(&other).await;
}

async fn row(place: &Place, of: &Tokens) -> SessionRecord {
    let rows = place.rows("1").await;
    rows.into_iter().find(|row| row.id == session_id(of)).expect("the row of the session")
}

/// A login with the new password moves every session of the user to the mark of the new hash.
async fn a_login_that_hashes_the_password_again_does_not_hide_an_interrupted_change() {
    let (place, faults) = (Place::memory(), Faults::new());
    let before = place.start_faulty(&faults, |config| config).await;
    let acting = before.register(EMAIL).await;
    interrupted_at(&faults, (ProviderMethod::SessionsFindByUser, 1), change(&before, &acting)).await;
    let after = place.start_with(|config| config.bcrypt_cost(5)).await;
    let login = after.login_call(EMAIL, NEW).await.expect(200).tokens();
    after.advance(LIMIT);
    after.is_over(&acting).await;
    after.me(&login.access).await.expect(200);
}

async fn a_login_that_hashes_the_previous_password_again_is_no_change() {
    let (place, faults) = (Place::memory(), Faults::new());
    let before = place.start_faulty(&faults, |config| config).await;
    let acting = before.register(EMAIL).await;
    interrupted_at(&faults, (ProviderMethod::UsersSave, 1), change(&before, &acting)).await;
    let after = place.start_with(|config| config.bcrypt_cost(5)).await;
    after.login(EMAIL).await;
    after.advance(LIMIT);
    after.me(&acting.access).await.expect(200);
    claims(&after, &acting).await.expect(200);
}

/// Earlier releases did not record when a change began.
async fn a_change_that_an_earlier_release_has_begun_counts_from_the_first_use() {
    let (place, faults) = (Place::memory(), Faults::new());
    let before = place.start_faulty(&faults, |config| config).await;
    let acting = before.register(EMAIL).await;
    interrupted_at(&faults, (ProviderMethod::SessionsFindByUser, 1), change(&before, &acting)).await;
    let mut row = row(&place, &acting).await;
    let (members, _) = row.state.rsplit_once(",\"mac\":").unwrap();
    let (start, rest) = members.split_once(",\"beg\":[").expect("the time of the change");
    let end = rest.split_once(']').unwrap().1;
    row.state = forge::session_state(&row.id, "1", &format!("{start}{end}}}")).into();
    place.sessions().await.create(row).await.unwrap();

    let after = place.start().await;
    after.advance(LIMIT);
    claims(&after, &acting).await.expect(200);
    after.advance(LIMIT - 1);
    claims(&after, &acting).await.expect(200);
    after.advance(1);
    after.is_over(&acting).await;
}

async fn requests_at_once_complete_a_change_once() {
    let (place, faults) = (Place::memory(), Faults::new());
    let before = place.start_faulty(&faults, |config| config).await;
    let (acting, _other) = (before.register(EMAIL).await, before.login(EMAIL).await);
    interrupted_at(&faults, (ProviderMethod::SessionsFindByUser, 1), change(&before, &acting)).await;
    let after = place.start().await;
    let login = after.login_call(EMAIL, NEW).await.expect(200).tokens();
    after.advance(LIMIT);
    let calls = (0..20).map(|index| after.get(["/claims", "/me"][index % 2]).bearer(&acting.access));
    for answer in at_once(calls.map(IntoFuture::into_future)).await {
        answer.refused(401, "unauthenticated");
    }
    let rest: Vec<Value> = super::list(&after, &login).await;
    assert_eq!(rest.len(), 1);
    let [first, second] = [ended(&after).await, ended(&after).await];
    assert_ne!(first, second);
    // Every event of the completion is there before its response, so the next event is that of this logout.
    after.post("/auth/logout").bearer(&login.access).await.expect(200);
    assert_eq!(after.event().await.name(), "auth.logout");
}
