//! What stands in for a module that cannot be put together, or for a part of it.
//!
//! The host's other code goes on to use it. Without a value of the right type there, each such use would be an error
//! too, and the one that counts would be hard to find among them.

use super::catalog::{Place, Provider};
use crate::crate_path::CratePath;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Expr;

/// A module of the type that this repository's users give it. It is never run: it comes with a `compile_error!`.
pub(crate) fn unbuilt(
    krate: &CratePath,
    (word, user_repo): &(Ident, Expr),
    errors: Option<&TokenStream>,
) -> TokenStream {
    let krate = krate.at(word.span());
    let module = quote_spanned!(word.span()=> #krate::private::unbuilt(&#user_repo));
    quote! {{
        #errors
        #module
    }}
}

/// A provider of the kind that is missing. With it the feature's other providers are checked, and are not unused.
pub(crate) fn provider(krate: &CratePath, provider: &Provider) -> TokenStream {
    let interface = Ident::new(provider.interface, Span::call_site());
    let user = (provider.place == Place::Actions).then(|| quote!(<_>));
    quote!(::core::option::Option::<::std::sync::Arc<dyn #krate::#interface #user>>::None.unwrap())
}

/// Nothing that has a type: after a `compile_error!` as its value, the compiler asks nothing more of an expression.
pub(crate) fn nothing(errors: Option<&TokenStream>) -> TokenStream {
    quote!({ #errors })
}
