//! `/confirm-password`: where a user is redirected who opens a page that requires a recent confirmation of the password. After
//! it the user is redirected back.

use crate::account::Account;
use crate::site::{Field, FormErrors, Next, Notice, Page, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::{IntoResponse, Response};
use axum_auth_module::{AuthError, Browser, CurrentUser, PageUser};
use maud::html;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entered {
    current_password: String,
    #[serde(flatten)]
    next: Next,
}

fn page(account: &Account, next: &Next, errors: &FormErrors) -> Response {
    Page::new("Confirm your password").user(account).errors(errors).with(html! {
        p { "To continue, please show that it is still you at this device." }
        (PostForm::new("confirm-password", "/confirm-password", errors)
            .content(html! { input type="text" hidden autocomplete="username" value=(account.email); })
            .field(Field::password("currentPassword", "Password", "current-password"))
            .content(next.field())
            .submit("Confirm"))
    })
}

pub(crate) async fn show(PageUser(account): PageUser<Account>, Query(next): Query<Next>) -> Response {
    page(&account, &next, &FormErrors::default())
}

pub(crate) async fn confirm(
    browser: Browser<Account>,
    CurrentUser(account): CurrentUser<Account>,
    Form(Entered { current_password, next }): Form<Entered>,
) -> Result<Response, AuthError> {
    Ok(match browser.confirm_password(&current_password).await {
        Ok(cookies) => (cookies, Notice::PasswordConfirmed.on(next.path())).into_response(),
        Err(error) => page(&account, &next, &FormErrors::of(error)?),
    })
}
