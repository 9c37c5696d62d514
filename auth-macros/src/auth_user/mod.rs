//! `#[derive(AuthUser)]`: finds the nine fields of a user record (specification §2.1) in a struct of the host.

mod attribute;
mod bounds;
mod expand;
mod fallback;
mod field_types;
mod lifetimes;
mod model;
mod parse;
#[cfg(test)]
mod properties;
mod role;
mod rust_analyzer;
#[cfg(test)]
mod tests;
mod type_shape;

use crate::errors::Errors;
use proc_macro2::TokenStream;
use quote::quote;

/// The implementations for this struct. If there are mistakes, also a `compile_error!` for each.
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
    let (for_editors, errors) = (rust_analyzer::for_editors(&record), errors.into_compile_errors());
    quote!(#for_editors #errors #implementations)
}
