//! Codes that work once, used by many at once.

use super::{address, host, race};
use crate::support::answer::Answer;
use crate::support::places::{Place, in_every_place};

in_every_place![
    a_one_time_code_is_used_once,
    a_challenge_token_is_used_once,
    a_recovery_code_is_used_once,
    a_reset_token_is_used_once,
];

fn successes(responses: &[Answer]) -> usize {
    for response in responses {
        assert!(response.status < 500, "{}", response.text);
    }
    responses.iter().filter(|response| response.status == 200).count()
}

/// With thirty challenges of the same user.
async fn a_one_time_code_is_used_once(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(16).max(2) {
        let email = address(round);
        let enrolled = app.enrolled(&email).await;
        let code = enrolled.authenticator.code(&app);
        let mut calls = Vec::new();
        for _ in 0..30 {
            calls.push(app.challenge(&app.challenge_token(&email).await, &code));
        }
        assert_eq!(successes(&race(calls).await), 1, "round {round}");
    }
}

/// With three codes that would each be accepted.
async fn a_challenge_token_is_used_once(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(16).max(2) {
        let email = address(round);
        let enrolled = app.enrolled(&email).await;
        app.next_step();
        let token = app.challenge_token(&email).await;
        let codes = [-1, 0, 1].map(|steps| enrolled.authenticator.code_in(&app, steps));
        let calls = codes.iter().cycle().take(30).map(|code| app.challenge(&token, code));
        assert_eq!(successes(&race(calls).await), 1, "round {round}");
    }
}

async fn a_recovery_code_is_used_once(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(16).max(2) {
        let email = address(round);
        let enrolled = app.enrolled(&email).await;
        let code = app.recovery_codes(&enrolled.tokens.access).await.remove(0);
        let mut calls = Vec::new();
        for _ in 0..30 {
            calls.push(app.challenge_by_recovery_code(&app.challenge_token(&email).await, &code));
        }
        assert_eq!(successes(&race(calls).await), 1, "round {round}");
    }
}

async fn a_reset_token_is_used_once(place: &Place) {
    let app = host(place).await;
    for round in 0..place.rounds(40) {
        let email = address(round);
        app.register(&email).await;
        let token = super::reset_token(&app, &email).await;
        let calls = (0..super::racers(round)).map(|_| super::reset(&app, &email, &token));
        assert_eq!(successes(&race(calls).await), 1, "round {round}");
    }
}
