//! `/confirm`: where a user comes to who does something that requires a recent confirmation. The page leads back.

use super::challenge::second_factor;
use crate::account::Account;
use crate::site::{Field, FormErrors, Next, Notice, Page, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::extract::WithBody;
use axum_auth_module::{AuthError, Browser, CurrentUser};
use maud::html;
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Entered {
    password: String,
    /// Of users with a second factor: what shows or changes the second factor requires both.
    code: Option<String>,
    #[serde(flatten)]
    next: Next,
}

fn page(account: &Account, next: &Next, errors: &FormErrors) -> Page {
    let mut form = PostForm::new("confirm", "/confirm", errors)
        // For the browser's password manager.
        .content(html! { input type="text" hidden autocomplete="username" value=(account.email); })
        .field(&Field::password("password", "Password", "current-password"))
        .content(next.field());
    if account.two_factor_confirmed_at.is_some() {
        form = form.field(&Field::code("Code of your app, or a recovery code"));
    }
    Page::new("Confirm that it is you", form.submit("Confirm")).user(account).errors(errors)
}

pub(crate) async fn show(CurrentUser(account): CurrentUser<Account>, Query(next): Query<Next>) -> Page {
    page(&account, &next, &FormErrors::default())
}

pub(crate) async fn confirm(
    browser: Browser<Account>,
    WithBody(CurrentUser(account), Form(entered)): WithBody<CurrentUser<Account>, Form<Entered>>,
) -> Result<Response, AuthError> {
    let Entered { password, code, next } = entered;
    let confirmed = match code {
        Some(code) => browser.confirm_password_and_code(&password, &second_factor(code)).await,
        None => browser.confirm_password(&password).await,
    };
    Ok(match confirmed {
        Ok(cookies) => (cookies, Redirect::to(&Notice::Confirmed.on(next.path()))).into_response(),
        Err(error) => page(&account, &next, &FormErrors::of(error)?).into_response(),
    })
}
