//! The derive and the module macro of `axum-auth-module`.
//!
//! Hosts do not depend on this crate: the library re-exports both macros, and its documentation of `AuthUser` and
//! `auth_module!` describes them.
//!
//! Both macros have the same stages, one file or folder each: *parse* reads what the host wrote, *model* turns it into
//! what is meant, and *expand* writes code from the model alone and cannot fail. Mistakes are collected on the way, so that
//! one compilation reports them all, and *fallback* writes code in place of what is missing, so that no further error
//! follows from the first ones.

mod auth_module;
mod auth_user;
mod catalog;
mod crate_path;
mod errors;
mod suggest;
#[cfg(test)]
mod testing;

use proc_macro::TokenStream;

/// Implements `AuthUser` and `AuthUserMut` for a host's user record; see `axum_auth_module::AuthUser`.
#[proc_macro_derive(AuthUser, attributes(auth))]
pub fn derive_auth_user(input: TokenStream) -> TokenStream {
    auth_user::derive(input.into()).into()
}

/// Assembles an `AuthModule`; see `axum_auth_module::auth_module!`, which calls this with the path to the library in front.
#[proc_macro]
pub fn auth_module(input: TokenStream) -> TokenStream {
    auth_module::assemble(input.into()).into()
}

/// The message for an `auth_module!` without input, as a literal.
#[doc(hidden)]
#[proc_macro]
pub fn empty_module(_: TokenStream) -> TokenStream {
    auth_module::empty().into()
}

/// Calls a macro with the list of features: `catalog! { callback }`. The library generates its own lists from it.
#[doc(hidden)]
#[proc_macro]
pub fn catalog(input: TokenStream) -> TokenStream {
    catalog::tokens(&input.into()).into()
}
