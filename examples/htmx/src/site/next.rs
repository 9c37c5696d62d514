//! Where a form leads when it is done: the page that the visitor wanted before the login or the confirmation.

use axum_auth_module::extract::next_path;
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

/// Where a login leads without a `next`.
pub(crate) const HOME: &str = "/notes";

/// The longest path that a page is given as `next`, in bytes. A longer one is dropped.
const LONGEST: usize = 1024;

/// The parameter `next` of a page or of a form.
#[derive(Clone, Default, Deserialize)]
pub(crate) struct Next {
    next: Option<String>,
}

impl Next {
    pub(crate) fn to(path: &str) -> Self {
        Self { next: Some(path.to_owned()) }
    }

    /// The path, if it is one of this site, and otherwise the home page. Anybody can write a link with a `next`, and any text can be in
    /// a header of a request, so neither must be followed without this check.
    pub(crate) fn path(&self) -> &str {
        let path = self.next.as_deref().and_then(next_path);
        path.filter(|path| path.len() <= LONGEST).unwrap_or(HOME)
    }

    /// The page with this path as its parameter.
    pub(crate) fn after(&self, page: &str) -> String {
        match self.path() {
            HOME => page.to_owned(),
            next => format!("{page}?next={}", utf8_percent_encode(next, NON_ALPHANUMERIC)),
        }
    }

    /// The field of a form.
    pub(crate) fn field(&self) -> Markup {
        html! { input type="hidden" name="next" value=(self.path()); }
    }
}
