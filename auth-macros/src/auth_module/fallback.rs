//! What stands in for the parts of a module that are missing.
//!
//! The host's other code goes on to use the module. Without a value of the right type there, each such use would be an
//! error too, and the one that counts would be hard to find among them. What the host did give is still checked, and
//! an editor knows what it is.

use super::catalog::Provider;
use crate::crate_path::CratePath;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// A configuration. With it everything else that the host gave is checked, and is not unused.
pub(crate) fn config(krate: &CratePath) -> TokenStream {
    quote!(::core::option::Option::<#krate::AuthConfig>::None.unwrap())
}

/// The errors, as a value of no type: the compiler asks nothing of it, nor of what is made from it, and where one is it
/// does not ask for types that cannot be known, or whether something is used twice.
pub(crate) fn errors(errors: &TokenStream) -> TokenStream {
    quote!({ #errors })
}

/// A provider of the kind that is missing. With it the feature's other providers are checked, and are not unused.
pub(crate) fn provider(krate: &CratePath, provider: &Provider) -> TokenStream {
    let interface = Ident::new(provider.interface, Span::call_site());
    let user = provider.is_of_users().then(|| quote!(<_>));
    quote!(::core::option::Option::<::std::sync::Arc<dyn #krate::private::traits::#interface #user>>::None.unwrap())
}
