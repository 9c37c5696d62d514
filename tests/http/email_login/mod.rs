//! EMAIL_LOGIN: sign-in by mail, what it does to an account that nobody had proven, and confirmation by mail.

mod arrival;
mod confirmation;
mod ends;
mod limits;
mod options;
mod proofs;
mod requests;

use crate::every_route::features_off::service_is_there_only_with;
use crate::support::answer::Answer;
use crate::support::{App, Call, EMAIL, Tokens, addresses_of_profiles};
use axum_auth_module::config::{RateLimit, RateLimits};
use axum_auth_module::delivery::EmailLoginMessage;
use axum_auth_module::feature::Feature;
use axum_auth_module::services::EmailLoginService;
use serde_json::{Value, json};

/// A sign-in that has begun: what the client keeps, and what the mail has.
pub(crate) struct Begun {
    pub(crate) flow: String,
    pub(crate) mail: EmailLoginMessage,
}

impl Begun {
    pub(crate) fn code(&self) -> &str {
        self.mail.code.as_deref().unwrap()
    }

    /// A code of as many digits that is not the right one.
    fn wrong_code(&self) -> String {
        let last = self.code().chars().last().unwrap();
        format!("{}{}", &self.code()[..self.code().len() - 1], if last == '0' { '1' } else { '0' })
    }
}

fn request(app: &App, body: &Value) -> Call {
    app.post("/auth/login/email").json(body)
}

fn ask(app: &App, email: &str) -> Call {
    request(app, &json!({ "email": email }))
}

pub(crate) fn verify(app: &App, body: &Value) -> Call {
    app.post("/auth/login/email/verify").json(body)
}

pub(crate) fn with_code(app: &App, flow: &str, code: &str) -> Call {
    verify(app, &json!({ "flowToken": flow, "code": code }))
}

pub(crate) fn flow_of(answer: &Answer) -> String {
    answer.body["flowToken"].as_str().unwrap().to_owned()
}

/// Asks for a mail and takes it.
pub(crate) async fn begin(app: &App, email: &str) -> Begun {
    let flow = flow_of(&ask(app, email).await.expect(200));
    Begun { flow, mail: app.outbox.next().await }
}

/// Signs in by mail.
pub(crate) async fn sign_in(app: &App, email: &str) -> Answer {
    let begun = begin(app, email).await;
    with_code(app, &begun.flow, begun.code()).await.expect(200)
}

/// A user with a verified address, who is signed in with the password.
async fn verified(app: &App, email: &str) -> Tokens {
    let tokens = app.register(email).await;
    app.verify_address(email);
    tokens
}

/// Limits of requests for mails that are not in the way of what a test is about.
fn no_mail_limits() -> RateLimits {
    let mut limits = RateLimits::default();
    limits.email_login_address = RateLimit::per_seconds(1000, 60);
    limits.email_login_known_client = RateLimit::per_seconds(1000, 60);
    limits.email_login_client = RateLimit::per_seconds(1000, 60);
    limits.confirm_email = RateLimit::per_seconds(1000, 60);
    limits
}

/// A host with every feature, on which nothing limits the requests for mails.
async fn host() -> App {
    App::with_everything_and(|config| config.limits(no_mail_limits()), addresses_of_profiles).await
}

/// Such a host, and a user with a verified address.
async fn with_user() -> (App, Tokens) {
    let app = host().await;
    let tokens = verified(&app, EMAIL).await;
    (app, tokens)
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<EmailLoginService>(Feature::EMAIL_LOGIN).await;
}
