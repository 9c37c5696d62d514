//! Reads the value of `deployment`, a word.

use super::tokens::up_to_comma;
use crate::auth_module::lookup::resolve;
use crate::auth_module::vocabulary::{DEPLOYMENTS, Deployment};
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::Ident;
use syn::LitStr;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};

/// Reads `one` or `many`. Anything else is reported and counts as `one`, which requires nothing.
pub(super) fn deployment(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<(Ident, Deployment)> {
    let begin = input.span();
    let value = up_to_comma(input);
    if let Ok(word) = Ident::parse_any.parse2(value.clone()) {
        let resolved = resolve(word.clone(), "deployment", &DEPLOYMENTS.into_iter(), errors);
        return Ok((word, resolved.map_or(Deployment::One, |resolved| resolved.what)));
    }
    let quoted = syn::parse2::<LitStr>(value.clone()).map(|quoted| quoted.value()).unwrap_or_default();
    let words = DEPLOYMENTS.into_iter().map(|(word, _)| word);
    let nearest = suggest::nearest(&quoted, words.clone());
    let help = match nearest {
        Some(word) => format!("write `{word}`"),
        None => format!("write one of {}", suggest::list(words, "or")),
    };
    let message = format!("`deployment` takes a word, because it is checked at compile time\n\nhelp: {help}");
    errors.report_all(value, message);
    let known = DEPLOYMENTS.into_iter().find(|(word, _)| Some(*word) == nearest);
    let (word, what) = known.unwrap_or(("one", Deployment::One));
    Ok((Ident::new(word, begin), what))
}
