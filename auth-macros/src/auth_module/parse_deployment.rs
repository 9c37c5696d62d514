//! Reads the value of `deployment`: a word, for the compiler has to know it.

use super::beside::up_to_comma;
use super::catalog::{DEPLOYMENTS, Deployment};
use super::words::meant;
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::Ident;
use syn::LitStr;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};

/// `one` or `many`. What cannot be understood is reported, and taken for the one that asks for nothing.
pub(crate) fn deployment(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<(Ident, Deployment)> {
    let begin = input.span();
    let value = up_to_comma(input);
    if let Ok(word) = Ident::parse_any.parse2(value.clone()) {
        let meant = meant(word.clone(), "deployment", &DEPLOYMENTS.into_iter(), errors);
        return Ok((word, meant.map_or(Deployment::One, |meant| meant.what)));
    }
    let quoted = syn::parse2::<LitStr>(value.clone()).map(|quoted| quoted.value()).unwrap_or_default();
    let words = DEPLOYMENTS.into_iter().map(|(word, _)| word);
    let nearest = suggest::nearest(&quoted, words.clone());
    let help = match nearest {
        Some(word) => format!("write `{word}`"),
        None => format!("write one of {}", suggest::list(words, "or")),
    };
    let message = format!("a deployment is one bare word, which the compiler has to know\n\nhelp: {help}");
    errors.absorb(syn::Error::new_spanned(value, message));
    let meant = DEPLOYMENTS.into_iter().find(|(word, _)| Some(*word) == nearest);
    let (word, what) = meant.unwrap_or(("one", Deployment::One));
    Ok((Ident::new(word, begin), what))
}
