//! What editors are told of the words of `#[auth(…)]`: what a role is, and which there are where one is begun.

use super::parse::Record;
use proc_macro2::TokenStream;
use quote::quote;

/// All words of the fields' attributes. It comes first, and the same whatever is wrong, for an editor finds its place in
/// the code by what stands before it.
pub(crate) fn for_editors(record: &Record<'_>) -> TokenStream {
    let krate = &record.krate;
    let words = record.fields.iter().flatten().flat_map(|field| &field.words);
    quote!(#krate::private::for_editors! { roles: [#(#words)*] })
}
