//! `/login-by-mail`: sign-in with a code in a mail, and registration without a password. What the steps have to remember is in hidden
//! fields.

use super::restore;
use crate::account::Account;
use crate::site::{Field, FormErrors, NewcomerEntered, Next, Notice, Page, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::extract::{BrowserLogin, BrowserMailLogin, Remember};
use axum_auth_module::services::EmailProof;
use axum_auth_module::{AuthError, Browser};
use maud::html;
use serde::Deserialize;

const PATH: &str = "/login-by-mail";

/// What the form of a step sends.
#[derive(Deserialize)]
pub(crate) struct Entered {
    #[serde(flatten)]
    step: Step,
    #[serde(flatten)]
    next: Next,
}

#[derive(Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
enum Step {
    /// With the flow token of an earlier mail to this address: the code of that one is mailed again.
    Ask {
        email: String,
        flow: Option<String>,
        remember: Option<String>,
    },
    Verify {
        email: String,
        flow: String,
        code: String,
    },
    Register {
        token: String,
        #[serde(flatten)]
        newcomer: NewcomerEntered,
    },
}

fn ask_page(email: &str, next: &Next, errors: &FormErrors) -> Response {
    Page::new("Log in by mail").guest().errors(errors).with(html! {
        p { "You get a mail with a code. You need no password, and no account yet." }
        (PostForm::new("mail", PATH, errors)
            .hidden("step", "ask")
            .field(Field::email().value(email))
            .checkbox("remember", "Stay logged in on this device", false)
            .content(next.field())
            .submit("Mail me a code"))
        p { a #login-link href=(next.after("/login")) { "Log in with a password" } }
    })
}

fn code_page(email: &str, flow: &str, next: &Next, errors: &FormErrors) -> Response {
    let no_errors = FormErrors::default();
    Page::new("The code in your mail").guest().errors(errors).with(html! {
        p { "A mail with a code is on its way to " strong { (email) } "." }
        (PostForm::new("code", PATH, errors)
            .hidden("step", "verify")
            .hidden("email", email)
            .hidden("flow", flow)
            .field(Field::mailed_code())
            .content(next.field())
            .submit("Log in"))
        (PostForm::new("again", PATH, &no_errors)
            .hidden("step", "ask")
            .hidden("email", email)
            .hidden("flow", flow)
            .content(next.field())
            .submit("Mail it again"))
    })
}

fn name_page(token: &str, newcomer: &NewcomerEntered, next: &Next, errors: &FormErrors) -> Response {
    Page::new("Your new account").guest().errors(errors).with(html! {
        p { "There is no account with this address yet. How shall we call you?" }
        (PostForm::new("name", PATH, errors)
            .hidden("step", "register")
            .hidden("token", token)
            .field(Field::text("name", "Name", "name").value(&newcomer.name))
            .field(Field::username().value(&newcomer.username))
            .content(next.field())
            .submit("Create the account"))
    })
}

pub(crate) async fn show(Query(next): Query<Next>) -> Response {
    ask_page("", &next, &FormErrors::default())
}

pub(crate) async fn proceed(
    browser: Browser<Account>,
    Form(Entered { step, next }): Form<Entered>,
) -> Result<Response, AuthError> {
    match step {
        Step::Ask { email, flow, remember } => {
            let remember = Remember::from(remember.is_some());
            Ok(match browser.email_login(&email, flow.as_deref(), remember).await {
                Ok(started) => code_page(&email, &started.flow_token, &next, &FormErrors::default()),
                Err(error) => ask_page(&email, &next, &FormErrors::of(error)?),
            })
        }
        Step::Verify { email, flow, code } => {
            match browser.email_login_verify(&flow, &EmailProof::Code(code)).await {
                Ok(proven) => signed_in(proven, &next),
                // The code is of no use any more.
                Err(error @ AuthError::InvalidFlowToken) => {
                    Ok(ask_page(&email, &next, &FormErrors::of(error)?))
                }
                Err(error) => Ok(code_page(&email, &flow, &next, &FormErrors::of(error)?)),
            }
        }
        Step::Register { token, newcomer } => {
            Ok(match browser.register_passwordless(&token, newcomer.form()).await {
                Ok(cookies) => (cookies, Notice::Joined.on(next.path())).into_response(),
                Err(error @ (AuthError::InvalidFlowToken | AuthError::EmailTaken)) => {
                    ask_page("", &next, &FormErrors::of(error)?)
                }
                Err(error) => name_page(&token, &newcomer, &next, &FormErrors::of(error)?),
            })
        }
    }
}

fn signed_in(proven: BrowserMailLogin, next: &Next) -> Result<Response, AuthError> {
    Ok(match proven {
        BrowserMailLogin::Known { login: BrowserLogin::Challenge(cookies), .. } => {
            (cookies, Redirect::to(&next.after("/two-factor-challenge"))).into_response()
        }
        BrowserMailLogin::Known { login: BrowserLogin::Session(cookies), password_removed: true, .. } => {
            (cookies, Notice::PasswordRemoved.on("/password")).into_response()
        }
        BrowserMailLogin::Known { login: BrowserLogin::Session(cookies), .. } => {
            (cookies, Redirect::to(next.path())).into_response()
        }
        BrowserMailLogin::Known { login: BrowserLogin::PendingDeletion { cookies, .. }, .. } => {
            (cookies, Redirect::to(restore::PATH)).into_response()
        }
        BrowserMailLogin::Registration(started) => {
            let nothing = NewcomerEntered::default();
            name_page(&started.registration_token, &nothing, next, &FormErrors::default())
        }
        BrowserMailLogin::Registered(cookies) => (cookies, Notice::Joined.on(next.path())).into_response(),
        _ => return Err(AuthError::internal("a step of the login that this site does not have")),
    })
}
