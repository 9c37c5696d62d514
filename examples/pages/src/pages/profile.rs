//! `/profile`: the name and the user name. The e-mail address is shown and has a page of its own, because it changes only after it is proven.

use crate::account::Account;
use crate::site::{Field, FormErrors, Notice, Page, PostForm, or_none};
use axum::Form;
use axum::response::{IntoResponse, Response};
use axum_auth_module::actions::{ProfileData, UsernameChange};
use axum_auth_module::error::FieldErrors;
use axum_auth_module::extract::WithBody;
use axum_auth_module::services::UpdateProfileInformationService;
use axum_auth_module::values::{EmailAddress, UserName, Username};
use axum_auth_module::{AuthError, Browser, CurrentUser, PageUser};
use maud::html;
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Entered {
    name: String,
    /// Empty: none.
    username: String,
}

impl Entered {
    /// The data with the address that the account has.
    fn data(&self, account: &Account) -> Result<ProfileData, FieldErrors> {
        let name = UserName::parse(&self.name);
        let username = match or_none(&self.username) {
            Some(username) => Username::parse(&username).map(UsernameChange::Set),
            None => Ok(UsernameChange::Remove),
        };
        let (name, username) = match (name, username) {
            (Ok(name), Ok(username)) => (name, username),
            (Err(name), Err(username)) => return Err(name.and(username)),
            (Err(errors), Ok(_)) | (Ok(_), Err(errors)) => return Err(errors),
        };
        let mut data = ProfileData::new(name, EmailAddress::parse(&account.email)?);
        data.username = username;
        Ok(data)
    }
}

fn page(account: &Account, entered: &Entered, errors: &FormErrors, notice: Option<Notice>) -> Response {
    Page::new("Profile").user(account).errors(errors).notice(notice).with(html! {
        (PostForm::new("profile", "/profile", errors)
            .field(Field::text("name", "Name", "name").value(&entered.name))
            .field(Field::username().value(&entered.username))
            .submit("Save"))
        p #profile-email {
            "Your e-mail address is " strong { (account.email) } ". " a #email-link href="/email" { "Change it" }
        }
        p {
            @if account.email_verified_at.is_some() {
                "Your e-mail address is verified."
            } @else {
                "Your e-mail address is not verified. " a #verification-link href="/email-verification" { "Verify it" }
            }
        }
        p { a #delete-link href="/delete-account" { "Delete your account" } }
    })
}

pub(crate) async fn show(PageUser(account): PageUser<Account>, notice: Option<Notice>) -> Response {
    let stored =
        Entered { name: account.name.clone(), username: account.username.clone().unwrap_or_default() };
    page(&account, &stored, &FormErrors::default(), notice)
}

pub(crate) async fn update(
    browser: Browser<Account>,
    WithBody(CurrentUser(account), Form(entered)): WithBody<CurrentUser<Account>, Form<Entered>>,
) -> Result<Response, AuthError> {
    let profiles = browser.service::<UpdateProfileInformationService>()?;
    let (who, client) = (browser.identity().await?, browser.visitor().address());
    let updated = async { profiles.update(&who, entered.data(&account)?, client).await };
    Ok(match updated.await {
        Ok(()) => Notice::ProfileSaved.on("/profile").into_response(),
        Err(error) => page(&account, &entered, &FormErrors::of(error)?, None),
    })
}
