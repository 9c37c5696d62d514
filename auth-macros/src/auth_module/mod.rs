//! `auth_module! { … }`: an `AuthModule` put together from a host's providers, checked beforehand.

mod beside;
mod catalog;
mod expand;
mod fallback;
mod features;
mod misplaced;
mod model;
mod needs;
mod pairs;
mod parse;
mod parse_deployment;
mod parse_features;
#[cfg(test)]
mod properties;
mod strays;
#[cfg(test)]
mod tests;
mod words;

use crate::errors::Errors;
use features::List;
use model::Module;
use proc_macro2::TokenStream;

/// The module's expression; with mistakes, also one `compile_error!` each in it.
pub(crate) fn assemble(input: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let input = parse::input(input, &mut errors);
    let list = List::of(&input, &mut errors);
    needs::check(&input, &list, &mut errors);
    let errors = errors.into_compile_errors();
    expand::module(&Module::of(&input, &list), errors.as_ref())
}
