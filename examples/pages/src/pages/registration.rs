//! `/register`

use crate::account::Account;
use crate::site::{Field, FormErrors, Notice, Page, PostForm, or_none};
use axum::Form;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::extract::{RegistrationForm, Remember};
use axum_auth_module::{AuthError, Browser, CurrentUser};
use maud::html;
use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entered {
    name: String,
    email: String,
    username: String,
    password: String,
    password_confirmation: String,
    remember: Option<String>,
}

fn page(entered: &Entered, errors: &FormErrors) -> Response {
    Page::new("Register").guest().errors(errors).with(html! {
        (PostForm::new("register", "/register", errors)
            .field(Field::text("name", "Name", "name").value(&entered.name))
            .field(Field::email().value(&entered.email))
            .field(Field::username().value(&entered.username))
            .field(Field::password("password", "Password", "new-password").hint("At least 8 characters."))
            .field(Field::password("passwordConfirmation", "The same password again", "new-password"))
            .checkbox("remember", "Stay logged in on this device", entered.remember.is_some())
            .submit("Register"))
        p { "You have an account? " a #login-link href="/login" { "Log in" } }
    })
}

pub(crate) async fn show(user: Option<CurrentUser<Account>>) -> Response {
    match user {
        Some(_) => Redirect::to("/").into_response(),
        None => page(&Entered::default(), &FormErrors::default()),
    }
}

pub(crate) async fn register(
    browser: Browser<Account>,
    Form(entered): Form<Entered>,
) -> Result<Response, AuthError> {
    let mut form = RegistrationForm::new(
        &entered.name,
        &entered.email,
        &entered.password,
        &entered.password_confirmation,
    );
    form.username = or_none(&entered.username);
    Ok(match browser.register(form, Remember::from(entered.remember.is_some())).await {
        Ok(cookies) => (cookies, Notice::Registered.on("/email-verification")).into_response(),
        Err(error) => page(&entered, &FormErrors::of(error)?),
    })
}
