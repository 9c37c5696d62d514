//! `/login` and `/logout`

use crate::account::Account;
use crate::site::{Field, FormErrors, Next, Notice, Page, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::extract::{BrowserLogin, Remember};
use axum_auth_module::{AuthError, Browser, CurrentUser};
use maud::{Render, html};
use serde::Deserialize;

#[derive(Default, Deserialize)]
pub(crate) struct Entered {
    email: String,
    password: String,
    remember: Option<String>,
    #[serde(flatten)]
    next: Next,
}

fn page(entered: &Entered, errors: &FormErrors, notice: Option<Notice>) -> Page {
    let form = PostForm::new("login", "/login", errors)
        .content(notice.as_ref().map(Render::render).unwrap_or_default())
        .field(&Field::email().value(&entered.email))
        .field(&Field::password("password", "Password", "current-password"))
        .checkbox("remember", "Stay logged in on this device", entered.remember.is_some())
        .content(entered.next.field())
        .submit("Log in");
    let register =
        html! { p { "No account yet? " a href=(entered.next.after("/register")) { "Create one" } } };
    Page::new("Log in", form).below(register).errors(errors)
}

pub(crate) async fn show(
    user: Option<CurrentUser<Account>>,
    Query(next): Query<Next>,
    notice: Option<Notice>,
) -> Response {
    match user {
        Some(_) => Redirect::to(next.path()).into_response(),
        None => page(&Entered { next, ..Entered::default() }, &FormErrors::default(), notice).into_response(),
    }
}

pub(crate) async fn log_in(
    browser: Browser<Account>,
    Form(entered): Form<Entered>,
) -> Result<Response, AuthError> {
    let remember = Remember::from(entered.remember.is_some());
    Ok(match browser.login(&entered.email, &entered.password, remember).await {
        Ok(BrowserLogin::Session(cookies)) => (cookies, Redirect::to(entered.next.path())).into_response(),
        Ok(BrowserLogin::Challenge(cookies)) => {
            (cookies, Redirect::to(&entered.next.after("/two-factor-challenge"))).into_response()
        }
        Ok(_) => return Err(AuthError::internal("a step of the login that this site does not have")),
        Err(error) => page(&entered, &FormErrors::of(error)?, None).into_response(),
    })
}

pub(crate) async fn log_out(browser: Browser<Account>) -> Result<Response, AuthError> {
    let page = Notice::LoggedOut.on("/login");
    Ok((browser.log_out().await?, Redirect::to(&page)).into_response())
}
