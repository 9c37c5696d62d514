//! What happens to invitations at the same time, on another instance and after a restart.

use super::{NEW, accept, id, invited, without_password};
use crate::change_emails::unlimited;
use crate::support::answer::Answer;
use crate::support::places::{Place, in_every_place};
use crate::support::{App, EMAIL, at_once};
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use std::time::Duration;
use tokio::task::yield_now;

in_every_place![
    of_thirty_acceptances_at_once_one_sets_the_password,
    a_newer_invitation_and_an_acceptance_at_once_leave_one_of_both,
    it_can_be_accepted_on_another_instance_and_after_a_restart,
];

/// A user without a password, in whatever place.
async fn user_in(place: &Place, app: &App) -> i64 {
    app.register(EMAIL).await;
    let id = place.user(EMAIL).await.id;
    without_password(app, EMAIL, id).await;
    id
}

async fn of_thirty_acceptances_at_once_one_sets_the_password(place: &Place) {
    let apps = [place.start_with(unlimited).await, place.start_with(unlimited).await];
    let id = user_in(place, &apps[0]).await;
    let token = invited(&apps[0], id).await.token.unwrap();
    let passwords: Vec<_> = (0..30).map(|number| format!("the long password {number}")).collect();
    let calls = passwords.iter().enumerate();
    let calls = calls.map(|(number, password)| accept(&apps[number % 2], &token, password).into_future());
    let answers = at_once(calls).await;
    let accepted: Vec<_> =
        answers.iter().zip(&passwords).filter(|(answer, _)| answer.status == 200).collect();
    assert_eq!(accepted.len(), 1, "{:?}", Vec::from_iter(answers.iter().map(|answer| answer.status)));
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!((answer.status, answer.code()), (422, "invalid_mail_token"), "{}", answer.text);
    }
    apps[1].login_call(EMAIL, accepted[0].1).await.expect(200);
}

async fn a_newer_invitation_and_an_acceptance_at_once_leave_one_of_both(place: &Place) {
    let app = place.start_with(unlimited).await;
    let id = user_in(place, &app).await;
    for round in 0..place.rounds(20) {
        let token = invited(&app, id).await.token.unwrap();
        let auth = app.auth.clone();
        let invite = tokio::spawn(async move { auth.admin().invite(&id).await });
        let answer: Answer = accept(&app, &token, NEW).await;
        let invited = invite.await.unwrap();
        let has_password = !place.user(EMAIL).await.password.is_empty();
        assert_eq!(answer.status == 200, has_password, "{round}: {}", answer.text);
        if invited.is_ok() {
            let newer =
                app.outbox.next::<axum_auth_module::delivery::InvitationMessage>().await.token.unwrap();
            if !has_password {
                accept(&app, &newer, NEW).await.expect(200);
            }
        }
        without_password(&app, EMAIL, id).await;
    }
}

async fn it_can_be_accepted_on_another_instance_and_after_a_restart(place: &Place) {
    let first = place.start_with(unlimited).await;
    let id = user_in(place, &first).await;
    let ended = invited(&first, id).await.token.unwrap();
    let token = invited(&place.start_with(unlimited).await, id).await.token.unwrap();
    let restarted = place.start_with(unlimited).await;
    accept(&restarted, &ended, NEW).await.refused(422, "invalid_mail_token");
    accept(&restarted, &token, NEW).await.expect(200);
    accept(&first, &token, NEW).await.refused(422, "invalid_mail_token");
    first.login_call(EMAIL, NEW).await.expect(200);
}

/// The acceptance stops before it writes the password.
async fn overtaken(by: impl AsyncFnOnce(&App)) -> (App, Answer) {
    let faults = Faults::new();
    let app = Place::memory().start_faulty(&faults, unlimited).await;
    app.register(EMAIL).await;
    without_password(&app, EMAIL, id(&app)).await;
    let token = invited(&app, id(&app)).await.token.unwrap();
    faults.next(ProviderMethod::UsersSave, Fault::Waits);
    let request = tokio::spawn(accept(&app, &token, NEW).into_future());
    let waiting = async {
        while !faults.have_happened() {
            yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
    by(&app).await;
    faults.heal();
    let answer = request.await.unwrap();
    (app, answer)
}

/// The account has no password before the lock down, so no condition of the write tells.
#[tokio::test]
async fn a_lock_down_that_overtakes_an_acceptance_leaves_no_password() {
    let (app, answer) = overtaken(async |app| app.auth.admin().lock_down(&id(app)).await.unwrap()).await;
    answer.refused(422, "invalid_mail_token");
    assert!(app.users.by_email(EMAIL).unwrap().password.is_empty());
}

#[tokio::test]
async fn a_newer_invitation_that_overtakes_an_acceptance_is_the_one_that_counts() {
    let (app, answer) = overtaken(async |app| app.auth.admin().invite(&id(app)).await.unwrap()).await;
    answer.refused(422, "invalid_mail_token");
    assert!(app.users.by_email(EMAIL).unwrap().password.is_empty());
}

/// A server error changes nothing, and the mail can be opened again.
#[tokio::test]
async fn an_acceptance_that_fails_can_be_repeated() {
    let faults = Faults::new();
    let app = Place::memory().start_faulty(&faults, unlimited).await;
    app.register(EMAIL).await;
    without_password(&app, EMAIL, id(&app)).await;
    let token = invited(&app, id(&app)).await.token.unwrap();
    faults.next(ProviderMethod::UsersSave, Fault::IsUnavailable);
    accept(&app, &token, NEW).await.refused(503, "unavailable");
    accept(&app, &token, NEW).await.expect(200);
}
