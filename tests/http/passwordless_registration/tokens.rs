//! How long a registration token is valid, and what ends it.

use super::{prove, register, registration_token, with_name};
use crate::email_login::{begin, flow_of, verify, with_code};
use crate::support::places::Place;
use crate::support::routers::{self, on_both_routers};
use crate::support::{App, EMAIL, at_once};
use axum_auth_module::delivery::EmailLoginMessage;
use axum_auth_module::endpoint::RouterKind;
use serde_json::json;

on_both_routers![
    a_token_is_used_once,
    a_token_expires_to_the_second,
    a_token_that_is_no_registration_token_is_refused,
    a_token_opens_on_another_instance_and_after_a_restart,
    the_session_is_remembered_if_the_request_for_the_mail_said_so,
];

on_both_routers![threads: of_thirty_uses_of_a_token_at_once_one_creates_an_account];

async fn a_token_is_used_once() {
    let app = App::with_everything().await;
    let token = registration_token(&app, EMAIL).await;
    with_name(&app, &token).await.expect(201);
    // Not `email_taken`, although the address is taken by now.
    with_name(&app, &token).await.refused(422, "invalid_flow_token");
}

async fn of_thirty_uses_of_a_token_at_once_one_creates_an_account() {
    let config =
        |config: axum_auth_module::config::AuthConfigBuilder| config.limits(super::refusals::no_limits());
    let app = App::with_everything_and(config, |module| module).await;
    let token = registration_token(&app, EMAIL).await;
    let calls = (0..30).map(|_| with_name(&app, &token).into_future());
    let answers = at_once(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.code() == "invalid_flow_token"));
    assert_eq!(app.users.all().len(), 1);
}

async fn a_token_expires_to_the_second() {
    let app = App::with_everything().await;
    let [early, late] = [
        registration_token(&app, "early@example.com").await,
        registration_token(&app, "late@example.com").await,
    ];
    app.advance(1799);
    with_name(&app, &early).await.expect(201);
    app.advance(1);
    with_name(&app, &late).await.refused(422, "invalid_flow_token");
}

async fn a_token_that_is_no_registration_token_is_refused() {
    let app = App::with_everything().await;
    let registration = registration_token(&app, EMAIL).await;
    let begun = begin(&app, "bob@example.com").await;
    let tokens = app.register("eve@example.com").await;
    for other in [&begun.flow, &tokens.access, "x", &format!("{registration}A")] {
        with_name(&app, other).await.refused(422, "invalid_flow_token");
    }
    // It is no proof of a mailbox either.
    with_code(&app, &registration, begun.code()).await.refused(422, "invalid_flow_token");
    let errors = register(&app, &json!({ "name": "Ada" })).await.field_errors();
    assert_eq!(errors, ["registrationToken: required"]);
    assert_eq!(
        register(&app, &json!({ "registrationToken": 7, "name": 7 })).await.field_errors(),
        ["registrationToken: wrong_type"]
    );
    with_name(&app, &registration).await.expect(201);
}

async fn a_token_opens_on_another_instance_and_after_a_restart() {
    let place = Place::memory();
    let first = place.start().await;
    let token = registration_token(&first, EMAIL).await;
    let second = place.start().await;
    with_name(&second, &token).await.expect(201);
    with_name(&place.start().await, &token).await.refused(422, "invalid_flow_token");
    with_name(&first, &token).await.refused(422, "invalid_flow_token");
}

async fn the_session_is_remembered_if_the_request_for_the_mail_said_so() {
    for remember in [false, true] {
        let app = App::with_everything().await;
        let body = match routers::current() {
            RouterKind::Browser => json!({ "email": EMAIL, "remember": remember }),
            _ => json!({ "email": EMAIL }),
        };
        let flow = flow_of(&app.post("/auth/login/email").json(&body).await.expect(200));
        let code = app.outbox.next::<EmailLoginMessage>().await.code;
        let proven = verify(&app, &json!({ "flowToken": flow, "code": code })).await.expect(200);
        let token = proven.body["registrationToken"].as_str().unwrap();
        let answer = with_name(&app, token).await.expect(201);
        let is_kept = answer.set_cookies().iter().any(|cookie| cookie.max_age().is_some_and(|age| age > 0));
        assert_eq!(is_kept, remember && routers::is_browser());
        prove(&app, EMAIL).await.expect(200);
    }
}
