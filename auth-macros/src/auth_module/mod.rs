//! `auth_module! { … }`: assembles an `AuthModule` from a host's providers, and checks them before.

mod check;
mod empty;
mod expand;
mod fallback;
mod listed;
mod lookup;
mod model;
mod parse;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
mod unused;
mod vocabulary;

pub(crate) use empty::message as empty;

use crate::errors::Errors;
use listed::ListedFeatures;
use model::Module;
use proc_macro2::TokenStream;

/// The module's expression. If there are mistakes, it contains a `compile_error!` for each.
pub(crate) fn assemble(input: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let mut input = parse::input(input, &mut errors);
    parse::misplaced::put_right(&mut input, &mut errors);
    let list = ListedFeatures::of(&input, &mut errors);
    check::check(&input, &list, &mut errors);
    let module = Module::of(&input, &list);
    expand::module(&module, errors.into_compile_errors().as_ref())
}
