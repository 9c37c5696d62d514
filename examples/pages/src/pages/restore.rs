//! `/restore`: whose account is going to be deleted keeps it. The link in the mail leads here, and so does a login, which has left a cookie.

use crate::account::Account;
use crate::site::{FormErrors, MailToken, Page, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::extract::BrowserRestored;
use axum_auth_module::{AuthError, Browser};
use maud::html;

/// The link in the mail.
pub(crate) const LINK: &str = "/restore?token={token}";

/// Where a login leads to whose account is going to be deleted.
pub(crate) const PATH: &str = "/restore";

pub(crate) fn page(token: &MailToken, errors: &FormErrors) -> Response {
    let has_token = !token.as_str().is_empty();
    Page::new("Keep your account?").errors(errors).with(html! {
        p { "Your account is going to be deleted. When you press the button, it stays." }
        p { "If it shall be deleted, close this page." }
        (PostForm::new("restore", PATH, errors)
            .content(html! { @if has_token { (token.field()) } })
            .submit("Keep my account"))
    })
}

pub(crate) async fn show(Query(token): Query<MailToken>) -> Response {
    page(&token, &FormErrors::default())
}

pub(crate) async fn restore(
    browser: Browser<Account>,
    Form(token): Form<MailToken>,
) -> Result<Response, AuthError> {
    let sent = Some(token.as_str()).filter(|token| !token.is_empty());
    Ok(match browser.restore_account(sent).await {
        Ok(BrowserRestored::Session(cookies)) => (cookies, Redirect::to("/")).into_response(),
        // The mail signs nobody in.
        Ok(_) => Page::new("Your account stays").with(html! {
            p #restored { "Your account will not be deleted." }
            p { "You can " a #login-link href="/login" { "log in" } " as always." }
        }),
        Err(error) => page(&token, &FormErrors::of(error)?),
    })
}
