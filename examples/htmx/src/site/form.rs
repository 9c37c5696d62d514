//! Forms and their fields.
//!
//! The field names are those of the library, so that its errors find their fields: `email`, `passwordConfirmation`.

use super::FormErrors;
use maud::{Markup, html};

/// A field with its label.
pub(crate) struct Field<'a> {
    name: &'a str,
    label: &'a str,
    kind: &'a str,
    autocomplete: &'a str,
    value: &'a str,
}

impl<'a> Field<'a> {
    pub(crate) const fn text(name: &'a str, label: &'a str, autocomplete: &'a str) -> Self {
        Self { name, label, kind: "text", autocomplete, value: "" }
    }

    /// The field `email`.
    pub(crate) const fn email() -> Self {
        let (name, label) = ("email", "E-mail address");
        Self { name, label, kind: "email", autocomplete: "username", value: "" }
    }

    /// A password, which is never shown again: there is no value.
    pub(crate) const fn password(name: &'a str, label: &'a str, autocomplete: &'a str) -> Self {
        Self { name, label, kind: "password", autocomplete, value: "" }
    }

    /// The field `code`.
    pub(crate) const fn code(label: &'a str) -> Self {
        Self::text("code", label, "one-time-code")
    }

    /// What the visitor has entered before.
    pub(crate) const fn value(self, value: &'a str) -> Self {
        Self { value, ..self }
    }

    fn render(&self, form: &str, error: Option<&str>, has_focus: bool) -> Markup {
        let id = format!("{form}-{}", self.name);
        let error_id = format!("{id}-error");
        html! {
            div.field {
                label for=(id) { (self.label) }
                @if let Some(error) = error { p.error id=(error_id) { (error) } }
                input id=(id) name=(self.name) type=(self.kind) value=(self.value)
                    autocomplete=(self.autocomplete)
                    aria-describedby=[error.map(|_| &error_id)]
                    aria-invalid=[error.map(|_| "true")]
                    autofocus[has_focus];
            }
        }
    }
}

/// A form, from its fields to its button: `PostForm::new("login", "/login", &errors).field(…).submit("Log in")`.
///
/// The form `login` has the id `login-form`, its field `email` the id `login-email`, its button `login-submit`. It is a form for
/// browsers with attributes for htmx: htmx sends it, and puts the response in place of the target.
pub(crate) struct PostForm<'a> {
    id: &'a str,
    action: &'a str,
    errors: &'a FormErrors,
    target: &'a str,
    fields: Vec<&'a str>,
    content: Vec<Markup>,
}

impl<'a> PostForm<'a> {
    /// A form that is itself the part of the page that htmx replaces.
    pub(crate) fn new(id: &'a str, action: &'a str, errors: &'a FormErrors) -> Self {
        Self { id, action, errors, target: "this", fields: Vec::new(), content: Vec::new() }
    }

    /// htmx replaces the element with this selector, in which the form is.
    pub(crate) fn within(self, target: &'a str) -> Self {
        Self { target, ..self }
    }

    pub(crate) fn field(mut self, field: &Field<'a>) -> Self {
        let error = self.errors.of_field(field.name);
        // The focus goes to the first field to correct.
        let has_focus =
            error.is_some() && self.fields.iter().all(|name| self.errors.of_field(name).is_none());
        self.content.push(field.render(self.id, error, has_focus));
        self.fields.push(field.name);
        self
    }

    pub(crate) fn checkbox(self, name: &str, label: &str, is_checked: bool) -> Self {
        let id = format!("{}-{name}", self.id);
        self.content(html! {
            div.checkbox {
                input id=(id) name=(name) type="checkbox" value="yes" checked[is_checked];
                label for=(id) { (label) }
            }
        })
    }

    pub(crate) fn hidden(self, name: &str, value: &str) -> Self {
        self.content(html! { input type="hidden" name=(name) value=(value); })
    }

    /// Anything else.
    pub(crate) fn content(mut self, content: Markup) -> Self {
        self.content.push(content);
        self
    }

    pub(crate) fn submit(self, label: &str) -> Markup {
        self.submit_for(label, "")
    }

    /// With what the button is for, which screen readers say alone.
    pub(crate) fn submit_for(self, label: &str, what: &str) -> Markup {
        let name = (!what.is_empty()).then(|| format!("{label}: {what}"));
        html! {
            // `novalidate`: the module's rules count, and its messages are shown alike in all browsers. htmx disables the button while
            // the form is on its way, so that it is sent once.
            form id={ (self.id) "-form" } method="post" action=(self.action) novalidate
                hx-post=(self.action) hx-target=(self.target) hx-swap="outerHTML" hx-disabled-elt="find button" {
                (self.summary())
                @for content in &self.content { (content) }
                button id={ (self.id) "-submit" } aria-label=[name] { (label) }
            }
        }
    }

    /// What is wrong with the form as a whole, and the errors of fields that the form does not show.
    fn summary(&self) -> Markup {
        let elsewhere = self.errors.elsewhere(&self.fields);
        html! {
            @if !elsewhere.is_empty() {
                div.errors id={ (self.id) "-errors" } role="alert" tabindex="-1" autofocus {
                    @for text in elsewhere { p { (text) } }
                }
            }
        }
    }
}
