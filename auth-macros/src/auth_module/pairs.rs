//! Reads `key: value, key: value`, and goes on after a mistake.

use crate::errors::Errors;
use proc_macro2::TokenTree;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, LitStr, Token};

/// Reads all pairs of `input`, and answers whether each had a key: without one it is not known what the host gave.
///
/// `take` is called with each key and reads the value that stands behind the colon. It is not given an input where
/// there is no value; that has been reported then, with what `example` has to say of the key.
pub(crate) fn read(
    input: ParseStream<'_>,
    example: &dyn Fn(&str) -> Option<&'static str>,
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
        let value = at_value(&key, input, example, errors).then_some(input);
        let taken = take(key, value, errors);
        let reported = value.is_none() || taken.is_err();
        if let Err(error) = taken {
            errors.absorb(error);
        }
        end_of_pair(reported, input, errors);
    }
    whole
}

/// The key: one word, of which the host may have written the path, or which it may have put in quotes.
fn key(input: ParseStream<'_>, errors: &mut Errors) -> Option<Ident> {
    if let Some(quoted) = quoted_key(input) {
        report_as_bare(&quoted, quoted.clone(), errors);
        return Some(quoted);
    }
    if !input.peek(Ident::peek_any) {
        let help = "help: a module is written as `key: value, key: value`";
        errors.report(input.span(), format!("expected a word and a colon here\n\n{help}"));
        return None;
    }
    let mut last = input.call(Ident::parse_any).ok()?;
    let mut path = last.to_token_stream();
    while input.peek(Token![::]) && input.peek3(Ident::peek_any) {
        let colons = input.parse::<Token![::]>().ok()?;
        last = input.call(Ident::parse_any).ok()?;
        path.extend(quote!(#colons #last));
    }
    if path.clone().into_iter().nth(1).is_some() {
        report_as_bare(&last, path, errors);
    }
    Some(last)
}

/// `"key":`, as the word that is meant.
fn quoted_key(input: ParseStream<'_>) -> Option<Ident> {
    let ahead = input.fork();
    let quoted = ahead.parse::<LitStr>().ok()?;
    let mut word = syn::parse_str::<Ident>(&quoted.value()).ok()?;
    if !(ahead.peek(Token![:]) || ahead.peek(Token![=])) {
        return None;
    }
    word.set_span(quoted.span());
    input.parse::<LitStr>().is_ok().then_some(word)
}

fn report_as_bare(word: &Ident, written: impl ToTokens, errors: &mut Errors) {
    let message = format!("a key is one bare word\n\nhelp: write `{word}`");
    errors.absorb(syn::Error::new_spanned(written, message));
}

/// Reads the colon behind a key, and says whether a value follows.
fn at_value(
    key: &Ident,
    input: ParseStream<'_>,
    example: &dyn Fn(&str) -> Option<&'static str>,
    errors: &mut Errors,
) -> bool {
    let mut written = key.to_token_stream();
    if input.peek(Token![=]) && !input.peek(Token![==]) {
        errors.report(input.span(), "expected a colon here\n\nhelp: write `:`");
        return input.parse::<Token![=]>().is_ok() && !ends(input);
    }
    let colon = input.peek(Token![:]) && !input.peek(Token![::]);
    if colon && let Ok(colon) = input.parse::<Token![:]>() {
        colon.to_tokens(&mut written);
    }
    let value = colon && !(ends(input) || at_pair(input));
    if !value {
        let comma = if ends(input) { "" } else { "," };
        let example = example(&key.to_string()).unwrap_or("…");
        let message = format!("`{key}` has no value\n\nhelp: write `{key}: {example}{comma}`");
        errors.absorb(syn::Error::new_spanned(written, message));
    }
    value
}

/// Whether the pair ends here.
fn ends(input: ParseStream<'_>) -> bool {
    input.is_empty() || input.peek(Token![,])
}

/// Reads the comma that ends a pair. What stands there instead is reported, unless a mistake in the pair has been.
fn end_of_pair(reported: bool, input: ParseStream<'_>, errors: &mut Errors) {
    if input.is_empty() || input.parse::<Option<Token![,]>>().is_ok_and(|comma| comma.is_some()) {
        return;
    }
    if !reported {
        report_no_comma(input, at_pair(input), errors);
    }
    skip_to_next_pair(input);
}

/// Reports that a comma is missing here. `is_begun`: what follows is the beginning of the next entry.
pub(super) fn report_no_comma(input: ParseStream<'_>, is_begun: bool, errors: &mut Errors) {
    let message = match is_begun {
        true => "expected a comma before this word\n\nhelp: write `,` before it",
        false => "expected a comma here\n\nhelp: leave out what does not belong to the value before it",
    };
    errors.report(input.span(), message);
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
    let begins = input.peek(Ident::peek_any) || (input.peek(LitStr) && quoted_ahead(input));
    begins && (colon || equals)
}

/// Whether the text that follows is a quoted word.
fn quoted_ahead(input: ParseStream<'_>) -> bool {
    input.fork().parse::<LitStr>().is_ok_and(|quoted| syn::parse_str::<Ident>(&quoted.value()).is_ok())
}
