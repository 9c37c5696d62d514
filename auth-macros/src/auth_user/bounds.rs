//! The where clauses of the implementations.
//!
//! `AuthUser` has supertraits, and each role has a trait that its field's type must implement. For a struct with type
//! parameters these become bounds. A struct without parameters gets none, because the compiler then reports what is missing
//! at the derive or at the field's type.

use super::role::Mapped;
use crate::crate_path::CratePath;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use std::collections::HashSet;
use syn::{Generics, Ident, WherePredicate, parse_quote};

/// For `impl AuthUser` with these fields.
pub(crate) fn reading<'a>(
    generics: &Generics,
    library: &CratePath,
    fields: impl Iterator<Item = &'a Mapped<'a>>,
) -> Generics {
    let parameters: HashSet<_> = generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let conditions: Vec<WherePredicate> = fields
        .filter(|field| mentions(field.ty.to_token_stream(), &parameters))
        .map(|field| {
            let (ty, requirement) = (field.ty, format_ident!("{}", field.holds.requirement()));
            parse_quote!(#ty: #library::private::#requirement)
        })
        .collect();
    with(owned(generics), conditions)
}

/// For `impl AuthUser`, without the fields.
pub(crate) fn owned(generics: &Generics) -> Generics {
    let supertraits: WherePredicate = parse_quote! {
        Self: ::core::clone::Clone + ::core::marker::Send + ::core::marker::Sync + 'static
    };
    with(generics.clone(), (!generics.params.is_empty()).then_some(supertraits))
}

/// For `impl AuthUserMut`, from what `impl AuthUser` has.
///
/// A struct that lacks a supertrait of `AuthUser` is reported there. The `for` keeps the compiler from checking the bound
/// here too, so that it is not reported twice.
pub(crate) fn writing(reading: &Generics) -> Generics {
    let assumed: WherePredicate = parse_quote! {
        for<'assumed> Self: ::core::clone::Clone + ::core::marker::Send + ::core::marker::Sync
    };
    with(reading.clone(), reading.params.is_empty().then_some(assumed))
}

fn with(mut generics: Generics, conditions: impl IntoIterator<Item = WherePredicate>) -> Generics {
    let mut conditions = conditions.into_iter().peekable();
    if conditions.peek().is_some() {
        generics.make_where_clause().predicates.extend(conditions);
    }
    generics
}

/// Whether the tokens name one of these parameters.
fn mentions(tokens: TokenStream, parameters: &HashSet<Ident>) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => parameters.contains(&ident),
        TokenTree::Group(group) => mentions(group.stream(), parameters),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
