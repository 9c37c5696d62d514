//! `POST /login/email/verify`: the code and the link.

use super::{Begun, begin, host, no_mail_limits, request, sign_in, verify, with_code, with_user};
use crate::support::authenticator::Enrolled;
use crate::support::places::Place;
use crate::support::routers::{self, on_both_routers};
use crate::support::{EMAIL, at_once};
use axum_auth_module::delivery::EmailLoginMessage;
use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::testing::ProviderMethod::{SessionsCreate, UsersFindByField, UsersSave};
use axum_auth_module::testing::{Fault, Faults};
use serde_json::json;

on_both_routers![
    a_code_starts_a_session_that_is_confirmed,
    a_link_starts_a_session_only_with_the_flow_of_its_browser,
    a_code_may_be_typed_in_groups,
    a_wrong_proof_is_counted_and_the_sixth_is_refused,
    a_flow_is_used_once,
    an_error_of_the_server_leaves_the_flow,
    a_flow_expires_to_the_second,
    a_code_of_another_flow_is_wrong,
    a_changed_flow_token_opens_nothing,
    tokens_of_other_kinds_are_no_flow_tokens,
    fields_are_checked,
    a_second_factor_is_asked_for_and_the_challenge_keeps_what_was_proven,
    a_get_of_what_the_mail_leads_to_changes_nothing,
];

on_both_routers![threads: of_thirty_uses_of_a_flow_at_once_one_starts_a_session];

async fn a_code_starts_a_session_that_is_confirmed() {
    let (app, _) = with_user().await;
    let answer = sign_in(&app, EMAIL).await;
    assert_eq!(answer.members_beside_the_session(), ["twoFactor"]);
    assert_eq!(answer.body["twoFactor"], false);
    let tokens = answer.tokens();
    assert_eq!(app.get("/confirmed").bearer(&tokens.access).await.expect(200).text, EMAIL);
    app.get("/assured/aal1/300").bearer(&tokens.access).await.expect(200);
    app.get("/assured/aal2").bearer(&tokens.access).await.refused(401, "insufficient_user_authentication");
    let sessions = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    assert_eq!(sessions.body["sessions"][0]["authenticatedBy"], json!(["email"]));
    app.advance(900);
    let tokens = app.renew(&tokens).await;
    app.get("/confirmed").bearer(&tokens.access).await.refused(403, "password_confirmation_required");
}

async fn a_link_starts_a_session_only_with_the_flow_of_its_browser() {
    let (app, _) = with_user().await;
    let begun = begin(&app, EMAIL).await;
    let token = begun.mail.token.as_deref().unwrap();
    let of_another = begin(&app, EMAIL).await.flow;
    let with = |flow: &str| verify(&app, &json!({ "flowToken": flow, "token": token }));
    with(&of_another).await.refused(422, "invalid_login_code");
    verify(&app, &json!({ "token": token })).await.refused(422, "validation_failed");
    with(&begun.flow).await.expect(200);
}

async fn a_code_may_be_typed_in_groups() {
    let (app, _) = with_user().await;
    let begun = begin(&app, EMAIL).await;
    let (first, second) = begun.code().split_at(4);
    let wide: String =
        begun.code().chars().map(|digit| char::from_u32(digit as u32 + 0xfee0).unwrap()).collect();
    with_code(&app, &begun.flow, &wide).await.refused(422, "invalid_login_code");
    with_code(&app, &begun.flow, &"1".repeat(50_000)).await.refused(422, "invalid_login_code");
    with_code(&app, &begun.flow, &"1".repeat(1 << 20)).await.refused(413, "payload_too_large");
    with_code(&app, &begun.flow, &format!(" {first}\u{2013}{second}\u{a0}")).await.expect(200);
}

async fn a_wrong_proof_is_counted_and_the_sixth_is_refused() {
    let (app, _) = with_user().await;
    let begun = begin(&app, EMAIL).await;
    app.event_names::<2>().await;
    for _ in 0..5 {
        with_code(&app, &begun.flow, &begun.wrong_code()).await.refused(422, "invalid_login_code");
        let event = app.event().await;
        assert_eq!((event.name(), event.user_id.as_deref()), ("auth.login-failed", Some("1")));
    }
    for code in [begun.code(), &begun.wrong_code()] {
        with_code(&app, &begun.flow, code).await.refused(422, "invalid_flow_token");
    }
    sign_in(&app, EMAIL).await;
}

async fn a_flow_is_used_once() {
    let (app, _) = with_user().await;
    let begun = begin(&app, EMAIL).await;
    with_code(&app, &begun.flow, begun.code()).await.expect(200);
    for proof in ["code", "token"] {
        let value = if proof == "code" { &begun.mail.code } else { &begun.mail.token };
        verify(&app, &json!({ "flowToken": begun.flow, proof: value }))
            .await
            .refused(422, "invalid_flow_token");
    }
}

async fn of_thirty_uses_of_a_flow_at_once_one_starts_a_session() {
    let (app, _) = with_user().await;
    let begun = begin(&app, EMAIL).await;
    let calls = (0..30).map(|_| with_code(&app, &begun.flow, begun.code()).into_future());
    let answers = at_once(calls).await;
    let started = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(started, 1);
    assert!(answers.iter().all(|answer| answer.status == 200 || answer.code() == "invalid_flow_token"));
}

/// The user has got no session, and need not ask for another mail.
async fn an_error_of_the_server_leaves_the_flow() {
    let faults = Faults::new();
    let app = Place::memory().start_faulty(&faults, |config| config.limits(no_mail_limits())).await;
    for email in [EMAIL, "unverified@example.com"] {
        app.register(email).await;
    }
    app.verify_address(EMAIL);
    let verified = [(UsersFindByField, 500), (SessionsCreate, 503)];
    // The first write of the owner's arrival.
    let unverified = [(UsersSave, 500)];
    for (email, failures) in [(EMAIL, &verified[..]), ("unverified@example.com", &unverified)] {
        let begun = begin(&app, email).await;
        for (method, status) in failures {
            faults.next(*method, Fault::Fails);
            with_code(&app, &begun.flow, begun.code()).await.expect(*status);
            assert!(faults.have_happened(), "{method}");
        }
        with_code(&app, &begun.flow, begun.code()).await.expect(200);
        with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
    }
}

async fn a_flow_expires_to_the_second() {
    let (app, _) = with_user().await;
    let [late, early] = [begin(&app, EMAIL).await, begin(&app, EMAIL).await];
    app.advance(599);
    with_code(&app, &early.flow, early.code()).await.expect(200);
    app.advance(1);
    with_code(&app, &late.flow, late.code()).await.refused(422, "invalid_flow_token");
}

async fn a_code_of_another_flow_is_wrong() {
    let (app, _) = with_user().await;
    super::verified(&app, "eve@example.com").await;
    let [own, of_eve] = [begin(&app, EMAIL).await, begin(&app, "eve@example.com").await];
    with_code(&app, &own.flow, of_eve.code()).await.refused(422, "invalid_login_code");
    with_code(&app, &of_eve.flow, own.code()).await.refused(422, "invalid_login_code");
    let tokens = with_code(&app, &of_eve.flow, of_eve.code()).await.expect(200).tokens();
    assert_eq!(app.me(&tokens.access).await.text, "eve@example.com");
}

async fn a_changed_flow_token_opens_nothing() {
    let (app, _) = with_user().await;
    let Begun { flow, mail } = begin(&app, EMAIL).await;
    let code = mail.code.as_deref().unwrap();
    for at in (0..flow.len()).step_by(flow.len() / 40) {
        let mut changed = flow.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        with_code(&app, &changed, code).await.refused(422, "invalid_flow_token");
    }
    for other in [&flow[..flow.len() - 1], &format!("{flow}="), &format!("{flow}{}", "A".repeat(4097))] {
        with_code(&app, other, code).await.refused(422, "invalid_flow_token");
    }
    // None of these has counted.
    with_code(&app, &flow, code).await.expect(200);
}

async fn tokens_of_other_kinds_are_no_flow_tokens() {
    let app = host().await;
    let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    let challenge = app.challenge_token(EMAIL).await;
    let begun = begin(&app, EMAIL).await;
    for other in [&tokens.access, &challenge, "fl1."] {
        with_code(&app, other, begun.code()).await.refused(422, "invalid_flow_token");
    }
    app.challenge(&begun.flow, "123456").await.refused(401, "invalid_challenge_token");
    app.me(&begun.flow).await.refused(401, "unauthenticated");
}

async fn fields_are_checked() {
    let (app, _) = with_user().await;
    let Begun { flow, mail } = begin(&app, EMAIL).await;
    let (code, token) = (mail.code.unwrap(), mail.token.unwrap());
    for (body, errors) in [
        (json!({}), vec!["flowToken: required", "code: required"]),
        (json!({ "flowToken": flow }), vec!["code: required"]),
        (json!({ "flowToken": flow, "code": " - " }), vec!["code: required"]),
        (json!({ "flowToken": flow, "code": 12_345_678 }), vec!["code: wrong_type"]),
        (json!({ "flowToken": flow, "code": code, "token": token }), vec!["token: conflict"]),
        (json!({ "flowToken": "", "code": code }), vec!["flowToken: required"]),
    ] {
        assert_eq!(verify(&app, &body).await.field_errors(), errors, "{body}");
    }
    verify(&app, &json!({ "flowToken": flow, "code": code, "token": null })).await.expect(200);
}

async fn a_second_factor_is_asked_for_and_the_challenge_keeps_what_was_proven() {
    let app = host().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    let answer = sign_in(&app, EMAIL).await;
    assert_eq!(answer.members_beside_the_challenge(), ["methods", "twoFactor"]);
    assert_eq!(answer.body["methods"], json!(["totp", "recovery_code"]));
    let challenge = answer.challenge().unwrap();
    let code = authenticator.code(&app);
    let tokens = app.challenge(&challenge, &code).await.expect(200).tokens();
    let sessions = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    let by = |number: usize| sessions.body["sessions"][number]["authenticatedBy"].clone();
    assert_eq!(by(0), json!(["email", "otp", "mfa"]));
    app.get("/assured/aal2/300").bearer(&tokens.access).await.expect(200);
    app.get("/confirmed").bearer(&tokens.access).await.expect(200);
}

async fn a_get_of_what_the_mail_leads_to_changes_nothing() {
    let (app, _) = with_user().await;
    let begun = begin(&app, EMAIL).await;
    for path in ["/auth/login/email", "/auth/login/email/verify"] {
        for method in [reqwest::Method::GET, reqwest::Method::HEAD] {
            let answer = app.request(method, path).await;
            assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));
        }
    }
    with_code(&app, &begun.flow, begun.code()).await.expect(200);
}

/// `remember` of the newest request counts.
#[tokio::test]
async fn a_browser_that_is_remembered_keeps_the_cookie() {
    routers::on(RouterKind::Browser, async {
        let (app, _) = with_user().await;
        for remember in [true, false] {
            let first = json!({ "email": EMAIL, "remember": !remember });
            let flow = request(&app, &first).await.expect(200).body["flowToken"].clone();
            let second = json!({ "email": EMAIL, "remember": remember, "flowToken": flow });
            let flow = request(&app, &second).await.expect(200).body["flowToken"].clone();
            let code =
                [app.outbox.next::<EmailLoginMessage>().await, app.outbox.next().await][1].code.clone();
            let answer = verify(&app, &json!({ "flowToken": flow, "code": code })).await.expect(200);
            let keeps = answer.set_cookies().iter().any(|cookie| cookie.max_age().is_some_and(|age| age > 0));
            assert_eq!(keeps, remember);
        }
    })
    .await;
}
