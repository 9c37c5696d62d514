//! `/two-factor-challenge`: the second step of a login. Which login it belongs to is in a cookie.

use super::restore;
use crate::account::Account;
use crate::site::{Field, FormErrors, MailToken, Next, Page, PasskeyButton, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::services::SecondFactor;
use axum_auth_module::{AuthError, Browser};
use maud::html;
use serde::Deserialize;

/// What one of the two forms sends.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entered {
    code: Option<String>,
    recovery_code: Option<String>,
    #[serde(flatten)]
    next: Next,
}

fn page(next: &Next, code: &FormErrors, recovery_code: &FormErrors) -> Response {
    let (errors, is_open) =
        if recovery_code.has("recoveryCode") { (recovery_code, true) } else { (code, false) };
    Page::new("Your second factor").guest().errors(errors).with(html! {
        (PostForm::new("challenge", "/two-factor-challenge", code)
            .field(Field::code())
            .content(next.field())
            .submit("Log in"))
        (PasskeyButton::Challenge(next))
        details #recovery open[is_open] {
            summary { "Use a recovery code" }
            (PostForm::new("recovery", "/two-factor-challenge", recovery_code)
                .field(Field::text("recoveryCode", "Recovery code", "off").hint("Each of them works once."))
                .content(next.field())
                .submit("Log in with a recovery code"))
        }
    })
}

pub(crate) async fn show(browser: Browser<Account>, Query(next): Query<Next>) -> Result<Response, AuthError> {
    // After a sign-in with a provider the cookie says where to, and not the address.
    let next = browser.pending_challenge().await?.next.map_or(next, |path| Next::to(&path));
    Ok(page(&next, &FormErrors::default(), &FormErrors::default()))
}

pub(crate) async fn prove(
    browser: Browser<Account>,
    Form(Entered { code, recovery_code, next }): Form<Entered>,
) -> Result<Response, AuthError> {
    let factor = match recovery_code {
        Some(code) => SecondFactor::RecoveryCode(code),
        None => SecondFactor::Code(code.unwrap_or_default()),
    };
    Ok(match browser.challenge(&factor).await {
        Ok(cookies) => (cookies, Redirect::to(next.path())).into_response(),
        // The token of the sign-in is not in a cookie here, but in the form of the page.
        Err(AuthError::AccountPendingDeletion { restore_token: Some(token), .. }) => {
            restore::page(&MailToken::of(token.as_str()), &FormErrors::default())
        }
        Err(error) => match FormErrors::of(error)? {
            errors if errors.has("recoveryCode") => page(&next, &FormErrors::default(), &errors),
            errors => page(&next, &errors, &FormErrors::default()),
        },
    })
}
