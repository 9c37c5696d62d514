//! What stands in for a module that cannot be put together.
//!
//! The host's other code goes on to use it. Without a value of the right type there, each such use would be an error
//! too, and the one that counts would be hard to find among them.

use crate::crate_path::CratePath;
use proc_macro2::{Ident, TokenStream};
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

/// Nothing that has a type: after a `compile_error!` as its value, the compiler asks nothing more of an expression.
pub(crate) fn nothing(errors: Option<&TokenStream>) -> TokenStream {
    quote!({ #errors })
}
