//! `/two-factor`: the second factor. The page shows secrets, so it requires a recent confirmation.

use crate::account::Account;
use crate::site::{Field, FormErrors, Notice, Page, PostForm};
use axum::Form;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::extract::WithBody;
use axum_auth_module::services::TwoFactorAuthenticationService as TwoFactor;
use axum_auth_module::{AuthError, Browser, ConfirmedUser};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use serde::Deserialize;

const PATH: &str = "/two-factor";

async fn page(
    browser: &Browser<Account>,
    account: &Account,
    errors: &FormErrors,
    notice: Option<Notice>,
) -> Result<Page, AuthError> {
    let state = match (&account.two_factor_secret, account.two_factor_confirmed_at) {
        (None, _) => html! {
            p #two-factor-state { "Two-factor authentication is off." }
            (button("enable", "Set it up"))
        },
        (Some(_), None) => pending(browser, errors).await?,
        (Some(_), Some(_)) => on(browser).await?,
    };
    let part = html! { section #two-factor { @if let Some(notice) = notice { (notice) } (state) } };
    Ok(Page::new("Second factor", part).user(account).errors(errors))
}

fn button(action: &str, label: &str) -> Markup {
    let no_errors = FormErrors::default();
    PostForm::new(action, PATH, &no_errors).within("#two-factor").hidden("action", action).submit(label)
}

/// The user scans the QR code and enters a code of the app.
async fn pending(browser: &Browser<Account>, errors: &FormErrors) -> Result<Markup, AuthError> {
    let (who, client) = (browser.identity().await?, browser.visitor().address());
    let two_factor = browser.service::<TwoFactor>()?;
    let (svg, _) = two_factor.qr_code(&who, client).await?;
    let key = two_factor.secret_key(&who, client).await?;
    Ok(html! {
        p #two-factor-state { "Scan this image with your authenticator app, or enter the key below." }
        img #qr-code alt="QR code with the key below" width="192" height="192"
            src={ "data:image/svg+xml;base64," (STANDARD.encode(svg)) };
        p { code #secret-key { (key) } }
        (PostForm::new("confirm", PATH, errors)
            .within("#two-factor")
            .hidden("action", "confirm")
            .field(&Field::code("Code of your app"))
            .submit("Switch it on"))
        (button("disable", "Cancel"))
    })
}

async fn on(browser: &Browser<Account>) -> Result<Markup, AuthError> {
    let (who, client) = (browser.identity().await?, browser.visitor().address());
    let codes = browser.service::<TwoFactor>()?.recovery_codes(&who, client).await?;
    Ok(html! {
        p #two-factor-state { "Two-factor authentication is on." }
        p { "If you lose your telephone, log in with one of these recovery codes. Each of them works once." }
        ul #recovery-codes { @for code in &codes { li { code { (code) } } } }
        (button("disable", "Switch it off"))
    })
}

pub(crate) async fn show(
    browser: Browser<Account>,
    ConfirmedUser(account): ConfirmedUser<Account>,
    notice: Option<Notice>,
) -> Result<Page, AuthError> {
    page(&browser, &account, &FormErrors::default(), notice).await
}

/// What a form of the page does.
#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub(crate) enum Change {
    Enable,
    Confirm { code: String },
    Disable,
}

/// A redirect after each change, and no part: the change replaces the session's cookie, and the page needs the new one.
pub(crate) async fn change(
    browser: Browser<Account>,
    WithBody(ConfirmedUser(account), Form(change)): WithBody<ConfirmedUser<Account>, Form<Change>>,
) -> Result<Response, AuthError> {
    Ok(match change {
        Change::Enable => {
            let (who, client) = (browser.identity().await?, browser.visitor().address());
            browser.service::<TwoFactor>()?.enable(&who, false, client).await?;
            Redirect::to(PATH).into_response()
        }
        Change::Confirm { code } => match browser.confirm_two_factor(&code).await {
            Ok(cookies) => (cookies, Redirect::to(&Notice::TwoFactorOn.on(PATH))).into_response(),
            Err(error) => page(&browser, &account, &FormErrors::of(error)?, None).await?.into_response(),
        },
        Change::Disable => {
            let cookies = browser.disable_two_factor().await?;
            (cookies, Redirect::to(&Notice::TwoFactorOff.on(PATH))).into_response()
        }
    })
}
