//! Providers: their names, their buttons, and what is said when a sign-in with one has failed.

use super::{FormErrors, Next, PostForm};
use maud::{Markup, Render, html};
use serde::Deserialize;
use std::ops::Deref;
use std::sync::Arc;

/// The names of the providers, in the order of their buttons.
#[derive(Clone)]
pub(crate) struct ProviderNames(Arc<[String]>);

impl<'a> FromIterator<&'a str> for ProviderNames {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        Self(names.into_iter().map(ToOwned::to_owned).collect())
    }
}

impl Deref for ProviderNames {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

/// What a provider is called.
pub(crate) fn provider_title(name: &str) -> &str {
    match name {
        "google" => "Google",
        "github" => "GitHub",
        other => other,
    }
}

/// A form with a button for each provider.
pub(crate) struct ProviderButtons<'a>(pub(crate) &'a ProviderNames, pub(crate) &'a Next);

impl Render for ProviderButtons<'_> {
    fn render(&self) -> Markup {
        let no_errors = FormErrors::default();
        html! {
            @for name in self.0.iter() {
                (PostForm::new(&format!("with-{name}"), &format!("/oauth/{name}"), &no_errors)
                    .content(self.1.field())
                    .submit(format!("Log in with {}", provider_title(name))))
            }
        }
    }
}

/// `?error=` of the callback. A link that somebody has forged can only show one of these texts.
#[derive(Default, Deserialize)]
pub(crate) struct ProviderError {
    error: Option<String>,
}

impl ProviderError {
    /// Whether an account has the address, and the user can link it with the provider after a login.
    pub(crate) fn asks_for_a_link(&self) -> bool {
        self.error.as_deref() == Some("account_exists")
    }

    /// Whether the account is going to be deleted, and the user can keep it.
    pub(crate) fn asks_to_restore(&self) -> bool {
        self.error.as_deref() == Some("account_pending_deletion")
    }

    /// What the page says. Empty without an error.
    pub(crate) fn errors(&self) -> FormErrors {
        let text = match self.error.as_deref() {
            None => return FormErrors::default(),
            Some("account_exists") => {
                "There is an account with your address already. Log in to it as always. Then you can link it."
            }
            Some("email_not_verified") => "Please verify the e-mail address of your account first.",
            Some("identity_taken") => "Another account is linked with that already.",
            Some("invalid_flow_token") => {
                "That took too long, or began in another browser. If an app has opened this page, open it in your browser \
                 and try again."
            }
            Some("provider_email_unverified") => {
                "The provider does not say that the address is yours, so there is no account for you here."
            }
            Some("provider_refused") => "The provider has not confirmed who you are, or you have cancelled.",
            Some("provider_unavailable") => {
                "The provider cannot be reached. Try again in a few seconds, or log in in another way."
            }
            Some("registration_closed") => "There is no account for you here, and this site makes none.",
            Some("too_many_attempts") => "There were too many attempts. Try again in a minute.",
            Some(_) => "That did not succeed.",
        };
        FormErrors::earlier(text)
    }
}
