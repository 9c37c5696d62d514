//! `/providers`: where the user has an account that logs them in here. The page needs a recent confirmation, as their routes do.

use crate::account::Account;
use crate::site::{FormErrors, Notice, Page, PostForm, ProviderError, ProviderNames, provider_title, time};
use axum::Form;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum_auth_module::extract::WithBody;
use axum_auth_module::services::SocialLoginService;
use axum_auth_module::{AuthError, Browser, ConfirmedUser};
use maud::html;
use serde::Deserialize;

const PATH: &str = "/providers";

async fn page(
    browser: &Browser<Account>,
    account: &Account,
    names: &ProviderNames,
    errors: &FormErrors,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    let identities = browser.service::<SocialLoginService>()?.list(&browser.identity().await?).await?;
    let no_errors = FormErrors::default();
    Ok(Page::new("Providers").user(account).errors(errors).notice(notice).with(html! {
        @if !errors.is_empty() { (PostForm::new("problem", PATH, errors).hidden("action", "none").submit("Reload")) }
        @if identities.is_empty() { p #no-providers { "You have linked none yet." } }
        ul #providers-list {
            @for identity in &identities {
                li.session {
                    h2 { (provider_title(&identity.provider)) }
                    p {
                        @if let Some(email) = &identity.email { (email) " · " }
                        "linked " (time(identity.created_at))
                        @if let Some(used) = identity.last_used_at { " · last used " (time(used)) }
                    }
                    (PostForm::new(&format!("unlink-{}", identity.id), PATH, &no_errors)
                        .hidden("action", "unlink")
                        .hidden("id", &identity.id)
                        .submit_danger(format!("Unlink {}", provider_title(&identity.provider))))
                }
            }
        }
        @for name in names.iter() {
            (PostForm::new(&format!("link-{name}"), &format!("{PATH}/{name}"), &no_errors)
                .submit(format!("Link {}", provider_title(name))))
        }
    }))
}

pub(crate) async fn show(
    browser: Browser<Account>,
    ConfirmedUser(account): ConfirmedUser<Account>,
    State(names): State<ProviderNames>,
    Query(error): Query<ProviderError>,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    page(&browser, &account, &names, &error.errors(), notice).await
}

/// `POST /providers/{provider}`: to the provider, and from there back to this page.
pub(crate) async fn begin(
    browser: Browser<Account>,
    ConfirmedUser(_): ConfirmedUser<Account>,
    Path(provider): Path<String>,
) -> Result<Response, AuthError> {
    browser.authorize_link(&provider, Some(PATH)).await
}

#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub(crate) enum Change {
    None,
    Unlink { id: String },
}

pub(crate) async fn change(
    browser: Browser<Account>,
    State(names): State<ProviderNames>,
    WithBody(ConfirmedUser(account), Form(change)): WithBody<ConfirmedUser<Account>, Form<Change>>,
) -> Result<Response, AuthError> {
    let Change::Unlink { id } = change else {
        return page(&browser, &account, &names, &FormErrors::default(), None).await;
    };
    let who = browser.identity().await?;
    let identities = browser.service::<SocialLoginService>()?;
    match identities.unlink(&who, &id, browser.visitor().address()).await {
        Ok(credentials) => {
            Ok((browser.cookies(credentials), Notice::ProviderUnlinked.on(PATH)).into_response())
        }
        Err(error) => page(&browser, &account, &names, &FormErrors::of(error)?, None).await,
    }
}
