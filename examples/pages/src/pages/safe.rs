//! `/safe`: a page that requires two factors. Who has proven only one is sent to `/confirm`; who has no second factor sets one up first.

use crate::account::Account;
use crate::site::{Notice, Page};
use axum::response::{IntoResponse, Response};
use axum_auth_module::AuthError;
use axum_auth_module::assurance::{Assurance, Level};
use axum_auth_module::extract::Assured;
use maud::html;

/// A password or a mail, and a code.
pub(crate) struct Safe;

impl Assurance for Safe {
    const LEVEL: Level = Level::TwoFactors;
}

pub(crate) async fn show(
    assured: Result<Assured<Account, Safe>, AuthError>,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    match assured {
        Ok(Assured(account, ..)) => Ok(Page::new("Safe").user(&account).notice(notice).with(html! {
            p #safe-text { "This page is for " (account.name) ", who has proven two factors." }
        })),
        // Nothing that the user has is enough.
        Err(AuthError::InsufficientUserAuthentication(lacking)) if lacking.proofs.is_empty() => {
            Ok(Notice::TwoFactorFirst.on("/two-factor").into_response())
        }
        Err(error) => Err(error),
    }
}
