//! `/two-factor` and `/recovery-codes`. Both need a recent confirmation of the password: they show secrets.

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

async fn page(
    browser: &Browser<Account>,
    account: &Account,
    errors: &FormErrors,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    let content = match (&account.two_factor_secret, account.two_factor_confirmed_at) {
        (None, _) => off(errors),
        (Some(_), None) => pending(browser, errors).await?,
        (Some(_), Some(_)) => on(errors),
    };
    let page = Page::new("Two-factor authentication").user(account).errors(errors).notice(notice);
    Ok(page.with(content))
}

fn off(errors: &FormErrors) -> Markup {
    html! {
        p #two-factor-state { "Two-factor authentication is off." }
        p { "With it, you need your password and a code of an app on your phone to log in." }
        (PostForm::new("enable", "/two-factor", errors).hidden("action", "enable").submit("Set it up"))
    }
}

/// The user scans the QR code and enters a code of the app.
async fn pending(browser: &Browser<Account>, errors: &FormErrors) -> Result<Markup, AuthError> {
    let (who, client) = (browser.identity().await?, browser.visitor().address());
    let two_factor = browser.service::<TwoFactor>()?;
    let (svg, url) = two_factor.qr_code(&who, client).await?;
    let key = two_factor.secret_key(&who, client).await?;
    Ok(html! {
        p #two-factor-state { "Two-factor authentication is not on yet." }
        p { "Scan this image with your authenticator app." }
        img #qr-code alt="QR code with the key below" width="192" height="192"
            src={ "data:image/svg+xml;base64," (STANDARD.encode(svg)) };
        p { "If your app is on this device, " a #otpauth-link href=(url) { "open it" } ". Otherwise enter this key:" }
        p { code #secret-key { (key) } }
        (PostForm::new("confirm", "/two-factor", errors)
            .hidden("action", "confirm")
            .field(Field::code())
            .submit("Switch it on"))
        (PostForm::new("cancel", "/two-factor", &FormErrors::default()).hidden("action", "disable").submit_danger("Cancel"))
    })
}

fn on(errors: &FormErrors) -> Markup {
    html! {
        p #two-factor-state { "Two-factor authentication is on." }
        p { a #recovery-codes-link href="/recovery-codes" { "Your recovery codes" } }
        (PostForm::new("disable", "/two-factor", errors).hidden("action", "disable").submit_danger("Switch it off"))
    }
}

pub(crate) async fn show(
    browser: Browser<Account>,
    ConfirmedUser(account): ConfirmedUser<Account>,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
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

pub(crate) async fn change(
    browser: Browser<Account>,
    WithBody(ConfirmedUser(account), Form(change)): WithBody<ConfirmedUser<Account>, Form<Change>>,
) -> Result<Response, AuthError> {
    Ok(match change {
        Change::Enable => {
            let (who, client) = (browser.identity().await?, browser.visitor().address());
            browser.service::<TwoFactor>()?.enable(&who, false, client).await?;
            Redirect::to("/two-factor").into_response()
        }
        Change::Confirm { code } => match browser.confirm_two_factor(&code).await {
            Ok(cookies) => (cookies, Notice::TwoFactorOn.on("/recovery-codes")).into_response(),
            Err(error) => page(&browser, &account, &FormErrors::of(error)?, None).await?,
        },
        Change::Disable => {
            (browser.disable_two_factor().await?, Notice::TwoFactorOff.on("/two-factor")).into_response()
        }
    })
}

pub(crate) async fn show_recovery_codes(
    browser: Browser<Account>,
    ConfirmedUser(account): ConfirmedUser<Account>,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    if account.two_factor_confirmed_at.is_none() {
        return Ok(Redirect::to("/two-factor").into_response());
    }
    let (who, client) = (browser.identity().await?, browser.visitor().address());
    let codes = browser.service::<TwoFactor>()?.recovery_codes(&who, client).await?;
    Ok(Page::new("Recovery codes").user(&account).notice(notice).with(html! {
        p { "If you lose your phone, log in with one of these codes instead. Each of them works once." }
        ul #recovery-codes-list { @for code in &codes { li { code { (code) } } } }
        (PostForm::new("recovery-codes", "/recovery-codes", &FormErrors::default()).submit_danger("Replace all codes"))
    }))
}

pub(crate) async fn replace_recovery_codes(browser: Browser<Account>) -> Result<Response, AuthError> {
    let (who, client) = (browser.identity().await?, browser.visitor().address());
    browser.service::<TwoFactor>()?.regenerate_recovery_codes(&who, client).await?;
    Ok(Notice::RecoveryCodesReplaced.on("/recovery-codes").into_response())
}
