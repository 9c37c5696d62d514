//! The words of `#[auth(…)]` for editors, which show the documentation of a role and complete it.

use super::parse::Record;
use proc_macro2::TokenStream;
use quote::quote;

/// All words of the fields' attributes. It comes first and does not depend on mistakes, because an editor finds the cursor
/// by the tokens before it.
pub(crate) fn for_editors(record: &Record<'_>) -> TokenStream {
    let library = &record.library;
    let words = record.fields.iter().flatten().flat_map(|field| &field.words);
    quote!(#library::private::for_editors! { roles: [#(#words)*] })
}
