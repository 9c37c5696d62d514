//! `/login` and `/logout`

use super::restore;
use crate::account::Account;
use crate::site::{
    Field, FormErrors, Next, Notice, Page, PasskeyButton, PostForm, ProviderButtons, ProviderError,
    ProviderNames,
};
use axum::Form;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::extract::{BrowserLogin, Remember};
use axum_auth_module::{AuthError, Browser, CurrentUser};
use maud::html;
use serde::Deserialize;

#[derive(Default, Deserialize)]
pub(crate) struct Entered {
    email: String,
    password: String,
    remember: Option<String>,
    #[serde(flatten)]
    next: Next,
}

fn page(entered: &Entered, names: &ProviderNames, errors: &FormErrors, notice: Option<Notice>) -> Response {
    Page::new("Log in").guest().errors(errors).notice(notice).with(html! {
        (PostForm::new("login", "/login", errors)
            .field(Field::account().value(&entered.email))
            .field(Field::password("password", "Password", "current-password"))
            .checkbox("remember", "Stay logged in on this device", entered.remember.is_some())
            .content(entered.next.field())
            .submit("Log in"))
        (PasskeyButton::LogIn(&entered.next))
        (ProviderButtons(names, &entered.next))
        p { a #mail-link href=(entered.next.after("/login-by-mail")) { "Log in by mail, without a password" } }
        p { a #forgot-link href="/forgot-password" { "Forgotten your password?" } }
        p { "No account yet? " a #register-link href="/register" { "Register" } }
    })
}

pub(crate) async fn show(
    user: Option<CurrentUser<Account>>,
    State(names): State<ProviderNames>,
    Query(next): Query<Next>,
    Query(error): Query<ProviderError>,
    notice: Option<Notice>,
) -> Response {
    if error.asks_to_restore() {
        return Redirect::to(restore::PATH).into_response();
    }
    // Where an account has the address, the login leads to the page that links it.
    let next = if error.asks_for_a_link() { Next::to("/link-provider") } else { next };
    match user {
        Some(_) => Redirect::to(next.path()).into_response(),
        None => page(&Entered { next, ..Entered::default() }, &names, &error.errors(), notice),
    }
}

pub(crate) async fn log_in(
    browser: Browser<Account>,
    State(names): State<ProviderNames>,
    Form(entered): Form<Entered>,
) -> Result<Response, AuthError> {
    let remember = Remember::from(entered.remember.is_some());
    let (account, password) = (entered.email.trim(), &entered.password);
    // No user name has an @. For an empty field the error is that the address is missing.
    let outcome = match account.is_empty() || account.contains('@') {
        true => browser.login(account, password, remember).await,
        false => browser.login_by_username(account, password, remember).await,
    };
    Ok(match outcome {
        Ok(BrowserLogin::Session(cookies)) => (cookies, Redirect::to(entered.next.path())).into_response(),
        Ok(BrowserLogin::Challenge(cookies)) => {
            (cookies, Redirect::to(&entered.next.after("/two-factor-challenge"))).into_response()
        }
        Ok(BrowserLogin::PendingDeletion { cookies, .. }) => {
            (cookies, Redirect::to(restore::PATH)).into_response()
        }
        Ok(_) => return Err(AuthError::internal("a step of the login that this site does not have")),
        Err(error) => page(&entered, &names, &FormErrors::of(error)?, None),
    })
}

pub(crate) async fn log_out(browser: Browser<Account>) -> Result<Response, AuthError> {
    Ok((browser.log_out().await?, Notice::LoggedOut.on("/")).into_response())
}
