//! What a page says about the form before. After a redirect it is one of these words in the query: the site keeps no state for it, and a
//! forged link can only show one of these texts.

use axum::extract::{OptionalFromRequestParts, Query};
use axum::http::request::Parts;
use maud::{Markup, Render, html};
use serde::Deserialize;
use std::convert::Infallible;

/// Generates the enum, its words and its texts from one list.
macro_rules! notices {
    ($($notice:ident $word:literal $text:literal)*) => {
        /// A notice: `Notice::Confirmed.on("/sessions")` is the address of a page that shows it, and the page takes `Option<Notice>`.
        #[derive(Clone, Copy, Deserialize)]
        pub(crate) enum Notice { $(#[serde(rename = $word)] $notice,)* }

        impl Notice {
            const fn word(self) -> &'static str {
                match self { $(Self::$notice => $word,)* }
            }

            const fn text(self) -> &'static str {
                match self { $(Self::$notice => $text,)* }
            }
        }
    };
}

notices! {
    LoggedOut "logged-out" "You are logged out."
    LoginExpired "login-expired" "Please log in again: the login took too long, or there were too many wrong codes."
    Confirmed "confirmed" "That is confirmed. You can continue."
    NoteAdded "note-added" "The note is added."
    NoteRemoved "note-removed" "The note is removed."
    SessionEnded "session-ended" "The session has ended."
    TwoFactorOn "two-factor-on" "Two-factor authentication is on. Keep these recovery codes in a safe place."
    TwoFactorOff "two-factor-off" "Two-factor authentication is off."
}

impl Notice {
    /// The address of a page that shows the notice.
    pub(crate) fn on(self, page: &str) -> String {
        let separator = if page.contains('?') { '&' } else { '?' };
        format!("{page}{separator}notice={}", self.word())
    }
}

/// It takes the focus: a part that htmx has put into the page may be without the button that had it.
impl Render for Notice {
    fn render(&self) -> Markup {
        html! { p #notice role="status" tabindex="-1" autofocus { (self.text()) } }
    }
}

impl<S: Sync> OptionalFromRequestParts<S> for Notice {
    type Rejection = Infallible;

    /// `None` also for a word that is no notice.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Infallible> {
        #[derive(Deserialize)]
        struct Words {
            notice: Notice,
        }
        Ok(Query::<Words>::try_from_uri(&parts.uri).ok().map(|Query(words)| words.notice))
    }
}
