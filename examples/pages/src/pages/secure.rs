//! `/secure`, to which the link in a security notice leads. The owner of the account locks it down, and needs no session for that.

use crate::account::Account;
use crate::site::{FormErrors, MailToken, Page, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::Response;
use axum_auth_module::{AuthError, Browser};
use maud::html;

/// The link in the mail.
pub(crate) const LINK: &str = "/secure?token={token}";

fn page(token: &MailToken, errors: &FormErrors) -> Response {
    Page::new("Lock your account down").errors(errors).with(html! {
        p { "Did somebody else do what the mail says? Then lock your account down:" }
        ul {
            li { "Its password is removed, and all of its sessions end." }
            li { "What somebody else may have added to it is removed, too." }
            li { "You get a mail with a link to a new password." }
        }
        p { "If it was you, close this page." }
        (PostForm::new("secure", "/secure", errors).content(token.field()).submit_danger("Lock my account down"))
    })
}

pub(crate) async fn show(Query(token): Query<MailToken>) -> Response {
    page(&token, &FormErrors::default())
}

pub(crate) async fn secure(
    browser: Browser<Account>,
    Form(token): Form<MailToken>,
) -> Result<Response, AuthError> {
    // Not a redirect with a notice: a form that is sent again changes nothing, and a visitor with another account sees this, too.
    Ok(match browser.secure_account(token.as_str()).await {
        Ok(()) => Page::new("Your account is locked down").with(html! {
            p #secured {
                "Its password is removed, and all of its sessions have ended. A mail with a link to a new password is on its way."
            }
            p { "Then you can " a #login-link href="/login" { "log in" } "." }
        }),
        Err(error) => page(&token, &FormErrors::of(error)?),
    })
}
