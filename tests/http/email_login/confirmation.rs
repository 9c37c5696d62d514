//! `POST /user/confirm-email`: confirmation in a session with a code by mail.

use super::{begin, flow_of, host, sign_in, verify, with_code, with_user};
use crate::reset_passwords::reset_password::NEW;
use crate::support::answer::Answer;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, Tokens};
use axum_auth_module::delivery::{EmailLoginMessage, EmailLoginPurpose};
use serde_json::json;

on_both_routers![
    a_code_confirms_in_its_session,
    the_mail_has_a_code_and_no_link,
    an_address_that_is_not_verified_confirms_nothing,
    a_code_of_another_session_confirms_nothing,
    what_ends_a_confirmation_that_has_begun,
    a_sign_in_and_a_confirmation_are_not_each_other,
    a_wrong_code_is_counted,
    the_mailbox_is_among_what_a_user_can_prove,
];

const REQUEST: &str = "/auth/user/confirm-email";

async fn begin_confirmation(app: &App, tokens: &Tokens) -> (String, EmailLoginMessage) {
    let answer = app.post(REQUEST).bearer(&tokens.access).await.expect(200);
    assert_eq!(answer.members(), ["expiresIn", "flowToken", "message"]);
    (flow_of(&answer), app.outbox.next().await)
}

async fn confirm(app: &App, tokens: &Tokens, flow: &str, code: &str) -> Answer {
    let body = json!({ "flowToken": flow, "code": code });
    app.post("/auth/user/confirm-email/verify").bearer(&tokens.access).json(&body).await
}

async fn is_confirmed(app: &App, tokens: &Tokens) -> bool {
    app.get("/confirmed").bearer(&tokens.access).await.status == 200
}

async fn a_code_confirms_in_its_session() {
    let (app, tokens) = with_user().await;
    let other = app.login(EMAIL).await;
    let (flow, mail) = begin_confirmation(&app, &tokens).await;
    let answer = confirm(&app, &tokens, &flow, mail.code.as_deref().unwrap()).await.expect(200);
    assert_eq!(answer.body, json!({ "confirmed": true }));
    assert!(is_confirmed(&app, &tokens).await && !is_confirmed(&app, &other).await);
    assert!(app.users.by_email(EMAIL).unwrap().password_confirmed_at.is_some());
    confirm(&app, &tokens, &flow, mail.code.as_deref().unwrap()).await.refused(422, "invalid_flow_token");
    app.advance(900);
    assert!(!is_confirmed(&app, &tokens).await);
}

async fn the_mail_has_a_code_and_no_link() {
    let (app, tokens) = with_user().await;
    let (_, mail) = begin_confirmation(&app, &tokens).await;
    assert_eq!((mail.email.as_str(), mail.purpose), (EMAIL, EmailLoginPurpose::Confirmation));
    assert!(mail.code.is_some() && mail.token.is_none() && mail.email_verified);
}

async fn an_address_that_is_not_verified_confirms_nothing() {
    let app = host().await;
    let tokens = app.register(EMAIL).await;
    app.post(REQUEST).bearer(&tokens.access).await.refused(403, "email_not_verified");
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<EmailLoginMessage>().is_none());
}

async fn a_code_of_another_session_confirms_nothing() {
    let (app, tokens) = with_user().await;
    let other = app.login(EMAIL).await;
    let (flow, mail) = begin_confirmation(&app, &tokens).await;
    let code = mail.code.as_deref().unwrap();
    confirm(&app, &other, &flow, code).await.refused(422, "invalid_flow_token");
    confirm(&app, &tokens, &flow, code).await.expect(200);
    assert!(!is_confirmed(&app, &other).await);
}

async fn what_ends_a_confirmation_that_has_begun() {
    let (app, mut tokens) = with_user().await;
    for end in ["password", "address", "time"] {
        let (flow, mail) = begin_confirmation(&app, &tokens).await;
        match end {
            "password" => {
                let body =
                    json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
                let answer = app.put("/auth/user/password").bearer(&tokens.access).json(&body).await;
                tokens = answer.expect(200).tokens();
            }
            "address" => {
                for email in ["away@example.com", EMAIL] {
                    let body = json!({ "name": "Ada", "email": email });
                    let path = "/auth/user/profile-information";
                    app.put(path).bearer(&tokens.access).json(&body).await.expect(200);
                }
            }
            _ => app.advance(600),
        }
        let code = mail.code.as_deref().unwrap();
        confirm(&app, &tokens, &flow, code).await.refused(422, "invalid_flow_token");
        app.verify_address(EMAIL);
    }
}

async fn a_sign_in_and_a_confirmation_are_not_each_other() {
    let (app, tokens) = with_user().await;
    let (flow, mail) = begin_confirmation(&app, &tokens).await;
    let begun = begin(&app, EMAIL).await;
    with_code(&app, &flow, mail.code.as_deref().unwrap()).await.refused(422, "invalid_flow_token");
    confirm(&app, &tokens, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
    verify(&app, &json!({ "flowToken": begun.flow, "token": begun.mail.token })).await.expect(200);
}

async fn a_wrong_code_is_counted() {
    let (app, tokens) = with_user().await;
    let (flow, mail) = begin_confirmation(&app, &tokens).await;
    for _ in 0..5 {
        confirm(&app, &tokens, &flow, "00000000 0").await.refused(422, "invalid_login_code");
    }
    confirm(&app, &tokens, &flow, mail.code.as_deref().unwrap()).await.refused(422, "invalid_flow_token");
    let body = json!({ "flowToken": flow, "code": 1 });
    let answer = app.post("/auth/user/confirm-email/verify").bearer(&tokens.access).json(&body).await;
    assert_eq!(answer.field_errors(), ["code: wrong_type"]);
}

async fn the_mailbox_is_among_what_a_user_can_prove() {
    let app = host().await;
    let tokens = app.register(EMAIL).await;
    let methods = async |tokens: &Tokens| {
        let path = "/auth/user/confirmed-password-status";
        app.get(path).bearer(&tokens.access).await.expect(200).body["methods"].clone()
    };
    assert_eq!(methods(&tokens).await, json!(["password"]));
    app.verify_address(EMAIL);
    assert_eq!(methods(&tokens).await, json!(["password", "email"]));
    app.users.update(EMAIL, |user| user.password.clear());
    let tokens = sign_in(&app, EMAIL).await.tokens();
    assert_eq!(methods(&tokens).await, json!(["email"]));
    app.advance(900);
    let tokens = app.renew(&tokens).await;
    let body = json!({ "password": NEW, "passwordConfirmation": NEW });
    let set = || app.put("/auth/user/password").bearer(&tokens.access).json(&body);
    let refused = set().await.refused(403, "password_confirmation_required");
    assert_eq!(refused.body["confirmWith"], json!(["email"]));
    let (flow, mail) = begin_confirmation(&app, &tokens).await;
    confirm(&app, &tokens, &flow, mail.code.as_deref().unwrap()).await.expect(200);
    set().await.expect(200);
}
