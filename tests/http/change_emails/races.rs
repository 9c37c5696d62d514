//! What is done at once with a change of the address.

use super::{NEW, ask, asked, at, cancel, confirm, mail, moved, revert, verified};
use crate::reset_passwords::reset_password::{NEW as NEW_PASSWORD, reset, token as reset_token};
use crate::support::places::{Place, in_every_place};
use crate::support::{App, Call, EMAIL, at_once};
use axum_auth_module::delivery::{EmailChangeMessage, EmailChangePurpose};
use serde_json::json;

in_every_place![one_of_thirty_confirmations_changes_something, every_pair_at_once];

async fn one_of_thirty_confirmations_changes_something(place: &Place) {
    let (app, tokens) = at(place).await;
    let token = asked(&app, &tokens.access, NEW).await;
    let mut calls = Vec::new();
    for _ in 0..30 {
        calls.push(confirm(&app, &app.login(EMAIL).await.access, &token));
    }
    let answers = at_once(calls.into_iter().map(Call::into_future)).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 200) {
        let (status, code) = (answer.status, answer.code().to_owned());
        let is_refusal = [(422, "invalid_mail_token"), (401, "unauthenticated")].contains(&(status, &*code));
        assert!(is_refusal, "{status} {code}");
    }
    let told = mail(&app, EMAIL, EmailChangePurpose::Changed).await;
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<EmailChangeMessage>().is_none(), "one change, one mail");
    place.user(NEW).await;
    revert(&app, &told.token.unwrap()).await.expect(200);
    place.user(EMAIL).await;
}

/// Of every pair of requests at once: the address of the account is one to which a token was mailed, and it is verified.
async fn every_pair_at_once(place: &Place) {
    let (app, _) = at(place).await;
    let mut number = 0;
    for (position, first) in Act::ALL.into_iter().enumerate() {
        for second in Act::ALL.into_iter().skip(position) {
            for _ in 0..place.rounds_of_each(200) {
                number += 1;
                at_once_as(&app, place, (first, second), number).await;
            }
        }
    }
}

/// What can be done at once with another thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Confirm,
    Cancel,
    Request,
    Revert,
    Profile,
    Reset,
}

impl Act {
    const ALL: [Self; 6] =
        [Self::Confirm, Self::Cancel, Self::Request, Self::Revert, Self::Profile, Self::Reset];
}

async fn at_once_as(app: &App, place: &Place, (first, second): (Act, Act), number: usize) {
    let round = format!("{first:?} and {second:?}, round {number}");
    let [one, two, three] = ["one", "two", "three"].map(|name| format!("{name}-{number}@example.com"));
    let tokens = verified(app, &one).await;
    let other = app.login(&one).await;
    app.confirm_password(&other.access).await;
    // The account has moved from the first to the second address, which the owner of the first can undo.
    let (tokens, told) = moved(app, &tokens.access, &one, &two).await;
    let undo = told.token.unwrap();
    let pending = asked(app, &tokens.access, &three).await;
    let reset_token = reset_token(app, &app.outbox, &two).await;
    let call = |act: Act| -> Call {
        match act {
            Act::Confirm => confirm(app, &tokens.access, &pending),
            Act::Cancel => cancel(app, &tokens.access),
            Act::Request => ask(app, &tokens.access, &format!("four-{number}@example.com")),
            Act::Revert => revert(app, &undo),
            Act::Profile => {
                let body = json!({ "name": "Grace", "email": two });
                app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body)
            }
            Act::Reset => reset(app, &two, &reset_token, NEW_PASSWORD),
        }
    };
    let answers = at_once([call(first), call(second)].map(Call::into_future)).await;
    let succeeded = |act: Act| {
        let of = [first, second].into_iter().zip(&answers);
        of.filter(|(done, answer)| *done == act && answer.status == 200).count()
    };
    for answer in &answers {
        let is_expected = answer.status == 200 || matches!(answer.status, 401 | 409 | 422);
        assert!(is_expected, "{round}: {} {}", answer.status, answer.body);
    }
    let found = [place.find(&one).await, place.find(&two).await, place.find(&three).await];
    let had: Vec<_> = found.iter().map(Option::is_some).collect();
    assert_eq!(found.iter().flatten().count(), 1, "{round}: {had:?}");
    assert!(found.iter().flatten().all(|account| account.email_verified_at.is_some()), "{round}");
    if succeeded(Act::Revert) > 0 {
        assert_eq!(had, [true, false, false], "{round}: a revert stands, whatever comes at the same time");
    } else if succeeded(Act::Confirm) > 0 {
        assert_eq!(had, [false, false, true], "{round}");
    } else {
        assert_eq!(had, [false, true, false], "{round}");
    }
    assert!(succeeded(Act::Confirm) <= 1, "{round}: one token, one change");
    app.auth.background_work_finished().await;
    while app.outbox.take::<EmailChangeMessage>().is_some() {}
}
