//! Collects every mistake of one macro call, so that the host sees them all in one compilation.

use crate::crate_path::{LIBRARY, name_in_host};
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::fmt::Display;

/// The mistakes found so far. Their messages call the library by its name in the host.
///
/// With debug assertions it panics if it is dropped before its errors were taken: a wrong host would compile.
#[derive(Debug)]
pub(crate) struct Errors {
    library: String,
    found: Option<syn::Error>,
    taken: bool,
}

impl Errors {
    /// No mistakes yet.
    pub(crate) fn new() -> Self {
        Self::of(&name_in_host())
    }

    /// No mistakes yet, in a host that calls the library so.
    pub(crate) fn of(library: &str) -> Self {
        Self { library: library.to_owned(), found: None, taken: false }
    }

    /// The host's name for the library.
    pub(crate) fn library(&self) -> &str {
        &self.library
    }

    /// Calls the library by this path from now on.
    pub(crate) fn call_library(&mut self, path: &str) {
        path.trim_start_matches("::").clone_into(&mut self.library);
    }

    /// Adds a mistake at one token. Of several, the stable compiler would underline only the first.
    pub(crate) fn report(&mut self, span: Span, message: impl Display) {
        let message = self.in_host(&message);
        self.absorb(syn::Error::new(span, message));
    }

    /// Adds a mistake at all of these tokens.
    pub(crate) fn report_all(&mut self, tokens: impl ToTokens, message: impl Display) {
        let message = self.in_host(&message);
        self.absorb(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error of `syn`.
    pub(crate) fn absorb(&mut self, error: syn::Error) {
        match &mut self.found {
            Some(found) => found.combine(error),
            None => self.found = Some(error),
        }
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_none()
    }

    /// The mistakes as one `compile_error!` each, in the order found, or `None` if there are none.
    pub(crate) fn into_compile_errors(mut self) -> Option<TokenStream> {
        self.taken = true;
        self.found.take().map(|found| found.to_compile_error())
    }

    fn in_host(&self, message: &dyn Display) -> String {
        message.to_string().replace(LIBRARY, &self.library)
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        debug_assert!(self.taken || std::thread::panicking(), "the errors were not taken");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn every_error_becomes_a_compile_error() {
        let mut errors = Errors::new();
        errors.report(Span::call_site(), "one");
        errors.report(Span::call_site(), "two");
        let tokens = errors.into_compile_errors().unwrap().to_string();
        assert_eq!(tokens.matches("compile_error").count(), 2, "{tokens}");
        assert!(tokens.find("one") < tokens.find("two"), "{tokens}");
    }

    #[test]
    fn without_errors_there_are_no_tokens() {
        assert!(Errors::new().into_compile_errors().is_none());
    }

    #[test]
    fn messages_call_the_library_by_its_name_in_the_host() {
        let mut errors = Errors::of("login");
        errors.report(Span::call_site(), "write `axum_auth_module::StandardActions`");
        errors.call_library("::vendored::auth");
        errors.report_all(quote!(word), "write `#[auth(crate = ::axum_auth_module)]`");
        let tokens = errors.into_compile_errors().unwrap().to_string();
        assert!(tokens.contains("login::StandardActions"), "{tokens}");
        assert!(tokens.contains("crate = ::vendored::auth)"), "{tokens}");
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "the errors were not taken")]
    fn errors_that_are_not_taken_panic() {
        Errors::new().report(Span::call_site(), "lost");
    }
}
