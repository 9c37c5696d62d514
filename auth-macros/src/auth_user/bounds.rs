//! Under which conditions the implementations hold.
//!
//! `AuthUser` has supertraits, and the roles ask something of their fields' types. Where a struct has parameters, all
//! of that becomes a condition on them. Where it has none there is nothing to wait for, and what is missing is
//! better said by the compiler, at the derive or at the field's type.

use super::model::Mapped;
use crate::crate_path::CratePath;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use std::collections::HashSet;
use syn::{Generics, Ident, WherePredicate, parse_quote};

/// For `impl AuthUser` with these fields.
pub(crate) fn reading<'a>(
    generics: &Generics,
    krate: &CratePath,
    fields: impl Iterator<Item = &'a Mapped<'a>>,
) -> Generics {
    let parameters: HashSet<_> = generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let conditions: Vec<WherePredicate> = fields
        .filter(|field| mentions(field.ty.to_token_stream(), &parameters))
        .map(|field| {
            let (ty, requirement) = (field.ty, format_ident!("{}", field.role.holds.requirement()));
            parse_quote!(#ty: #krate::private::#requirement)
        })
        .collect();
    with(owned(generics), conditions)
}

/// For `impl AuthUser` whatever the fields.
pub(crate) fn owned(generics: &Generics) -> Generics {
    let supertraits: WherePredicate = parse_quote! {
        Self: ::core::clone::Clone + ::core::marker::Send + ::core::marker::Sync + 'static
    };
    with(generics.clone(), (!generics.params.is_empty()).then_some(supertraits))
}

/// For `impl AuthUserMut`, from what `impl AuthUser` has.
///
/// A struct that lacks a supertrait of `AuthUser` has been told so there, and is not told again: the `for` keeps
/// the compiler from deciding at once whether the condition holds.
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

fn mentions(tokens: TokenStream, parameters: &HashSet<Ident>) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => parameters.contains(&ident),
        TokenTree::Group(group) => mentions(group.stream(), parameters),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
