//! Collects every mistake of one macro call, so that the host sees them all in one compile.

use proc_macro2::{Span, TokenStream};
use std::fmt::Display;

/// The mistakes found so far.
///
/// A list that is dropped before anybody asked for its errors is a bug of ours that would let a wrong host
/// compile, so it panics, in builds with debug assertions.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    found: Option<syn::Error>,
    asked: bool,
}

impl Errors {
    /// No mistakes yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a mistake. `span` has to be one token's: the stable compiler underlines only the first of several.
    pub(crate) fn report(&mut self, span: Span, message: impl Display) {
        self.absorb(syn::Error::new(span, message));
    }

    /// Adds what `syn` found.
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

    /// The mistakes as one `compile_error!` each, in the order found, or `None` when there is none.
    pub(crate) fn into_compile_errors(mut self) -> Option<TokenStream> {
        self.asked = true;
        self.found.take().map(|found| found.to_compile_error())
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        debug_assert!(self.asked || std::thread::panicking(), "nobody asked which errors were found");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn no_error_is_no_token() {
        assert!(Errors::new().into_compile_errors().is_none());
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "nobody asked")]
    fn a_list_that_nobody_read_panics() {
        Errors::new().report(Span::call_site(), "lost");
    }
}
