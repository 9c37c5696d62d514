//! Reports structs that borrow: a user record outlives the request that read it, so it must own its data.

use super::parse::Record;
use super::type_shape::{Kind, TypeShape, shown};
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Type};

/// Reports the struct's lifetimes, and each field that uses one. Returns whether there are none.
pub(crate) fn check(record: &Record<'_>, errors: &mut Errors) -> bool {
    let (ident, generics) = (record.ident, record.generics);
    let lifetimes: Vec<_> = generics.lifetimes().map(|parameter| parameter.lifetime.to_string()).collect();
    if lifetimes.is_empty() {
        return true;
    }
    let message = format!(
        "a user record must own its data, but `{ident}` borrows for {}\n\nhelp: write `{}`",
        suggest::list(&lifetimes, "and"),
        shown(without_lifetimes(ident, generics))
    );
    errors.report_all(quote!(#ident #generics), message);
    for field in record.fields.iter().flatten() {
        let Some(lasting) = lasting(field.ty, generics) else { continue };
        let message = format!(
            "`{}` must own its data, found the reference `{}`\n\nhelp: write `{}`",
            field.name,
            shown(field.ty),
            shown(owned(field.ty, generics).unwrap_or(lasting))
        );
        errors.report_all(field.ty, message);
    }
    false
}

/// A type that uses one of the struct's lifetimes, with `'static` in place of these.
pub(crate) fn lasting(ty: &Type, generics: &Generics) -> Option<TokenStream> {
    let lifetimes: Vec<_> = generics.lifetimes().map(|parameter| &parameter.lifetime.ident).collect();
    let mut is_used = false;
    let lasting = replaced(ty.to_token_stream(), &lifetimes, &mut is_used);
    is_used.then_some(lasting)
}

fn replaced(tokens: TokenStream, lifetimes: &[&Ident], is_used: &mut bool) -> TokenStream {
    let mut is_lifetime = false;
    let replace = |token: TokenTree| {
        let follows = std::mem::replace(
            &mut is_lifetime,
            matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\''),
        );
        match token {
            TokenTree::Ident(ident) if follows && lifetimes.contains(&&ident) => {
                *is_used = true;
                TokenTree::Ident(Ident::new("static", ident.span()))
            }
            TokenTree::Group(group) => {
                let inside = replaced(group.stream(), lifetimes, is_used);
                TokenTree::Group(proc_macro2::Group::new(group.delimiter(), inside))
            }
            token => token,
        }
    };
    tokens.into_iter().map(replace).collect()
}

/// The owned type behind the reference, if it is certain.
fn owned(ty: &Type, generics: &Generics) -> Option<TokenStream> {
    let shape = TypeShape::of(ty, generics);
    let core = match shape.kind? {
        Kind::BareText => quote!(String),
        Kind::Several => return None,
        _ => shape.core.to_token_stream(),
    };
    (shape.is_borrowed && lasting(shape.core, generics).is_none())
        .then(|| (0..shape.nulls).fold(core, |inside, _| quote!(Option<#inside>)))
}

/// `Account<T>`
fn without_lifetimes(ident: &Ident, generics: &Generics) -> TokenStream {
    let mut generics = generics.clone();
    let others =
        generics.params.into_iter().filter(|parameter| !matches!(parameter, GenericParam::Lifetime(_)));
    generics.params = others.collect();
    quote!(#ident #generics)
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn what_is_certain_is_owned_and_the_rest_lasts() {
        let generics = parse_quote!(<'a, 'b, T: Default>);
        let instead = |ty: &str| {
            let ty = syn::parse_str(ty).unwrap();
            let lasting = lasting(&ty, &generics)?;
            Some(shown(owned(&ty, &generics).unwrap_or(lasting)))
        };
        let borrowed = [
            ("&'a str", "String"),
            ("Option<&'b str>", "Option<String>"),
            ("&'a i64", "i64"),
            ("&'a Plan", "&'static Plan"),
            ("&'a [u8]", "&'static [u8]"),
            ("Cow<'a, str>", "Cow<'static, str>"),
            ("Both<'a, Option<(&'b str, a)>>", "Both<'static, Option<(&'static str, a)>>"),
        ];
        for (ty, right) in borrowed {
            assert_eq!(instead(ty).as_deref(), Some(right));
        }
        assert_eq!(instead("&'static str"), None);
        assert_eq!(instead("Map<a, b>"), None);
        assert_eq!(shown(without_lifetimes(&parse_quote!(Account), &generics)), "Account<T: Default>");
        assert_eq!(shown(without_lifetimes(&parse_quote!(Account), &parse_quote!(<'a>))), "Account");
    }
}
