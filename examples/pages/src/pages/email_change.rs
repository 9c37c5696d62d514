//! `/email-change`, to which the link in the mail to a new address leads.
//!
//! The address changes in a session of its user only. A visitor who is not logged in is sent to the login page first, and comes back
//! with the token.

use crate::account::Account;
use crate::site::{FormErrors, MailToken, Next, Notice, Page, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::extract::WithBody;
use axum_auth_module::{AuthError, Browser, CurrentUser};
use maud::html;

/// The links in the mails. `{page}` is `email-change`, and `revert` in the mail to the previous address.
pub(crate) const LINK: &str = "/{page}?token={token}";

const PATH: &str = "/email-change";

async fn page(
    browser: &Browser<Account>,
    account: &Account,
    token: &MailToken,
    errors: &FormErrors,
) -> Result<Response, AuthError> {
    // A link for any other change is refused.
    let pending = browser.pending_email_change().await?;
    Ok(Page::new("Your new e-mail address").user(account).errors(errors).with(html! {
        p #email-change-state {
            "Your e-mail address is " strong { (account.email) } "."
            @if let Some(pending) = &pending { " It changes to " strong { (pending.email) } ", and your other sessions end." }
        }
        (PostForm::new("email-change", PATH, errors).content(token.field()).submit("Change my address"))
        p { a #email-link href="/email" { "Request another link" } }
    }))
}

/// Not the redirect of `PageUser`, which leaves out a long address: the token of two long addresses is one.
fn log_in_first(token: &MailToken) -> Response {
    Redirect::to(&Next::to(&token.on(PATH)).after("/login")).into_response()
}

pub(crate) async fn show(
    browser: Browser<Account>,
    user: Option<CurrentUser<Account>>,
    Query(token): Query<MailToken>,
) -> Result<Response, AuthError> {
    match user {
        Some(CurrentUser(account)) => page(&browser, &account, &token, &FormErrors::default()).await,
        None => Ok(log_in_first(&token)),
    }
}

pub(crate) async fn change(
    browser: Browser<Account>,
    WithBody(user, Form(token)): WithBody<Option<CurrentUser<Account>>, Form<MailToken>>,
) -> Result<Response, AuthError> {
    // The session may have ended since the page was opened.
    let Some(CurrentUser(account)) = user else { return Ok(log_in_first(&token)) };
    let errors = match browser.confirm_email_change(token.as_str()).await {
        Ok(cookies) => return Ok((cookies, Notice::EmailChanged.on("/profile")).into_response()),
        // The form has no field for it.
        Err(error @ AuthError::EmailTaken) => FormErrors::about_form(error.to_string()),
        Err(error) => FormErrors::of(error)?,
    };
    page(&browser, &account, &token, &errors).await
}
