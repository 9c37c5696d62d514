//! What is a right code, and that each counts once (RFC 6238 §5.2, specification §13.5).

use crate::support::authenticator::{Enrolled, no_code_limits};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, at_once, sealed};
use axum_auth_module::clock::Clock;
use axum_auth_module::config::{AuthConfigBuilder, TwoFactorOptions};
use std::time::{Duration, UNIX_EPOCH};

on_both_routers![
    a_code_counts_once,
    the_code_that_confirmed_does_not_log_in,
    no_code_counts_after_a_newer_one,
    a_code_counts_within_the_window_that_is_configured_and_not_beyond,
    a_step_ends_to_the_second,
    a_code_that_was_used_early_is_remembered_to_the_end_of_its_window,
    a_code_is_six_ascii_digits,
    two_users_who_share_a_secret_do_not_disturb_each_other,
];

on_both_routers![
    threads:
    of_thirty_right_codes_at_once_with_one_challenge_one_begins_a_session,
    of_thirty_right_codes_at_once_with_thirty_challenges_one_begins_a_session,
];

/// A host that accepts codes so many steps early or late, and any number of wrong ones.
async fn with_window(window: u16) -> App {
    let mut options = TwoFactorOptions::default();
    options.window = window;
    let configure = |config: AuthConfigBuilder| config.two_factor(options).limits(no_code_limits());
    App::with_everything_and(configure, |module| module).await
}

/// Whether a code answers a challenge.
async fn counts(app: &App, code: &str) -> bool {
    let token = app.challenge_token(EMAIL).await;
    let answer = app.challenge(&token, code).await;
    if answer.status != 200 {
        assert_eq!((answer.status, answer.code()), (422, "invalid_two_factor_code"), "{}", answer.text);
    }
    answer.status == 200
}

async fn a_code_counts_once() {
    let app = with_window(1).await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let code = authenticator.code(&app);
    assert!(counts(&app, &code).await);
    assert!(!counts(&app, &code).await);
    app.next_step();
    assert!(!counts(&app, &code).await, "it is within the window still");
    assert!(counts(&app, &authenticator.code(&app)).await);
}

async fn the_code_that_confirmed_does_not_log_in() {
    let app = with_window(1).await;
    let token = app.confirmed_session(EMAIL).await.access;
    app.enable(&token).await.expect(200);
    let authenticator = app.authenticator(&token).await;
    let code = authenticator.code(&app);
    app.confirm_two_factor(&token, &code).await.expect(200);
    assert!(!counts(&app, &code).await);
    app.next_step();
    assert!(!counts(&app, &code).await);
    assert!(counts(&app, &authenticator.code(&app)).await);
}

async fn no_code_counts_after_a_newer_one() {
    let app = with_window(1).await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    app.next_step();
    let (older, now, newer) =
        (authenticator.code_in(&app, -1), authenticator.code(&app), authenticator.code_in(&app, 1));
    assert!(counts(&app, &now).await);
    assert!(!counts(&app, &older).await);
    assert!(counts(&app, &newer).await, "an app may be ahead");
    assert!(!counts(&app, &now).await);
}

async fn of_thirty_right_codes_at_once_with_one_challenge_one_begins_a_session() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let (token, code) = (app.challenge_token(EMAIL).await, authenticator.code(&app));
    let answers = at_once((0..30).map(|_| app.challenge(&token, &code).into_future())).await;
    let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 401, 422, 429].contains(status)), "{statuses:?}");
}

async fn of_thirty_right_codes_at_once_with_thirty_challenges_one_begins_a_session() {
    let app = with_window(1).await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let code = authenticator.code(&app);
    let mut calls = Vec::new();
    for _ in 0..30 {
        calls.push(app.challenge(&app.challenge_token(EMAIL).await, &code).into_future());
    }
    let statuses: Vec<_> = at_once(calls).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 422).count(), 29, "{statuses:?}");
}

async fn a_code_counts_within_the_window_that_is_configured_and_not_beyond() {
    for window in [0, 1, 10] {
        let edge = i64::from(window);
        for (steps, right) in [(-edge - 1, false), (-edge, true), (0, true), (edge, true), (edge + 1, false)]
        {
            let app = with_window(window).await;
            let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
            // Away from the code that confirmed.
            app.advance(30 * 12);
            let code = authenticator.code_in(&app, steps);
            assert_eq!(counts(&app, &code).await, right, "{steps} with a window of {window}");
        }
    }
}

async fn a_step_ends_to_the_second() {
    let app = with_window(0).await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let begins = app.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 30 * 30 + 30;
    app.clock.set(UNIX_EPOCH + Duration::from_secs(begins));
    let (code, next) = (authenticator.code(&app), authenticator.code_in(&app, 1));
    app.clock.set(UNIX_EPOCH + Duration::from_secs(begins) + Duration::from_millis(29_999));
    assert!(!counts(&app, &next).await);
    assert!(counts(&app, &code).await);
    app.clock.set(UNIX_EPOCH + Duration::from_secs(begins + 30));
    assert!(!counts(&app, &code).await);
    assert!(counts(&app, &next).await);
}

/// The earliest that a code can be used and the last moment of its window are twenty steps apart.
async fn a_code_that_was_used_early_is_remembered_to_the_end_of_its_window() {
    let app = with_window(10).await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let early = authenticator.code_in(&app, 10);
    assert!(counts(&app, &early).await);
    for _ in 0..20 {
        app.next_step();
        assert!(!counts(&app, &early).await);
    }
}

async fn a_code_is_six_ascii_digits() {
    let app = with_window(1).await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let code = authenticator.code(&app);
    let (first, last) = code.split_at(3);
    let wide: String =
        code.chars().map(|digit| char::from_u32(digit as u32 - 0x30 + 0xff10).unwrap()).collect();
    let arabic: String =
        code.chars().map(|digit| char::from_u32(digit as u32 - 0x30 + 0x660).unwrap()).collect();
    for shape in [
        format!(" {code}"),
        format!("{code} "),
        format!("{code}\n"),
        format!("{code}\0"),
        format!("{first} {last}"),
        format!("{first}-{last}"),
        format!("+{code}"),
        format!("0{code}"),
        format!("{code}0"),
        format!("{code}{code}"),
        first.to_owned(),
        code[1..].to_owned(),
        format!("{:x}", code.parse::<u32>().unwrap()),
        wide,
        arabic,
        authenticator.wrong_code(&app),
        "-12345".to_owned(),
        "1e5".to_owned(),
        "9".repeat(10_000),
    ] {
        assert!(!counts(&app, &shape).await, "{shape}");
    }
    assert!(counts(&app, &code).await);
}

/// As where two accounts were set up from one backup.
async fn two_users_who_share_a_secret_do_not_disturb_each_other() {
    let app = with_window(1).await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    app.enrolled("eve@example.com").await;
    let secret = app.users.by_email(EMAIL).unwrap().two_factor_secret.unwrap();
    let shared = sealed::open(&secret, "1", "twoFactorSecret");
    app.users.update("eve@example.com", |eve| {
        let copy = sealed::seal(&shared, sealed::key_id(&secret), "2", "twoFactorSecret");
        eve.two_factor_secret = Some(copy);
    });
    let code = authenticator.code(&app);
    for email in [EMAIL, "eve@example.com"] {
        let token = app.challenge_token(email).await;
        let tokens = app.challenge(&token, &code).await.expect(200).tokens();
        assert_eq!(app.me(&tokens.access).await.text, email);
    }
    for email in [EMAIL, "eve@example.com"] {
        let token = app.challenge_token(email).await;
        app.challenge(&token, &code).await.refused(422, "invalid_two_factor_code");
    }
}
