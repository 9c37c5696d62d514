//! `#[derive(AuthUser)]`: the nine fields of a user record (specification §2.1) in a struct of the host's own.

mod attribute;
mod bounds;
mod editors;
mod expand;
mod fallback;
mod lifetimes;
mod model;
mod parse;
#[cfg(test)]
mod properties;
mod role;
#[cfg(test)]
mod tests;
mod types;
mod written;

use crate::errors::Errors;
use proc_macro2::TokenStream;
use quote::quote;

/// The implementations for this struct; with mistakes, also one `compile_error!` each.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::new();
    let record = parse::record(&input, &mut errors);
    let implementations = match model::User::of(&record, &mut errors) {
        Some(user) => expand::implementations(&user),
        None => fallback::implementations(&record),
    };
    let (editors, errors) = (editors::for_editors(&record), errors.into_compile_errors());
    quote!(#editors #errors #implementations)
}
