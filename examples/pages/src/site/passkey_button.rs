//! The buttons for passkeys, and their script. Only a script can ask a browser for a passkey, so without one the buttons are hidden.

use super::Next;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use maud::{Markup, Render, html};

/// Where the module's routes for browsers are, which the script uses.
pub(crate) const MODULE: &str = "/auth";

/// What a button asks for a passkey.
pub(crate) enum PasskeyButton<'a> {
    /// To log in.
    LogIn(&'a Next),
    /// To complete a login that needs a second factor.
    Challenge(&'a Next),
    /// To confirm that it is the user.
    Confirm(&'a Next),
    /// To make one and to add it to the account. The button leads to this page.
    Add(&'a str),
}

impl Render for PasskeyButton<'_> {
    fn render(&self) -> Markup {
        let (id, label, options, answer, next) = match self {
            Self::LogIn(next) => {
                ("login", "Log in with a passkey", "/passkeys/login/options", "/passkeys/login", next.path())
            }
            Self::Challenge(next) => {
                let options = "/two-factor-challenge/passkey-options";
                ("challenge", "Use a passkey", options, "/two-factor-challenge", next.path())
            }
            Self::Confirm(next) => {
                let options = "/user/confirm-passkey/options";
                ("confirm", "Use a passkey", options, "/user/confirm-passkey", next.path())
            }
            Self::Add(page) => ("add", "Add a passkey", "/user/passkeys/options", "/user/passkeys", *page),
        };
        let challenge = Next::to(next).after("/two-factor-challenge");
        html! {
            div.passkey {
                button.primary id={ (id) "-passkey" } type="button" hidden data-options={ (MODULE) (options) }
                    data-answer={ (MODULE) (answer) } data-next=(next) data-challenge=(challenge) { (label) }
                p.error role="alert" {}
            }
            script type="module" src="/passkeys.js" {}
        }
    }
}

/// `GET /passkeys.js`
pub(crate) async fn script() -> impl IntoResponse {
    let headers = [(CONTENT_TYPE, "text/javascript; charset=utf-8"), (CACHE_CONTROL, "no-cache")];
    (headers, include_str!("passkeys.js"))
}
