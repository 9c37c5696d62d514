//! The token of a link in a mail: it is in the query of the page, and then in a hidden field of the page's form.
//!
//! Without scripts, a page cannot read what follows a `#`. `password_reset` says why the token in the query gets to no other site.

use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

/// What is percent-encoded in the link in the mail, too.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The parameter `token` of a page or of a form. A link without one is like a link with a wrong one.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct MailToken {
    token: String,
}

impl MailToken {
    pub(crate) fn of(token: &str) -> Self {
        Self { token: token.to_owned() }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.token
    }

    /// The page with this token as its parameter, as the link in the mail has it.
    pub(crate) fn on(&self, page: &str) -> String {
        format!("{page}?token={}", utf8_percent_encode(&self.token, RESERVED))
    }

    /// The field of a form.
    pub(crate) fn field(&self) -> Markup {
        html! { input type="hidden" name="token" value=(self.token); }
    }
}
