//! `/register-with-provider`: what the account of somebody still needs who has signed in with a provider for the first time. What the
//! provider has said is in a cookie that only the module reads.

use crate::account::Account;
use crate::site::{Field, FormErrors, Notice, Page, PostForm, provider_title};
use axum::Form;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::{AuthError, Browser};
use maud::html;
use serde::Deserialize;
use serde_json::Map;

const PATH: &str = "/register-with-provider";

async fn page(
    browser: &Browser<Account>,
    entered: Option<&str>,
    errors: &FormErrors,
) -> Result<Response, AuthError> {
    let Some(waiting) = browser.pending_steps().await?.registration else {
        return Ok(Redirect::to("/login?error=invalid_flow_token").into_response());
    };
    let name = entered.or(waiting.name.as_deref()).unwrap_or_default();
    Ok(Page::new("Your new account").guest().errors(errors).with(html! {
        p {
            (provider_title(&waiting.provider)) " says that " strong { (waiting.email) } " is yours. "
            "There is no account with this address yet. How shall we call you?"
        }
        (PostForm::new("name", PATH, errors)
            .field(Field::text("name", "Name", "name").value(name))
            .submit("Create the account"))
    }))
}

pub(crate) async fn show(browser: Browser<Account>) -> Result<Response, AuthError> {
    page(&browser, None, &FormErrors::default()).await
}

#[derive(Deserialize)]
pub(crate) struct Entered {
    name: String,
}

pub(crate) async fn register(
    browser: Browser<Account>,
    Form(Entered { name }): Form<Entered>,
) -> Result<Response, AuthError> {
    match browser.register_pending(Some(&name), Map::new()).await {
        Ok(cookies) => Ok((cookies, Notice::JoinedWithProvider.on("/")).into_response()),
        Err(AuthError::InvalidFlowToken) => {
            Ok(Redirect::to("/login?error=invalid_flow_token").into_response())
        }
        Err(error) => page(&browser, Some(&name), &FormErrors::of(error)?).await,
    }
}
