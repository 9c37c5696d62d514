//! `/two-factor-challenge`: the second step of a login. Which login it belongs to is in a cookie.

use crate::account::Account;
use crate::site::{Field, FormErrors, Next, Page, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::services::SecondFactor;
use axum_auth_module::{AuthError, Browser};
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Entered {
    code: String,
    #[serde(flatten)]
    next: Next,
}

fn page(next: &Next, errors: &FormErrors) -> Page {
    let form = PostForm::new("challenge", "/two-factor-challenge", errors)
        .field(&Field::code("Code of your app, or a recovery code"))
        .content(next.field())
        .submit("Log in");
    Page::new("Your second factor", form).errors(errors)
}

pub(crate) async fn show(browser: Browser<Account>, Query(next): Query<Next>) -> Result<Page, AuthError> {
    // Without a first step this leads to the login page.
    browser.pending_challenge().await?;
    Ok(page(&next, &FormErrors::default()))
}

pub(crate) async fn prove(
    browser: Browser<Account>,
    Form(Entered { code, next }): Form<Entered>,
) -> Result<Response, AuthError> {
    Ok(match browser.challenge(&second_factor(code)).await {
        Ok(cookies) => (cookies, Redirect::to(next.path())).into_response(),
        Err(error) => page(&next, &FormErrors::of(error)?).into_response(),
    })
}

/// A code of an app consists of digits, in groups or not, and a recovery code has letters.
pub(super) fn second_factor(code: String) -> SecondFactor {
    match code.chars().any(char::is_alphabetic) {
        true => SecondFactor::RecoveryCode(code),
        false => SecondFactor::Code(code),
    }
}
