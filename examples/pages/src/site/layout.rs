//! The layout of every page.

use super::{FormErrors, Notice};
use crate::account::Account;
use axum::Extension;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, Render, html};

/// A page: its title, and what the layout shows around its content.
pub(crate) struct Page<'a> {
    title: &'a str,
    visitor: Visitor<'a>,
    notice: Option<Notice>,
    errors: Option<&'a FormErrors>,
}

/// Who sees a page, which decides what is in its navigation.
enum Visitor<'a> {
    User(&'a Account),
    Guest,
    /// The page does not know: an error page, for example.
    Unknown,
}

/// Marks a response that is a page of the site.
#[derive(Clone)]
pub(super) struct InLayout;

impl<'a> Page<'a> {
    pub(crate) fn new(title: &'a str) -> Self {
        Self { title, visitor: Visitor::Unknown, notice: None, errors: None }
    }

    /// For the user who is logged in, or for a guest (`None`).
    pub(crate) fn user(self, user: impl Into<Option<&'a Account>>) -> Self {
        Self { visitor: user.into().map_or(Visitor::Guest, Visitor::User), ..self }
    }

    /// For somebody who is not logged in.
    pub(crate) fn guest(self) -> Self {
        Self { visitor: Visitor::Guest, ..self }
    }

    /// What the visitor is told about the form before.
    pub(crate) fn notice(self, notice: Option<Notice>) -> Self {
        Self { notice, ..self }
    }

    /// The errors of the page's form, which decide the status.
    pub(crate) fn errors(self, errors: &'a FormErrors) -> Self {
        Self { errors: Some(errors), ..self }
    }

    /// The response with this content.
    pub(crate) fn with(self, content: impl Render) -> Response {
        let errors = self.errors.filter(|errors| !errors.is_empty());
        let status = errors.map_or(StatusCode::OK, FormErrors::status);
        let retry_after = errors.and_then(FormErrors::retry_after).map(|seconds| [(RETRY_AFTER, seconds)]);
        (status, retry_after, Extension(InLayout), self.document(&content)).into_response()
    }

    pub(super) fn document(&self, content: &impl Render) -> Markup {
        let has_errors = self.errors.is_some_and(|errors| !errors.is_empty());
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    // A screen reader says the title first.
                    title { @if has_errors { "Error: " } (self.title) " · Pages" }
                    link rel="stylesheet" href="/style.css";
                    // Without this line browsers request /favicon.ico.
                    link rel="icon" href="data:,";
                }
                body {
                    a #skip-link href="#content" { "Skip to the content" }
                    header {
                        a #home-link href="/" { "Pages" }
                        (self.navigation())
                    }
                    main #content {
                        h1 { (self.title) }
                        @if let Some(notice) = self.notice { p #notice role="status" { (notice.text()) } }
                        (content)
                    }
                    footer {
                        @if let Visitor::User(account) = self.visitor {
                            p { "Logged in as " span #account-name { (account.name) } }
                        }
                        p { "A site that works without JavaScript, with " code { "axum-auth-module" } }
                    }
                }
            }
        }
    }

    fn navigation(&self) -> Markup {
        let link = |id: &str, path: &str, text: &str| {
            // The text is the beginning of its page's title.
            let current = self.title.starts_with(text).then_some("page");
            html! { li { a id=(id) href=(path) aria-current=[current] { (text) } } }
        };
        let links = match self.visitor {
            Visitor::User(_) => html! {
                (link("nav-members", "/members", "Members"))
                (link("nav-profile", "/profile", "Profile"))
                (link("nav-password", "/password", "Password"))
                (link("nav-passkeys", "/passkeys", "Passkeys"))
                (link("nav-providers", "/providers", "Providers"))
                (link("nav-two-factor", "/two-factor", "Two-factor"))
                (link("nav-sessions", "/sessions", "Sessions"))
                li { form #logout-form method="post" action="/logout" {
                    button #logout-submit.link { "Log out" }
                } }
            },
            Visitor::Guest => html! {
                (link("nav-login", "/login", "Log in"))
                (link("nav-register", "/register", "Register"))
            },
            Visitor::Unknown => return html! {},
        };
        html! { nav aria-label="Main" { ul { (links) } } }
    }
}
