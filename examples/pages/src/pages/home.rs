//! `/`: the home page. A user sees a greeting, a guest the links to registration and login.

use crate::account::Account;
use crate::site::{Notice, Page};
use axum::response::Response;
use axum_auth_module::CurrentUser;
use maud::html;

pub(crate) async fn show(user: Option<CurrentUser<Account>>, notice: Option<Notice>) -> Response {
    let account = user.as_deref();
    Page::new("Home").user(account).notice(notice).with(html! {
        @match account {
            Some(account) => {
                p #greeting { "Hello, " (account.name) "!" }
                p { "The " a href="/members" { "members’ page" } " is for verified e-mail addresses only." }
                p { "The " a #safe-link href="/safe" { "safe" } " opens with two factors only." }
            }
            None => {
                p #greeting { "Hello, stranger!" }
                p { a href="/register" { "Register" } " or " a href="/login" { "log in" } "." }
            }
        }
    })
}
