//! Values in place of the missing parts of a module.
//!
//! The host's other code uses the module. Without a value of the right type, each use would be a further error. Everything
//! that the host did give is still checked, and editors know what it is. This code is never run: it comes with a
//! `compile_error!`.

use crate::catalog::Provider;
use crate::crate_path::CratePath;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// A configuration.
pub(crate) fn config(library: &CratePath) -> TokenStream {
    quote!(::core::option::Option::<#library::AuthConfig>::None.unwrap())
}

/// The errors, as a value whose type is an error: the compiler reports nothing that follows from it, such as types that
/// cannot be inferred or values that are used after a move.
pub(crate) fn errors(errors: &TokenStream) -> TokenStream {
    quote!({ #errors })
}

/// A provider of the missing kind.
pub(crate) fn provider(library: &CratePath, provider: &Provider) -> TokenStream {
    let trait_name = Ident::new(provider.trait_name, Span::call_site());
    let user = provider.is_of_users().then(|| quote!(<_>));
    let message = provider.message.map(|message| Ident::new(message, Span::call_site()));
    let message = message.map(|message| quote!(<#library::private::traits::#message>));
    let provider = quote!(dyn #library::private::traits::#trait_name #user #message);
    quote!(::core::option::Option::<::std::sync::Arc<#provider>>::None.unwrap())
}
