//! `/email`: where a user asks for another e-mail address. It needs a recent confirmation, because reset tokens go to the address.

use crate::account::Account;
use crate::site::{Field, FormErrors, Notice, Page, PostForm, time};
use axum::Form;
use axum::response::{IntoResponse, Response};
use axum_auth_module::extract::WithBody;
use axum_auth_module::services::PendingEmailChange;
use axum_auth_module::{AuthError, Browser, ConfirmedUser, CurrentUser};
use maud::{Markup, html};
use serde::Deserialize;

async fn page(
    browser: &Browser<Account>,
    account: &Account,
    entered: &str,
    errors: &FormErrors,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    let pending = browser.pending_email_change().await?;
    let page = Page::new("Change your e-mail address").user(account).errors(errors).notice(notice);
    Ok(page.with(html! {
        p #email-state { "Your e-mail address is " strong { (account.email) } "." }
        @if let Some(pending) = &pending { (waiting(pending)) }
        (PostForm::new("email", "/email", errors)
            .hidden("action", "ask")
            .field(Field::new_email().value(entered).hint("It gets a mail with a link. Until you open it, your address stays."))
            .submit("Send the link"))
    }))
}

/// The change that waits for its confirmation. Another request replaces it.
fn waiting(pending: &PendingEmailChange) -> Markup {
    html! {
        p #email-pending {
            "You have asked for " strong { (pending.email) } ". The link in the mail works until " (time(pending.expires_at)) "."
        }
        (PostForm::new("cancel", "/email", &FormErrors::default())
            .hidden("action", "cancel")
            .submit_danger("Cancel the change"))
    }
}

pub(crate) async fn show(
    browser: Browser<Account>,
    ConfirmedUser(account): ConfirmedUser<Account>,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    page(&browser, &account, "", &FormErrors::default(), notice).await
}

/// What a form of the page does.
#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub(crate) enum Action {
    Ask { email: String },
    Cancel,
}

/// Only asking for an address needs the confirmation, which the library checks.
pub(crate) async fn act(
    browser: Browser<Account>,
    WithBody(CurrentUser(account), Form(action)): WithBody<CurrentUser<Account>, Form<Action>>,
) -> Result<Response, AuthError> {
    match action {
        Action::Ask { email } => match browser.request_email_change(&email).await {
            Ok(()) => Ok(Notice::EmailChangeRequested.on("/email").into_response()),
            Err(error) => page(&browser, &account, &email, &FormErrors::of(error)?, None).await,
        },
        Action::Cancel => {
            browser.cancel_email_change().await?;
            Ok(Notice::EmailChangeCancelled.on("/profile").into_response())
        }
    }
}
