//! Gives the input, as tokens, to `auth_module!` and to `#[derive(AuthUser)]`.
//!
//! Neither panics. What comes out of the first is an expression and out of the second items, with or without a
//! `compile_error!`, and whatever the tokens are.

#![no_main]

// The macros' modules themselves, because a crate of procedural macros exports no functions.
#[path = "../../auth-macros/src/auth_module/mod.rs"]
mod auth_module;
#[path = "../../auth-macros/src/auth_user/mod.rs"]
mod auth_user;
#[path = "../../auth-macros/src/catalog/mod.rs"]
mod catalog;
#[path = "../../auth-macros/src/crate_path.rs"]
mod crate_path;
#[path = "../../auth-macros/src/errors.rs"]
mod errors;
#[path = "../../auth-macros/src/suggest.rs"]
mod suggest;

use libfuzzer_sys::fuzz_target;
use proc_macro2::TokenStream;
use quote::quote;

fuzz_target!(|input: &str| {
    let Ok(tokens) = input.parse::<TokenStream>() else { return };
    // These two are for the library itself.
    auth_module::empty();
    catalog::tokens(&tokens);
    // What the `macro_rules!` of the library passes on.
    let module = auth_module::assemble(quote!((::axum_auth_module) #tokens));
    assert!(syn::parse2::<syn::Expr>(module.clone()).is_ok(), "this is no expression: {module}");
    let items = auth_user::derive(tokens);
    assert!(syn::parse2::<syn::File>(items.clone()).is_ok(), "these are no items: {items}");
});
