//! The options `email_login.…`.

use super::{ask, flow_of, verified, verify, with_code};
use crate::support::{App, EMAIL};
use axum_auth_module::config::{EmailLoginOptions, EmailLoginProof};
use axum_auth_module::delivery::EmailLoginMessage;
use axum_auth_module::testing;
use serde_json::json;
use std::time::Duration;

async fn host(options: EmailLoginOptions) -> App {
    let app = App::with_everything_and(|config| config.email_login(options), |module| module).await;
    verified(&app, EMAIL).await;
    app
}

#[tokio::test]
async fn a_mail_has_what_the_option_says_and_nothing_else_opens_the_account() {
    for proof in [EmailLoginProof::Code, EmailLoginProof::Link, EmailLoginProof::Both] {
        let mut options = EmailLoginOptions::default();
        options.proof = proof;
        let app = host(options).await;
        let flow = flow_of(&ask(&app, EMAIL).await.expect(200));
        let mail: EmailLoginMessage = app.outbox.next().await;
        assert_eq!(mail.code.is_some(), proof != EmailLoginProof::Link);
        assert_eq!(mail.token.is_some(), proof != EmailLoginProof::Code);
        match (mail.code, mail.token) {
            (Some(code), None) => {
                let link = json!({ "flowToken": flow, "token": "x" });
                verify(&app, &link).await.refused(422, "invalid_login_code");
                with_code(&app, &flow, &code).await.expect(200);
            }
            (None, Some(token)) => {
                with_code(&app, &flow, "0").await.refused(422, "invalid_login_code");
                verify(&app, &json!({ "flowToken": flow, "token": token })).await.expect(200);
            }
            (_, token) => {
                verify(&app, &json!({ "flowToken": flow, "token": token })).await.expect(200);
            }
        }
    }
}

/// A confirmation is a code, whatever the option says.
#[tokio::test]
async fn a_confirmation_has_a_code_although_mails_to_sign_in_have_links() {
    let mut options = EmailLoginOptions::default();
    options.proof = EmailLoginProof::Link;
    let app = host(options).await;
    let tokens = app.login(EMAIL).await;
    app.post("/auth/user/confirm-email").bearer(&tokens.access).await.expect(200);
    let mail: EmailLoginMessage = app.outbox.next().await;
    assert!(mail.code.is_some() && mail.token.is_none());
}

#[tokio::test]
async fn a_code_has_the_digits_and_the_lifetime_that_are_configured() {
    for (digits, seconds) in [(6, 60), (10, 1800)] {
        let mut options = EmailLoginOptions::default();
        (options.digits, options.lifetime) = (digits, Duration::from_secs(seconds));
        let app = host(options).await;
        let answer = ask(&app, EMAIL).await.expect(200);
        assert_eq!(answer.body["expiresIn"], seconds);
        let code = app.outbox.next::<EmailLoginMessage>().await.code.unwrap();
        assert_eq!(code.len(), digits);
        app.advance(seconds - 1);
        with_code(&app, &flow_of(&answer), &code).await.expect(200);
    }
}

#[test]
fn options_out_of_bounds_are_configuration_errors() {
    for (digits, seconds, option) in [
        (5, 600, Some("email_login.digits")),
        (11, 600, Some("email_login.digits")),
        (8, 59, Some("email_login.lifetime")),
        (8, 1801, Some("email_login.lifetime")),
        (6, 60, None),
        (10, 1800, None),
    ] {
        let mut options = EmailLoginOptions::default();
        (options.digits, options.lifetime) = (digits, Duration::from_secs(seconds));
        let error = testing::config().email_login(options).build().err();
        let named = error.map(|error| error.problems()[0].option.clone().into_owned());
        assert_eq!(named.as_deref(), option);
    }
}
