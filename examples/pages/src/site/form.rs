//! Forms and their fields.
//!
//! The field names are those of the library, so that its errors find their fields: `email`, `passwordConfirmation`.

use super::FormErrors;
use maud::{Markup, Render, html};

/// A field with its label.
#[derive(Default)]
pub(crate) struct Field<'a> {
    name: &'a str,
    label: &'a str,
    kind: &'a str,
    autocomplete: &'a str,
    value: &'a str,
    hint: Option<&'a str>,
    is_read_only: bool,
}

impl<'a> Field<'a> {
    pub(crate) fn text(name: &'a str, label: &'a str, autocomplete: &'a str) -> Self {
        Self { name, label, kind: "text", autocomplete, ..Self::default() }
    }

    /// The field `email`.
    pub(crate) fn email() -> Self {
        let (name, label) = ("email", "E-mail address");
        Self { name, label, kind: "email", autocomplete: "username", ..Self::default() }
    }

    /// The field `email` of the login, in which an address or a user name is typed.
    pub(crate) fn account() -> Self {
        Self { label: "E-mail address or user name", kind: "text", ..Self::email() }
    }

    /// The field `username`, which can stay empty.
    pub(crate) fn username() -> Self {
        let (name, label) = ("username", "User name");
        Self { name, label, kind: "text", autocomplete: "off", ..Self::default() }.hint(
            "If you want one, to log in with: at least 3 letters, digits, dots, underscores or hyphens.",
        )
    }

    /// The field `email` for an address that is not the user's yet.
    pub(crate) fn new_email() -> Self {
        Self { label: "New e-mail address", autocomplete: "email", ..Self::email() }
    }

    /// A password, which is never shown again.
    pub(crate) fn password(name: &'a str, label: &'a str, autocomplete: &'a str) -> Self {
        Self { name, label, kind: "password", autocomplete, ..Self::default() }
    }

    /// A code of an authenticator app.
    pub(crate) fn code() -> Self {
        let (name, label) = ("code", "Six-digit code of your app");
        Self { name, label, kind: "text", autocomplete: "one-time-code", ..Self::default() }
    }

    /// A code in a mail.
    pub(crate) fn mailed_code() -> Self {
        Self { label: "Code in the mail", ..Self::code() }
    }

    /// What the visitor has entered before.
    pub(crate) fn value(self, value: &'a str) -> Self {
        Self { value, ..self }
    }

    /// A sentence below the label.
    pub(crate) fn hint(self, hint: &'a str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    pub(crate) fn read_only(self) -> Self {
        Self { is_read_only: true, ..self }
    }

    fn render(&self, form: &str, error: Option<&str>, has_focus: bool) -> Markup {
        let id = format!("{form}-{}", self.name);
        let (hint_id, error_id) = (format!("{id}-hint"), format!("{id}-error"));
        let descriptions = [self.hint.map(|_| &*hint_id), error.map(|_| &*error_id)];
        let described_by = descriptions.into_iter().flatten().collect::<Vec<_>>().join(" ");
        html! {
            div.field {
                label for=(id) { (self.label) }
                @if let Some(hint) = self.hint { p.hint id=(hint_id) { (hint) } }
                @if let Some(error) = error { p.error id=(error_id) { (error) } }
                input id=(id) name=(self.name) type=(self.kind) value=(self.value)
                    autocomplete=(self.autocomplete)
                    inputmode=[(self.autocomplete == "one-time-code").then_some("numeric")]
                    aria-describedby=[(!described_by.is_empty()).then_some(described_by)]
                    aria-invalid=[error.map(|_| "true")]
                    readonly[self.is_read_only] autofocus[has_focus];
            }
        }
    }
}

/// A form, from its fields to its button: `PostForm::new("login", "/login", &errors).field(…).submit("Log in")`.
///
/// The form `login` has the id `login-form`, its field `email` the id `login-email`, its button `login-submit`.
pub(crate) struct PostForm<'a> {
    id: &'a str,
    action: &'a str,
    errors: &'a FormErrors,
    fields: Vec<Field<'a>>,
    content: Vec<Markup>,
}

impl<'a> PostForm<'a> {
    pub(crate) fn new(id: &'a str, action: &'a str, errors: &'a FormErrors) -> Self {
        Self { id, action, errors, fields: Vec::new(), content: Vec::new() }
    }

    pub(crate) fn field(mut self, field: Field<'a>) -> Self {
        let error = self.errors.of_field(field.name);
        // The focus goes to the first field to correct.
        let has_focus = error.is_some() && self.fields.iter().all(|field| !self.errors.has(field.name));
        self.content.push(field.render(self.id, error, has_focus));
        self.fields.push(field);
        self
    }

    pub(crate) fn checkbox(mut self, name: &str, label: &str, is_checked: bool) -> Self {
        let id = format!("{}-{name}", self.id);
        self.content.push(html! {
            div.checkbox {
                input id=(id) name=(name) type="checkbox" value="yes" checked[is_checked];
                label for=(id) { (label) }
            }
        });
        self
    }

    pub(crate) fn hidden(self, name: &str, value: &str) -> Self {
        self.content(html! { input type="hidden" name=(name) value=(value); })
    }

    /// Anything else.
    pub(crate) fn content(mut self, content: Markup) -> Self {
        self.content.push(content);
        self
    }

    pub(crate) fn submit(self, label: impl Render) -> Markup {
        self.button(&label, "primary")
    }

    /// A button for what cannot be undone.
    pub(crate) fn submit_danger(self, label: impl Render) -> Markup {
        self.button(&label, "danger")
    }

    fn button(&self, label: &impl Render, class: &str) -> Markup {
        let summary = self.summary();
        let summary_id = format!("{}-errors", self.id);
        html! {
            // `novalidate`: the module's rules count, and its messages are shown alike in all browsers.
            form id={ (self.id) "-form" } method="post" action=(self.action) novalidate
                aria-describedby=[summary.as_ref().map(|_| &summary_id)] {
                @if let Some(summary) = summary { (summary) }
                @for content in &self.content { (content) }
                button id={ (self.id) "-submit" } class=(class) { (label) }
            }
        }
    }

    /// All errors above the fields, with links to them.
    fn summary(&self) -> Option<Markup> {
        if self.errors.is_empty() {
            return None;
        }
        let is_here = |name: &str| self.fields.iter().any(|field| field.name == name);
        Some(html! {
            div.errors id={ (self.id) "-errors" } role="alert" {
                @if let Some(message) = &self.errors.message { p { (message) } }
                @if !self.errors.fields.is_empty() {
                    p { "Please correct this:" }
                    ul { @for (name, text) in &self.errors.fields { li {
                        @if is_here(name) { a href={ "#" (self.id) "-" (name) } { (text) } } @else { (text) }
                    } } }
                }
            }
        })
    }
}
