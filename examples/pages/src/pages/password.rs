//! `/password`

use crate::account::Account;
use crate::site::{Field, FormErrors, Notice, Page, PostForm};
use axum::Form;
use axum::response::{IntoResponse, Response};
use axum_auth_module::extract::WithBody;
use axum_auth_module::{AuthError, AuthUser, Browser, CurrentUser, PageUser};
use maud::html;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entered {
    /// Of a user who has a password.
    #[serde(default)]
    current_password: String,
    password: String,
    password_confirmation: String,
}

fn page(account: &Account, errors: &FormErrors, notice: Option<Notice>) -> Response {
    let form = PostForm::new("password", "/password", errors)
        // Password managers must know whose password it is.
        .content(html! { input type="text" hidden autocomplete="username" value=(account.email); });
    let (form, submit) = match account.has_password() {
        true => {
            let current = Field::password("currentPassword", "Current password", "current-password");
            (form.field(current), "Change the password")
        }
        false => (form, "Set a password"),
    };
    Page::new("Password").user(account).errors(errors).notice(notice).with(html! {
        (form
            .field(Field::password("password", "New password", "new-password").hint("At least 8 characters."))
            .field(Field::password("passwordConfirmation", "The new password again", "new-password"))
            .submit(submit))
    })
}

pub(crate) async fn show(PageUser(account): PageUser<Account>, notice: Option<Notice>) -> Response {
    page(&account, &FormErrors::default(), notice)
}

pub(crate) async fn update(
    browser: Browser<Account>,
    WithBody(CurrentUser(account), Form(entered)): WithBody<CurrentUser<Account>, Form<Entered>>,
) -> Result<Response, AuthError> {
    let Entered { current_password, password, password_confirmation } = entered;
    Ok(match browser.update_password(&current_password, &password, &password_confirmation).await {
        Ok(cookies) => (cookies, Notice::PasswordChanged.on("/password")).into_response(),
        Err(error) => page(&account, &FormErrors::of(error)?, None),
    })
}
