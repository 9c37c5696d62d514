//! `/members`: a page for verified users. Others are sent to the page where they can verify their address.

use crate::account::Account;
use crate::site::{Notice, Page};
use axum::response::Response;
use axum_auth_module::VerifiedUser;
use maud::html;

pub(crate) async fn show(VerifiedUser(account): VerifiedUser<Account>, notice: Option<Notice>) -> Response {
    Page::new("Members").user(&account).notice(notice).with(html! {
        p #members-text { "Only members with a verified e-mail address see this page, " (account.name) "." }
    })
}
