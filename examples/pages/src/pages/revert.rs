//! `/revert`, to which the link in the mail to a previous address leads. The owner takes the account back, and needs no session for that:
//! the person who has changed the address may have changed the password, too.

use crate::account::Account;
use crate::site::{FormErrors, MailToken, Page, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::Response;
use axum_auth_module::{AuthError, Browser};
use maud::html;

fn page(token: &MailToken, errors: &FormErrors) -> Response {
    Page::new("Take your account back").errors(errors).with(html! {
        p { "Did somebody else change the e-mail address of your account? Then take it back:" }
        ul {
            li { "Your account gets the address back at which you got the mail." }
            li { "Its password is removed, and all of its sessions end." }
            li { "You get a mail with a link to a new password." }
        }
        p { "If you have changed the address yourself, close this page." }
        (PostForm::new("revert", "/revert", errors).content(token.field()).submit_danger("Take my account back"))
    })
}

pub(crate) async fn show(Query(token): Query<MailToken>) -> Response {
    page(&token, &FormErrors::default())
}

pub(crate) async fn revert(
    browser: Browser<Account>,
    Form(token): Form<MailToken>,
) -> Result<Response, AuthError> {
    // Not a redirect with a notice: a form that is sent again changes nothing, and a visitor with another account sees this, too.
    Ok(match browser.revert_email(token.as_str()).await {
        Ok(()) => Page::new("Your account is yours again").with(html! {
            p #reverted {
                "Your account has its previous e-mail address again. Its password is removed, and all of its sessions have ended. "
                "A mail with a link to a new password is on its way."
            }
            p { "Then you can " a #login-link href="/login" { "log in" } "." }
        }),
        // The account is locked down all the same, and the link has done what it can.
        Err(AuthError::EmailTaken) => Page::new("Your account is locked down").with(html! {
            p #not-reverted {
                "Another account has this e-mail address by now, so yours could not get it back. Its password is removed, and all of its "
                "sessions have ended. Tell us: we can give your account another address."
            }
        }),
        Err(error) => page(&token, &FormErrors::of(error)?),
    })
}
