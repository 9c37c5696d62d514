//! `/forgot-password`, and `/reset-password`, to which the link in the mail leads.
//!
//! The token in the link must not get to another site: the pages load nothing from elsewhere, and `Referrer-Policy` keeps
//! the address from the sites that they link to. The form posts the token in its body, and after it the address is
//! another one.

use crate::account::Account;
use crate::site::{Field, FormErrors, Notice, Page, PostForm};
use axum::Form;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use axum_auth_module::services::ResetPasswordsService;
use axum_auth_module::values::EmailAddress;
use axum_auth_module::{AuthError, AuthModule, Browser};
use maud::html;
use serde::Deserialize;

/// The link in the mail. Without scripts, a page cannot read what follows a `#`, so the token is in the query.
pub(crate) const LINK: &str = "/reset-password?token={token}&email={email}";

#[derive(Default, Deserialize)]
pub(crate) struct Request {
    email: String,
}

fn request_page(entered: &Request, errors: &FormErrors, notice: Option<Notice>) -> Response {
    Page::new("Forgotten password").errors(errors).notice(notice).with(html! {
        p { "We send you a link with which you can set a new password." }
        (PostForm::new("forgot", "/forgot-password", errors)
            .field(Field::email().value(&entered.email))
            .submit("Send the link"))
    })
}

pub(crate) async fn show_request(notice: Option<Notice>) -> Response {
    request_page(&Request::default(), &FormErrors::default(), notice)
}

pub(crate) async fn request(
    browser: Browser<Account>,
    Form(entered): Form<Request>,
) -> Result<Response, AuthError> {
    let resets = browser.service::<ResetPasswordsService>()?;
    let requested = async {
        let email = EmailAddress::parse(&entered.email)?;
        resets.request(&email, browser.visitor().address()).await
    };
    Ok(match requested.await {
        Ok(_) => Notice::ResetRequested.on("/forgot-password").into_response(),
        Err(error) => request_page(&entered, &FormErrors::of(error)?, None),
    })
}

/// The query of the link, and what the form sends.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Reset {
    email: String,
    token: String,
    password: String,
    password_confirmation: String,
}

fn page(entered: &Reset, errors: &FormErrors) -> Response {
    Page::new("A new password").errors(errors).with(html! {
        (PostForm::new("reset", "/reset-password", errors)
            .field(Field::email().value(&entered.email).read_only())
            .field(Field::password("password", "New password", "new-password").hint("At least 8 characters."))
            .field(Field::password("passwordConfirmation", "The same password again", "new-password"))
            .hidden("token", &entered.token)
            .submit("Set the password"))
        p { "The link works once. " a #forgot-link href="/forgot-password" { "Request another one" } }
    })
}

pub(crate) async fn show(Query(link): Query<Reset>) -> Response {
    page(&link, &FormErrors::default())
}

pub(crate) async fn reset(
    browser: Browser<Account>,
    State(auth): State<AuthModule<Account>>,
    Form(entered): Form<Reset>,
) -> Result<Response, AuthError> {
    let resets = browser.service::<ResetPasswordsService>()?;
    let reset = async {
        let email = EmailAddress::parse(&entered.email)?;
        let password = auth.new_password(entered.password.clone(), &entered.password_confirmation)?;
        resets.reset(&email, &entered.token, &password, browser.visitor().address()).await
    };
    Ok(match reset.await {
        Ok(()) => Notice::PasswordReset.on("/login").into_response(),
        Err(error) => page(&entered, &FormErrors::of(error)?),
    })
}
