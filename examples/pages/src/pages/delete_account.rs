//! `/delete-account`: where a user has the account deleted. It needs a recent confirmation, because it cannot be undone for ever.

use crate::account::Account;
use crate::site::{FormErrors, Page, PostForm, time};
use axum::response::{IntoResponse, Response};
use axum_auth_module::{AuthError, Browser, ConfirmedUser};
use maud::html;

fn page(account: &Account, errors: &FormErrors) -> Response {
    Page::new("Delete your account").user(account).errors(errors).with(html! {
        p { "All of your sessions end at once. For two weeks you can change your mind: log in, or open the link in the mail." }
        p { "After that, nothing of your account is left." }
        (PostForm::new("delete-account", "/delete-account", errors).submit_danger("Delete my account"))
    })
}

pub(crate) async fn show(ConfirmedUser(account): ConfirmedUser<Account>) -> Response {
    page(&account, &FormErrors::default())
}

pub(crate) async fn delete(
    browser: Browser<Account>,
    ConfirmedUser(account): ConfirmedUser<Account>,
) -> Result<Response, AuthError> {
    Ok(match browser.delete_account().await {
        Ok((scheduled, cookies)) => {
            let page = Page::new("Your account will be deleted").with(html! {
                p #deletion-scheduled { "It will be deleted on " (time(scheduled.deletes_at)) ". You are logged out everywhere." }
                p { "Until then you can " a #login-link href="/login" { "log in" } " to keep it." }
            });
            (cookies, page).into_response()
        }
        Err(error) => page(&account, &FormErrors::of(error)?),
    })
}
