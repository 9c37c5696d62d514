//! Reads the value of `deployment`: a word, for the compiler has to know it.

use super::catalog::{DEPLOYMENTS, Deployment};
use super::words::meant;
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, Ident, Token};

/// `one` or `many`.
pub(crate) fn deployment(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<(Ident, Deployment)> {
    let words = DEPLOYMENTS.into_iter();
    let ahead = input.fork();
    let word = ahead.call(Ident::parse_any).ok().filter(|_| ahead.is_empty() || ahead.peek(Token![,]));
    if let Some(word) = word {
        input.call(Ident::parse_any)?;
        // One that is not understood is taken for what asks for less.
        let what =
            meant(word.clone(), "deployment", &words, errors).map_or(Deployment::One, |meant| meant.what);
        return Ok((word, what));
    }
    let begin = input.span();
    let mut value = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        value.extend([input.parse::<proc_macro2::TokenTree>()?]);
    }
    let quoted = syn::parse2::<syn::LitStr>(value.clone()).ok();
    let nearest =
        quoted.and_then(|quoted| suggest::nearest(&quoted.value(), words.clone().map(|(word, _)| word)));
    let help = match nearest {
        Some(word) => format!("write `{word}`"),
        None => format!("write one of {}", suggest::list(words.map(|(word, _)| word), "or")),
    };
    let message = format!("a deployment is one bare word, which the compiler has to know\n\nhelp: {help}");
    errors.absorb(match syn::parse2::<Expr>(value.clone()) {
        Ok(value) => syn::Error::new_spanned(value, message),
        Err(_) => syn::Error::new(begin, message),
    });
    Ok((Ident::new("one", begin), Deployment::One))
}
