//! What is done at once with a deletion.

use super::{GRACE, at, delete, restore};
use crate::support::answer::Answer;
use crate::support::places::{Place, in_every_place};
use crate::support::{App, PASSWORD, Tokens, at_once};
use axum_auth_module::delivery::{AccountDeletionKind, AccountDeletionMessage};
use std::pin::Pin;

in_every_place![
    a_sign_in_during_the_schedule_starts_no_session,
    a_pass_and_a_restoration_at_once,
    requests_with_one_mailed_token_at_once,
    a_lock_down_and_a_schedule_at_once,
];

/// One of several things that are done at once, which may return something.
type Task<T> = Pin<Box<dyn Future<Output = Option<T>> + Send>>;

/// A user in a session whose password was confirmed, another one in each round.
async fn user_of_round(app: &App, round: usize) -> (String, Tokens) {
    let email = format!("user{round}@example.com");
    (email.clone(), crate::change_emails::verified(app, &email).await)
}

/// The token of the mail about the deletion of this account.
async fn mailed_token(app: &App, email: &str) -> String {
    loop {
        let told = app.outbox.next::<AccountDeletionMessage>().await;
        if told.email == email && told.kind == AccountDeletionKind::Scheduled {
            return told.token.unwrap();
        }
    }
}

/// A sign-in at the moment of the schedule: there is no session afterwards, whichever of both is first.
async fn a_sign_in_during_the_schedule_starts_no_session(place: &Place) {
    let (app, _) = at(place).await;
    for round in 0..place.rounds(200) {
        let (email, tokens) = user_of_round(&app, round).await;
        let calls = [
            delete(&app, &tokens.access).into_future(),
            app.login_call(&email, PASSWORD).into_future(),
            app.login_call(&email, PASSWORD).into_future(),
        ];
        let [deleted, first, second] = at_once(calls).await.try_into().ok().unwrap();
        deleted.expect(202);
        for login in [first, second] {
            match login.status {
                // The session began before the schedule, and has ended with it.
                200 => app.is_over(&login.tokens()).await,
                _ => drop(login.refused(403, "account_pending_deletion")),
            }
        }
        let id = place.user(&email).await.id;
        assert!(app.auth.admin().sessions_of(&id).await.unwrap().is_empty());
    }
}

/// A pass and a restoration when the time is over: one of both happens, and never half of each.
async fn a_pass_and_a_restoration_at_once(place: &Place) {
    let (app, _) = at(place).await;
    for round in 0..place.rounds(200) {
        let (email, tokens) = user_of_round(&app, round).await;
        delete(&app, &tokens.access).await.expect(202);
        let token = mailed_token(&app, &email).await;
        app.advance(GRACE);
        let auth = app.auth.clone();
        let pass: Task<Answer> = Box::pin(async move {
            auth.maintain().await.unwrap();
            None
        });
        let by_mail = restore(&app, &token).into_future();
        let by_mail = Box::pin(async move { Some(by_mail.await) });
        let answers = at_once([pass, by_mail]).await;
        let answer = answers.into_iter().flatten().next().unwrap();
        let is_there = place.find(&email).await.is_some();
        match answer.status {
            200 => {
                assert!(is_there, "what was restored is there");
                app.login(&email).await;
            }
            _ => {
                answer.refused(422, "invalid_mail_token");
                assert!(!is_there, "what cannot be restored is gone");
            }
        }
    }
}

/// A mail program that opens the link beside its user: each request with the token succeeds, and the user is told once.
async fn requests_with_one_mailed_token_at_once(place: &Place) {
    let (app, _) = at(place).await;
    for round in 0..place.rounds(100) {
        let (email, tokens) = user_of_round(&app, round).await;
        delete(&app, &tokens.access).await.expect(202);
        let token = mailed_token(&app, &email).await;
        for answer in at_once((0..3).map(|_| restore(&app, &token).into_future())).await {
            answer.expect(200);
        }
        app.login(&email).await;
        app.auth.background_work_finished().await;
        let mails = std::iter::from_fn(|| app.outbox.take::<AccountDeletionMessage>());
        assert_eq!(mails.map(|mail| mail.kind).collect::<Vec<_>>(), [AccountDeletionKind::Cancelled]);
    }
}

/// A lock down at the moment of the schedule: the deletion is not pending afterwards, whichever of both is first.
async fn a_lock_down_and_a_schedule_at_once(place: &Place) {
    let (app, _) = at(place).await;
    for round in 0..place.rounds(200) {
        let (email, tokens) = user_of_round(&app, round).await;
        let id = place.user(&email).await.id;
        let auth = app.auth.clone();
        let lock_down: Task<u16> = Box::pin(async move {
            auth.admin().lock_down(&id).await.unwrap();
            None
        });
        let deleting = delete(&app, &tokens.access).into_future();
        let deleting = Box::pin(async move { Some(deleting.await.status) });
        let statuses = at_once([lock_down, deleting]).await;
        let status = statuses.into_iter().flatten().next().unwrap();
        assert!([202, 401].contains(&status), "{status}");
        assert!(app.auth.admin().deletion_of(&id).await.unwrap().is_none(), "round {round}: {status}");
    }
}
