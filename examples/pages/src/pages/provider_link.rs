//! `/link-provider`: links what somebody has at a provider with the account that has the same address. Where there is such an account,
//! the callback leads to the login page, and from there the user comes here.
//!
//! The page shows with what the account is linked before it is: somebody else could have signed in there.

use crate::account::Account;
use crate::site::{FormErrors, Notice, Page, PostForm, provider_title};
use axum::response::{IntoResponse, Response};
use axum_auth_module::{AuthError, Browser, ConfirmedUser};
use maud::html;

const PATH: &str = "/link-provider";

async fn page(
    browser: &Browser<Account>,
    account: &Account,
    errors: &FormErrors,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    let Some(waiting) = browser.pending_steps().await?.link else {
        return Ok(Notice::LinkExpired.on("/providers").into_response());
    };
    let provider = provider_title(&waiting.provider);
    Ok(Page::new("Link a provider").user(account).errors(errors).notice(notice).with(html! {
        p {
            "Somebody has signed in with " strong { (provider) } " as " strong { (waiting.email) } " in this browser. "
            "If you link it, whoever signs in there is logged in here as " strong { (account.email) } "."
        }
        p { "If that was not you, do not link it." }
        (PostForm::new("link", PATH, errors).submit(format!("Link {provider}")))
        p { a #link-cancel href="/" { "Do not link it" } }
    }))
}

pub(crate) async fn show(
    browser: Browser<Account>,
    ConfirmedUser(account): ConfirmedUser<Account>,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    page(&browser, &account, &FormErrors::default(), notice).await
}

pub(crate) async fn link(
    browser: Browser<Account>,
    ConfirmedUser(account): ConfirmedUser<Account>,
) -> Result<Response, AuthError> {
    match browser.link_pending().await {
        Ok(cookies) => Ok((cookies, Notice::ProviderLinked.on("/providers")).into_response()),
        Err(AuthError::InvalidFlowToken) => Ok(Notice::LinkExpired.on("/providers").into_response()),
        Err(error) => page(&browser, &account, &FormErrors::of(error)?, None).await,
    }
}
