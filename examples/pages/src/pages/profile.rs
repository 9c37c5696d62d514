//! `/profile`: the name and the e-mail address.

use crate::account::Account;
use crate::site::{Field, FormErrors, Notice, Page, PostForm};
use axum::Form;
use axum::response::{IntoResponse, Response};
use axum_auth_module::actions::ProfileData;
use axum_auth_module::error::FieldErrors;
use axum_auth_module::extract::WithBody;
use axum_auth_module::services::UpdateProfileInformationService;
use axum_auth_module::values::{EmailAddress, UserName};
use axum_auth_module::{AuthError, Browser, CurrentUser, PageUser};
use maud::html;
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Entered {
    name: String,
    email: String,
}

impl Entered {
    /// The data, or the errors of both fields.
    fn data(&self) -> Result<ProfileData, FieldErrors> {
        match (UserName::parse(&self.name), EmailAddress::parse(&self.email)) {
            (Ok(name), Ok(email)) => Ok(ProfileData::new(name, email)),
            (Err(name), Err(email)) => Err(name.and(email)),
            (Err(errors), Ok(_)) | (Ok(_), Err(errors)) => Err(errors),
        }
    }
}

fn page(account: &Account, entered: &Entered, errors: &FormErrors, notice: Option<Notice>) -> Response {
    Page::new("Profile").user(account).errors(errors).notice(notice).with(html! {
        (PostForm::new("profile", "/profile", errors)
            .field(Field::text("name", "Name", "name").value(&entered.name))
            .field(Field::email().value(&entered.email))
            .submit("Save"))
        p {
            @if account.email_verified_at.is_some() {
                "Your e-mail address is verified."
            } @else {
                "Your e-mail address is not verified. " a #verification-link href="/email-verification" { "Verify it" }
            }
        }
    })
}

pub(crate) async fn show(PageUser(account): PageUser<Account>, notice: Option<Notice>) -> Response {
    let stored = Entered { name: account.name.clone(), email: account.email.clone() };
    page(&account, &stored, &FormErrors::default(), notice)
}

pub(crate) async fn update(
    browser: Browser<Account>,
    WithBody(CurrentUser(account), Form(entered)): WithBody<CurrentUser<Account>, Form<Entered>>,
) -> Result<Response, AuthError> {
    let profiles = browser.service::<UpdateProfileInformationService>()?;
    let (who, client) = (browser.identity().await?, browser.visitor().address());
    let updated = async { profiles.update(&who, entered.data()?, client).await };
    Ok(match updated.await {
        Ok(()) => Notice::ProfileSaved.on("/profile").into_response(),
        Err(error) => page(&account, &entered, &FormErrors::of(error)?, None),
    })
}
