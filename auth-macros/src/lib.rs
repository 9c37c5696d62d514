//! The derive and the module macro of `axum-auth-module`.
//!
//! Hosts do not depend on this crate: `auth` re-exports both under its own name, and its documentation of
//! `AuthUser` and `auth_module!` says what they take.
//!
//! Both macros are written in the same stages, one file each: *parse* reads what the host wrote, *model* turns it
//! into what is meant, and *expand* writes code from the model alone and cannot fail. Every mistake found on the
//! way is collected, so that one compile names them all, and *fallback* stands in for what cannot be written, so
//! that no further error follows from the first ones.

mod auth_module;
mod auth_user;
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

/// Assembles an `AuthModule`; see `axum_auth_module::auth_module!`, which calls this with the path to `auth` in front.
#[proc_macro]
pub fn auth_module(input: TokenStream) -> TokenStream {
    auth_module::assemble(input.into()).into()
}
