//! `/register`

use crate::account::Account;
use crate::site::{Field, FormErrors, Next, Page, PostForm};
use axum::Form;
use axum::extract::Query;
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
    password: String,
    password_confirmation: String,
    #[serde(flatten)]
    next: Next,
}

fn page(entered: &Entered, errors: &FormErrors) -> Page {
    let form = PostForm::new("register", "/register", errors)
        .field(&Field::text("name", "Name", "name").value(&entered.name))
        .field(&Field::email().value(&entered.email))
        .field(&Field::password("password", "Password", "new-password"))
        .field(&Field::password("passwordConfirmation", "The password again", "new-password"))
        .content(entered.next.field())
        .submit("Create the account");
    let log_in = html! { p { "You have an account? " a href=(entered.next.after("/login")) { "Use it" } } };
    Page::new("Register", form).below(log_in).errors(errors)
}

pub(crate) async fn show(user: Option<CurrentUser<Account>>, Query(next): Query<Next>) -> Response {
    match user {
        Some(_) => Redirect::to(next.path()).into_response(),
        None => page(&Entered { next, ..Entered::default() }, &FormErrors::default()).into_response(),
    }
}

pub(crate) async fn register(
    browser: Browser<Account>,
    Form(entered): Form<Entered>,
) -> Result<Response, AuthError> {
    let Entered { name, email, password, password_confirmation, next } = &entered;
    let form = RegistrationForm::new(name, email, password, password_confirmation);
    Ok(match browser.register(form, Remember::No).await {
        Ok(cookies) => (cookies, Redirect::to(next.path())).into_response(),
        Err(error) => page(&entered, &FormErrors::of(error)?).into_response(),
    })
}
