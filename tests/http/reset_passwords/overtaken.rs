//! A request of a thief that goes on after the owner has recovered the account: it changes nothing, and the last recovery mail has a token
//! that resets the password (specification §15.9).

use super::reset_password::{NEW, reset};
use crate::change_emails::{asked, confirm, mail, moved, revert, unlimited};
use crate::passkeys::user;
use crate::support::answer::Answer;
use crate::support::places::Place;
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Call, EMAIL, PASSWORD, Tokens};
use axum_auth_module::AuthUser;
use axum_auth_module::delivery::{EmailChangePurpose, PasswordResetMessage};
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::yield_now;

on_both_routers![
    a_change_of_the_address_that_a_revert_overtakes_leaves_the_recovery_mail,
    a_further_change_of_the_address_that_a_revert_overtakes_leaves_the_recovery_mail,
    a_change_of_the_password_that_a_lock_down_overtakes_leaves_the_recovery_mail,
    a_first_password_that_a_lock_down_overtakes_is_not_written_and_leaves_the_recovery_mail,
    a_first_password_that_a_lock_down_overtakes_at_the_write_is_taken_back,
    a_second_factor_that_a_lock_down_overtakes_at_the_write_is_not_put_in_force,
    an_address_that_a_lock_down_overtakes_at_the_write_is_not_kept,
    a_reset_that_an_administrator_overtakes_leaves_the_recovery_mail,
    a_request_of_a_reset_for_an_address_without_an_account_deletes_no_token,
];

const DELETE: ProviderMethod = ProviderMethod::ResetsDeleteByEmail;
const FIND: ProviderMethod = ProviderMethod::ResetsFindByEmail;
const READ: ProviderMethod = ProviderMethod::UsersFindById;
const WRITE: ProviderMethod = ProviderMethod::UsersSave;
const AWAY: &str = "away@example.com";
const OF_THE_THIEF: &str = "the password of the thief";

async fn host(faults: &Faults) -> (Arc<App>, Tokens) {
    let app = Place::memory().start_faulty(faults, unlimited).await;
    let thief = user(&app, EMAIL).await;
    (Arc::new(app), thief)
}

fn id(app: &App) -> <Account as AuthUser>::Id {
    app.users.by_email(EMAIL).unwrap().id
}

async fn lock_down(app: Arc<App>) {
    app.auth.admin().lock_down(&id(&app)).await.unwrap();
}

/// The request stops before the last of these calls, such as the one that deletes a reset token, and goes on when the recovery is done. Then the token that
/// was mailed last resets the password. Returns the answer to the request.
async fn overtaken(
    app: &Arc<App>,
    faults: &Faults,
    request: (Call, &[ProviderMethod]),
    recovery: impl Future<Output = ()>,
) -> Answer {
    overtaken_with_mails(app, faults, request, recovery).await.0
}

/// Also returns how many recovery mails there were.
async fn overtaken_with_mails(
    app: &Arc<App>,
    faults: &Faults,
    (request, before): (Call, &[ProviderMethod]),
    recovery: impl Future<Output = ()>,
) -> (Answer, usize) {
    app.auth.background_work_finished().await;
    let request = tokio::spawn(request.into_future());
    for call in before {
        // The request goes on to the next of the calls: nothing else runs between these three lines.
        faults.heal();
        faults.clear_calls();
        faults.next(*call, Fault::Waits);
        let waiting = async {
            while !faults.calls().contains(call) {
                yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
    }
    recovery.await;
    faults.heal();
    let answer = request.await.unwrap();
    app.auth.background_work_finished().await;
    let account = app.users.by_email(EMAIL).unwrap();
    assert!(account.password.is_empty() && account.two_factor_secret.is_none());
    let mails = std::iter::from_fn(|| app.outbox.take::<PasswordResetMessage>());
    let mails: Vec<_> = mails.filter(|mail| mail.email == EMAIL).collect();
    let way_back = mails.last().expect("a way back");
    reset(app, EMAIL, &way_back.token, NEW).await.expect(200);
    app.login_call(EMAIL, NEW).await.expect(200);
    (answer, mails.len())
}

/// A request of a thief, made by `request`, which an administrator's lock down overtakes before this call. Returns the answer to it.
async fn overtaken_by_a_lock_down(
    before: ProviderMethod,
    request: impl AsyncFnOnce(&App, Tokens) -> Call,
) -> Answer {
    let faults = Faults::new();
    let (app, thief) = host(&faults).await;
    let request = request(&app, thief).await;
    overtaken(&app, &faults, (request, &[before]), lock_down(Arc::clone(&app))).await
}

/// The request with which a session of an account without a password sets one.
async fn first_password(app: &App, thief: Tokens) -> Call {
    let thief = without_password(app, &thief).await;
    let body = json!({ "password": OF_THE_THIEF, "passwordConfirmation": OF_THE_THIEF });
    app.put("/auth/user/password").bearer(&thief.access).json(&body)
}

/// A token that somebody has asked for.
async fn requested_token(app: &App) -> String {
    app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    app.auth.background_work_finished().await;
    app.outbox.take::<PasswordResetMessage>().expect("a mail").token
}

async fn without_password(app: &App, tokens: &Tokens) -> Tokens {
    app.delete("/auth/user/password").bearer(&tokens.access).await.expect(200).tokens()
}

async fn a_change_of_the_address_that_a_revert_overtakes_leaves_the_recovery_mail() {
    let faults = Faults::new();
    let (app, thief) = host(&faults).await;
    let change = asked(&app, &thief.access, AWAY).await;
    let request = confirm(&app, &thief.access, &change);
    let owner = Arc::clone(&app);
    let recovery = async move {
        let told = mail(&owner, EMAIL, EmailChangePurpose::Changed).await;
        revert(&owner, &told.token.unwrap()).await.expect(200);
    };
    overtaken(&app, &faults, (request, &[DELETE]), recovery).await;
}

/// After its write the request reads the record, which has the owner's address by then.
async fn a_further_change_of_the_address_that_a_revert_overtakes_leaves_the_recovery_mail() {
    let faults = Faults::new();
    let (app, thief) = host(&faults).await;
    let (thief, told) = moved(&app, &thief.access, EMAIL, AWAY).await;
    app.confirm_password(&thief.access).await;
    let change = asked(&app, &thief.access, "further@example.com").await;
    let request = confirm(&app, &thief.access, &change);
    let owner = Arc::clone(&app);
    let recovery = async move {
        revert(&owner, &told.token.unwrap()).await.expect(200);
    };
    overtaken(&app, &faults, (request, &[WRITE, READ]), recovery).await;
}

async fn a_change_of_the_password_that_a_lock_down_overtakes_leaves_the_recovery_mail() {
    let change = async |app: &App, thief: Tokens| {
        let body = json!({ "currentPassword": PASSWORD, "password": OF_THE_THIEF, "passwordConfirmation": OF_THE_THIEF });
        app.put("/auth/user/password").bearer(&thief.access).json(&body)
    };
    overtaken_by_a_lock_down(DELETE, change).await.refused(401, "unauthenticated");
}

async fn a_first_password_that_a_lock_down_overtakes_is_not_written_and_leaves_the_recovery_mail() {
    overtaken_by_a_lock_down(DELETE, first_password).await.refused(401, "unauthenticated");
}

/// Without a password there is no hash by which the write could tell that the account was locked down.
async fn a_first_password_that_a_lock_down_overtakes_at_the_write_is_taken_back() {
    overtaken_by_a_lock_down(WRITE, first_password).await.refused(401, "unauthenticated");
}

async fn a_second_factor_that_a_lock_down_overtakes_at_the_write_is_not_put_in_force() {
    let confirmation = async |app: &App, thief: Tokens| {
        let thief = without_password(app, &thief).await;
        app.enable(&thief.access).await.expect(200);
        let code = app.authenticator(&thief.access).await.code(app);
        app.confirm_two_factor(&thief.access, &code)
    };
    overtaken_by_a_lock_down(WRITE, confirmation).await.refused(422, "invalid_two_factor_code");
}

async fn an_address_that_a_lock_down_overtakes_at_the_write_is_not_kept() {
    let change = async |app: &App, thief: Tokens| {
        let thief = without_password(app, &thief).await;
        let change = asked(app, &thief.access, AWAY).await;
        confirm(app, &thief.access, &change)
    };
    overtaken_by_a_lock_down(WRITE, change).await.refused(401, "unauthenticated");
}

/// The account can have the address again while such a request is under way, and the token in the recovery mail with it.
async fn a_request_of_a_reset_for_an_address_without_an_account_deletes_no_token() {
    let faults = Faults::new();
    let (app, thief) = host(&faults).await;
    moved(&app, &thief.access, EMAIL, AWAY).await;
    faults.clear_calls();
    app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    app.auth.background_work_finished().await;
    assert!(!faults.calls().contains(&DELETE));
}

/// A reset has written its password and is about to delete its token. Then an administrator requires a new password, which mails another token.
/// If the reset sees that token, no second mail is necessary.
async fn a_reset_that_an_administrator_overtakes_leaves_the_recovery_mail() {
    for (before, mails) in [(FIND, 1), (DELETE, 2)] {
        let faults = Faults::new();
        let (app, _) = host(&faults).await;
        let stolen = requested_token(&app).await;
        let request = reset(&app, EMAIL, &stolen, OF_THE_THIEF);
        let office = Arc::clone(&app);
        let recovery = async move { office.auth.admin().require_new_password(&id(&office)).await.unwrap() };
        let (answer, sent) = overtaken_with_mails(&app, &faults, (request, &[WRITE, before]), recovery).await;
        answer.expect(200);
        assert_eq!(sent, mails, "{before:?}");
    }
}
