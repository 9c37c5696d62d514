//! A page: the layout, and in it the part that the page's forms replace.

use super::assets::{CONFIG, SCRIPT};
use super::{FormErrors, Notice};
use crate::account::Account;
use axum::http::StatusCode;
use maud::{DOCTYPE, Markup, html};

/// The response of a handler that shows something. `site/htmx.rs` decides whether it becomes a document.
#[derive(Clone)]
pub(crate) struct Page {
    title: &'static str,
    /// The name of the user, or `None` for a guest.
    user: Option<String>,
    status: StatusCode,
    retry_after: Option<u64>,
    /// One element, which a form of the page names as its target.
    part: Markup,
    below: Option<Markup>,
    changed_at: Option<String>,
    is_problem: bool,
}

/// A page in the extensions of a response.
#[derive(Clone)]
pub(super) struct InPage(pub(super) Box<Page>);

impl Page {
    /// For a guest.
    pub(crate) fn new(title: &'static str, part: Markup) -> Self {
        Self {
            title,
            user: None,
            status: StatusCode::OK,
            retry_after: None,
            part,
            below: None,
            changed_at: None,
            is_problem: false,
        }
    }

    /// The explanation of an error for which there is no form.
    pub(super) fn problem(title: &'static str, status: StatusCode, part: Markup) -> Self {
        Self { status, is_problem: true, ..Self::new(title, part) }
    }

    /// For the user who is logged in.
    pub(crate) fn user(self, account: &Account) -> Self {
        Self { user: Some(account.name.clone()), ..self }
    }

    /// What is below the part, and stays when a form replaces the part.
    pub(crate) fn below(self, content: Markup) -> Self {
        Self { below: Some(content), ..self }
    }

    /// The errors of the page's form, which decide the status.
    pub(crate) fn errors(self, errors: &FormErrors) -> Self {
        Self { status: errors.status(), retry_after: errors.retry_after(), ..self }
    }

    /// The page after its form has changed something. A browser is redirected to it (POST/redirect/GET), so that loading it again sends
    /// no form.
    pub(crate) fn changed(self, address: &str, notice: Notice) -> Self {
        Self { changed_at: Some(notice.on(address)), ..self }
    }

    pub(super) const fn status(&self) -> StatusCode {
        self.status
    }

    pub(super) const fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    pub(super) fn changed_at(&self) -> Option<&str> {
        self.changed_at.as_deref()
    }

    pub(super) const fn is_problem(&self) -> bool {
        self.is_problem
    }

    pub(super) const fn part(&self) -> &Markup {
        &self.part
    }

    /// The part for htmx, which also removes the problem of the request before.
    pub(super) fn part_without_problem(&self) -> Markup {
        html! {
            (self.part)
            div #problem role="alert" hx-swap-oob="true" {}
        }
    }

    pub(super) fn document(&self, has_htmx: bool) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    // A screen reader says the title first.
                    title { @if !self.status.is_success() { "Error: " } (self.title) " · Notes" }
                    link rel="stylesheet" href="/style.css";
                    // Without this line browsers request /favicon.ico.
                    link rel="icon" href="data:,";
                    @if has_htmx {
                        meta name="htmx-config" content=(CONFIG);
                        script src=(SCRIPT) defer {}
                    }
                }
                body {
                    header {
                        a #home-link href="/" { "Notes" }
                        (self.navigation())
                    }
                    main {
                        h1 { (self.title) }
                        div #problem role="alert" {}
                        (self.part)
                        @if let Some(content) = &self.below { (content) }
                    }
                }
            }
        }
    }

    fn navigation(&self) -> Markup {
        // An error page does not know whose it is.
        if self.is_problem {
            return html! {};
        }
        let link = |path: &str, text: &str| {
            let current = (self.title == text).then_some("page");
            html! { li { a href=(path) aria-current=[current] { (text) } } }
        };
        html! {
            nav aria-label="Main" { ul {
                @if let Some(name) = &self.user {
                    (link("/notes", "Your notes"))
                    (link("/sessions", "Sessions"))
                    (link("/two-factor", "Second factor"))
                    // Without htmx: after a logout the whole document is another one anyway.
                    li { form #logout-form method="post" action="/logout" {
                        button { "Log out" span.for-screen-readers { " " (name) } }
                    } }
                } @else {
                    (link("/login", "Log in"))
                    (link("/register", "Register"))
                }
            } }
        }
    }
}
