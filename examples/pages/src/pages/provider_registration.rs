//! `/register-with-provider`: what the account of somebody still needs who has signed in with a provider for the first time. What the
//! provider has said is in a cookie that only the module reads.

use crate::account::Account;
use crate::site::{Field, FormErrors, NewcomerEntered, Notice, Page, PostForm, provider_title};
use axum::Form;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::{AuthError, Browser};
use maud::html;

const PATH: &str = "/register-with-provider";

async fn page(
    browser: &Browser<Account>,
    entered: Option<&NewcomerEntered>,
    errors: &FormErrors,
) -> Result<Response, AuthError> {
    let Some(waiting) = browser.pending_steps().await?.registration else {
        return Ok(Redirect::to("/login?error=invalid_flow_token").into_response());
    };
    let known = || NewcomerEntered { name: waiting.name.clone().unwrap_or_default(), ..Default::default() };
    let entered = entered.cloned().unwrap_or_else(known);
    Ok(Page::new("Your new account").guest().errors(errors).with(html! {
        p {
            (provider_title(&waiting.provider)) " says that " strong { (waiting.email) } " is yours. "
            "There is no account with this address yet. How shall we call you?"
        }
        (PostForm::new("name", PATH, errors)
            .field(Field::text("name", "Name", "name").value(&entered.name))
            .field(Field::username().value(&entered.username))
            .submit("Create the account"))
    }))
}

pub(crate) async fn show(browser: Browser<Account>) -> Result<Response, AuthError> {
    page(&browser, None, &FormErrors::default()).await
}

pub(crate) async fn register(
    browser: Browser<Account>,
    Form(entered): Form<NewcomerEntered>,
) -> Result<Response, AuthError> {
    match browser.register_pending(entered.form()).await {
        Ok(cookies) => Ok((cookies, Notice::JoinedWithProvider.on("/")).into_response()),
        Err(AuthError::InvalidFlowToken) => {
            Ok(Redirect::to("/login?error=invalid_flow_token").into_response())
        }
        Err(error) => page(&browser, Some(&entered), &FormErrors::of(error)?).await,
    }
}
