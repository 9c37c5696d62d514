//! Reads `key: value, key: value`, and goes on after a mistake.

use crate::errors::Errors;
use proc_macro2::TokenTree;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, Token};

/// Reads all pairs of `input`, and answers whether each had a key: without one it is not known what the host gave.
///
/// `take` is called with each key and reads the value that stands behind the colon. It is not given an input where
/// there is no value; that has been reported then.
pub(crate) fn read(
    input: ParseStream<'_>,
    errors: &mut Errors,
    mut take: impl FnMut(Ident, Option<ParseStream<'_>>, &mut Errors) -> syn::Result<()>,
) -> bool {
    let mut whole = true;
    while !input.is_empty() {
        let Some(key) = key(input, errors) else {
            whole = false;
            skip_to_next_pair(input);
            continue;
        };
        let value = at_value(&key, input, errors).then_some(input);
        let taken = take(key, value, errors);
        let reported = value.is_none() || taken.is_err();
        if let Err(error) = taken {
            errors.absorb(error);
        }
        end_of_pair(reported, input, errors);
    }
    whole
}

/// The key: one word, of which the host may have written the path.
fn key(input: ParseStream<'_>, errors: &mut Errors) -> Option<Ident> {
    if !input.peek(Ident::peek_any) {
        errors.report(input.span(), "expected a word and a colon here: `key: value`");
        return None;
    }
    let first = input.call(Ident::parse_any).ok()?;
    let mut last = first;
    let mut alone = true;
    while input.peek(Token![::]) && input.peek3(Ident::peek_any) {
        input.parse::<Token![::]>().ok()?;
        last = input.call(Ident::parse_any).ok()?;
        alone = false;
    }
    if !alone {
        errors.report(last.span(), format!("expected one word here\n\nhelp: write `{last}: …`"));
    }
    Some(last)
}

/// Reads the colon behind a key, and says whether a value follows.
fn at_value(key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> bool {
    if input.peek(Token![=]) && !input.peek(Token![==]) {
        errors.report(input.span(), format!("expected a colon here\n\nhelp: write `{key}: …`"));
        return input.parse::<Token![=]>().is_ok();
    }
    let colon = input.peek(Token![:]) && !input.peek(Token![::]) && input.parse::<Token![:]>().is_ok();
    let value = colon && !(input.is_empty() || input.peek(Token![,]) || at_pair(input));
    if !value {
        errors.report(key.span(), format!("`{key}` has no value\n\nhelp: write `{key}: …`"));
    }
    value
}

/// Reads the comma that ends a pair. What stands there instead is reported, unless a mistake in the pair has been.
fn end_of_pair(reported: bool, input: ParseStream<'_>, errors: &mut Errors) {
    if input.is_empty() || input.parse::<Option<Token![,]>>().is_ok_and(|comma| comma.is_some()) {
        return;
    }
    if !reported {
        let place = if at_pair(input) { "before this word" } else { "here" };
        errors.report(input.span(), format!("expected a comma {place}"));
    }
    skip_to_next_pair(input);
}

/// Drops what is left of a pair, up to where the next one seems to begin.
fn skip_to_next_pair(input: ParseStream<'_>) {
    while !input.is_empty() && !at_pair(input) && input.parse::<TokenTree>().is_ok() {}
}

/// Whether a word and a single colon follow, or the equals sign that a host may write in its place. No value begins
/// so.
fn at_pair(input: ParseStream<'_>) -> bool {
    let colon = input.peek2(Token![:]) && !input.peek2(Token![::]);
    let equals = input.peek2(Token![=]) && !input.peek2(Token![==]) && !input.peek2(Token![=>]);
    input.peek(Ident::peek_any) && (colon || equals)
}
