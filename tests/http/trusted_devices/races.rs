//! What happens to trusted devices at the same time.

use super::{Trusted, id, is_trusted, list, login_on, trusted, trusting};
use crate::change_emails::unlimited;
use crate::support::answer::Answer;
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Call, EMAIL, PASSWORD, Tokens, at_once};
use axum_auth_module::AuthUser;
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use serde_json::json;
use std::time::Duration;
use tokio::task::{JoinHandle, yield_now};

const NEW: &str = "another long password";

in_every_place![
    thirty_challenges_at_once_make_one_device_for_one_token,
    a_device_that_is_forgotten_during_its_uses_stays_forgotten,
];

on_both_routers![
    a_sign_in_that_the_end_of_its_device_overtakes_starts_no_session,
    a_device_that_a_changed_password_overtakes_is_not_trusted,
    a_device_that_a_lock_down_overtakes_is_not_trusted,
    a_device_that_the_end_of_all_sessions_overtakes_is_not_trusted,
    a_device_that_another_second_factor_overtakes_is_not_trusted,
    a_sign_in_whose_device_cannot_be_read_is_no_sign_in,
];

async fn thirty_challenges_at_once_make_one_device_for_one_token(place: &Place) {
    let apps = [place.start_with(unlimited).await, place.start_with(unlimited).await];
    let enrolled = apps[0].enrolled(EMAIL).await;
    let token = apps[0].challenge_token(EMAIL).await;
    let code = enrolled.authenticator.code(&apps[0]);
    let calls = (0..30).map(|number| trusting(&apps[number % 2], &token, &code).into_future());
    let answers = at_once(calls).await;
    let trusted: Vec<_> = answers.iter().filter_map(Answer::device).collect();
    assert_eq!(trusted.len(), 1, "{:?}", Vec::from_iter(answers.iter().map(|answer| answer.status)));
    assert_eq!(list(&apps[1], &enrolled.tokens).await.len(), 1);
    assert!(is_trusted(&apps[1], &trusted[0], EMAIL).await);
}

async fn a_device_that_is_forgotten_during_its_uses_stays_forgotten(place: &Place) {
    let app = place.start_with(unlimited).await;
    let Trusted { enrolled, mut device, mut tokens } = trusted(&app, EMAIL).await;
    for _ in 0..place.rounds(40) {
        app.confirm_password(&tokens.access).await;
        let devices = list(&app, &tokens).await;
        assert_eq!(devices.len(), 1);
        let forgotten = super::forget(&app, &tokens, id(&devices[0]));
        let answers = at_once([login_on(&app, &device, EMAIL).into_future(), forgotten.into_future()]).await;
        assert_eq!(answers[1].status, 200, "{}", answers[1].text);
        // The sign-in came before, or the second factor was asked for, or it was overtaken.
        assert!([200, 401].contains(&answers[0].status), "{}", answers[0].text);
        app.auth.background_work_finished().await;
        assert!(!is_trusted(&app, &device, EMAIL).await && list(&app, &tokens).await.is_empty());
        // In the time of a code for each round, the tokens of the first login would expire.
        (tokens, device) = super::trust(&app, EMAIL, &enrolled.authenticator).await;
    }
}

async fn faulty(faults: &Faults) -> App {
    Place::memory().start_faulty(faults, unlimited).await
}

/// The request, which has stopped at the planned fault.
async fn stopped(faults: &Faults, call: Call) -> JoinHandle<Answer> {
    let request = tokio::spawn(call.into_future());
    let waiting = async {
        while !faults.have_happened() {
            yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
    request
}

fn account_id(app: &App) -> <Account as AuthUser>::Id {
    app.users.by_email(EMAIL).unwrap().id
}

/// How many sessions and devices are stored.
async fn stored(app: &App) -> (usize, usize) {
    let stored = app.auth.admin().export(&account_id(app)).await.unwrap();
    let number = |what: &str| stored[what].as_array().unwrap().len();
    (number("sessions"), number("trustedDevices"))
}

/// The device was found when the sign-in looked for it, and has ended since.
async fn a_sign_in_that_the_end_of_its_device_overtakes_starts_no_session() {
    let faults = Faults::new();
    let app = faulty(&faults).await;
    let Trusted { device, tokens, .. } = trusted(&app, EMAIL).await;
    app.confirm_password(&tokens.access).await;
    let before = stored(&app).await;
    faults.next(ProviderMethod::SessionsCreate, Fault::Waits);
    let request = stopped(&faults, login_on(&app, &device, EMAIL)).await;
    app.delete(super::PATH).bearer(&tokens.access).await.expect(200);
    faults.heal();
    request.await.unwrap().refused(401, "invalid_credentials");
    assert_eq!(stored(&app).await, (before.0, 0));
}

/// A challenge that makes a device trusted stops before the row of the device is written. The row of the session is there.
async fn overtaken(by: impl AsyncFnOnce(&App, &Tokens)) {
    let faults = Faults::new();
    let app = faulty(&faults).await;
    let enrolled = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    let token = app.challenge_token(EMAIL).await;
    let code = enrolled.authenticator.code(&app);
    faults.nth(ProviderMethod::SessionsCreate, 2, Fault::Waits);
    let request = stopped(&faults, trusting(&app, &token, &code)).await;
    by(&app, &enrolled.tokens).await;
    faults.heal();
    let answer = request.await.unwrap().refused(401, "invalid_challenge_token");
    assert_eq!(answer.device(), None);
    assert_eq!(stored(&app).await.1, 0, "no device is left");
}

async fn a_device_that_a_changed_password_overtakes_is_not_trusted() {
    overtaken(async |app, tokens| {
        let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
        app.put("/auth/user/password").bearer(&tokens.access).json(&body).await.expect(200);
    })
    .await;
}

async fn a_device_that_a_lock_down_overtakes_is_not_trusted() {
    overtaken(async |app, _| app.auth.admin().lock_down(&account_id(app)).await.unwrap()).await;
}

/// The credentials stay the same, so only the end of the ceremony tells.
async fn a_device_that_the_end_of_all_sessions_overtakes_is_not_trusted() {
    overtaken(async |app, _| {
        app.auth.admin().end_all_sessions(&account_id(app)).await.unwrap();
    })
    .await;
}

async fn a_device_that_another_second_factor_overtakes_is_not_trusted() {
    overtaken(async |app, tokens| {
        app.confirm_password(&tokens.access).await;
        app.disable(&tokens.access).await.expect(200);
    })
    .await;
}

async fn a_sign_in_whose_device_cannot_be_read_is_no_sign_in() {
    let faults = Faults::new();
    let app = faulty(&faults).await;
    let Trusted { device, .. } = trusted(&app, EMAIL).await;
    faults.next(ProviderMethod::SessionsFind, Fault::IsUnavailable);
    login_on(&app, &device, EMAIL).await.refused(503, "unavailable");
    assert!(is_trusted(&app, &device, EMAIL).await);
}
