//! `/email-verification`, and `/verify-email`, to which the link in the mail leads.
//!
//! The link leads to a page of the site and not to the module's own route: that responds with JSON, and a visitor who is
//! not logged in would get an error. This page sends him to the login page first, and back. And it verifies with a button,
//! because programs that check the links of mails open them, too, and a GET request must change nothing.

use crate::account::Account;
use crate::site::{FormErrors, Notice, Page, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::{IntoResponse, Response};
use axum_auth_module::extract::WithBody;
use axum_auth_module::services::EmailVerificationService;
use axum_auth_module::{AuthError, Browser, CurrentUser, PageUser};
use maud::html;
use serde::Deserialize;

/// The link in the mail.
pub(crate) const LINK: &str = "/verify-email?id={id}&hash={hash}&signature={signature}&expires={expires}";

fn page(account: &Account, errors: &FormErrors, notice: Option<Notice>) -> Response {
    Page::new("Your e-mail address").user(account).errors(errors).notice(notice).with(html! {
        @match account.email_verified_at {
            Some(_) => { p #verification-state { strong { (account.email) } " is verified." } }
            None => {
                p #verification-state { strong { (account.email) } " is not verified yet." }
                (PostForm::new("verification", "/email-verification", errors).submit("Send me a link"))
                p { "Is that not your address? " a #email-link href="/email" { "Change it" } }
            }
        }
    })
}

pub(crate) async fn show(PageUser(account): PageUser<Account>, notice: Option<Notice>) -> Response {
    page(&account, &FormErrors::default(), notice)
}

pub(crate) async fn send(
    browser: Browser<Account>,
    CurrentUser(account): CurrentUser<Account>,
) -> Result<Response, AuthError> {
    let (who, client) = (browser.identity().await?, browser.visitor().address());
    Ok(match browser.service::<EmailVerificationService>()?.notify(&who, client).await {
        Ok(_) => Notice::VerificationSent.on("/email-verification").into_response(),
        Err(error) => page(&account, &FormErrors::of(error)?, None),
    })
}

/// The query of the link, and what the form sends.
#[derive(Deserialize)]
pub(crate) struct Link {
    id: String,
    hash: String,
    signature: String,
    expires: String,
}

fn link_page(account: &Account, link: &Link, errors: &FormErrors) -> Response {
    Page::new("Verify your e-mail address").user(account).errors(errors).with(html! {
        p { "Is " strong { (account.email) } " your address?" }
        (PostForm::new("verify", "/verify-email", errors)
            .hidden("id", &link.id)
            .hidden("hash", &link.hash)
            .hidden("signature", &link.signature)
            .hidden("expires", &link.expires)
            .submit("Yes, verify it"))
        p { a #verification-link href="/email-verification" { "Request another link" } }
    })
}

pub(crate) async fn show_link(PageUser(account): PageUser<Account>, Query(link): Query<Link>) -> Response {
    link_page(&account, &link, &FormErrors::default())
}

pub(crate) async fn verify(
    browser: Browser<Account>,
    WithBody(CurrentUser(account), Form(link)): WithBody<CurrentUser<Account>, Form<Link>>,
) -> Result<Response, AuthError> {
    let who = browser.identity().await?;
    let verification = browser.service::<EmailVerificationService>()?;
    let verified = async {
        if link.id != account.id {
            return Err(AuthError::VerificationLinkNotYours);
        }
        let Link { hash, signature, expires, .. } = &link;
        verification.verify(&who, hash, signature, expires, browser.visitor().address()).await
    };
    Ok(match verified.await {
        Ok(()) => Notice::Verified.on("/").into_response(),
        Err(error) => link_page(&account, &link, &FormErrors::of(error)?),
    })
}
