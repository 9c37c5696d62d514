//! Reads `key: value, key: value, ..value`, and continues after a mistake.

use super::tokens::ends;
use crate::errors::Errors;
use proc_macro2::TokenTree;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, LitStr, Token};

/// Takes the entries as they are read.
pub(super) trait Entries {
    /// A value to show for a key that has none.
    fn example(&self, key: &str) -> Option<&'static str>;

    /// Takes a key and reads the value after the colon. There is no input if the value is missing, which was reported.
    fn entry(&mut self, key: Ident, value: Option<ParseStream<'_>>, errors: &mut Errors) -> syn::Result<()>;

    /// Reads `..value`. `None` where that means nothing.
    fn base(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> Option<syn::Result<()>>;
}

/// Reads all entries. Returns whether each had a key: if not, keys that seem to be missing may have been given.
pub(super) fn read(input: ParseStream<'_>, entries: &mut dyn Entries, errors: &mut Errors) -> bool {
    let mut has_every_key = true;
    while !input.is_empty() {
        let Some((is_reported, taken)) = entry(input, entries, errors) else {
            has_every_key = false;
            skip_to_next_entry(input);
            continue;
        };
        let is_reported = is_reported || taken.is_err();
        if let Err(error) = taken {
            errors.absorb(error);
        }
        end_of_entry(is_reported, input, errors);
    }
    has_every_key
}

/// Reads one entry, and whether a mistake in it was reported. `None` if it has no key.
fn entry(
    input: ParseStream<'_>,
    entries: &mut dyn Entries,
    errors: &mut Errors,
) -> Option<(bool, syn::Result<()>)> {
    if input.peek(Token![..])
        && !input.peek(Token![..=])
        && let Some(taken) = entries.base(input, errors)
    {
        return Some((false, taken));
    }
    let key = key(input, errors)?;
    let value = at_value(&key, input, entries, errors).then_some(input);
    Some((value.is_none(), entries.entry(key, value, errors)))
}

/// Reads a key: one word. A key with a path or in quotes is reported.
fn key(input: ParseStream<'_>, errors: &mut Errors) -> Option<Ident> {
    if let Some(quoted) = quoted_key(input) {
        report_not_bare(&quoted, quoted.clone(), errors);
        return Some(quoted);
    }
    if !input.peek(Ident::peek_any) {
        let help = "help: write the module as `key: value, key: value`";
        errors.report(input.span(), format!("expected a key and a colon here\n\n{help}"));
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
        report_not_bare(&last, path, errors);
    }
    Some(last)
}

/// Reads the word of `"key":`.
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

fn report_not_bare(word: &Ident, written: impl ToTokens, errors: &mut Errors) {
    errors.report_all(
        written,
        format!("a key is one word, without quotes and without a path\n\nhelp: write `{word}`"),
    );
}

/// Reads the colon after a key. Returns whether a value follows.
fn at_value(key: &Ident, input: ParseStream<'_>, entries: &dyn Entries, errors: &mut Errors) -> bool {
    let mut written = key.to_token_stream();
    if input.peek(Token![=]) && !input.peek(Token![==]) {
        errors.report(input.span(), "expected a colon here\n\nhelp: write `:`");
        return input.parse::<Token![=]>().is_ok() && !ends(input);
    }
    let colon = input.peek(Token![:]) && !input.peek(Token![::]);
    if colon && let Ok(colon) = input.parse::<Token![:]>() {
        colon.to_tokens(&mut written);
    }
    let has_value = colon && !(ends(input) || at_entry(input));
    if !has_value {
        let comma = if ends(input) { "" } else { "," };
        let example = entries.example(&key.to_string()).unwrap_or("…");
        let message = format!("`{key}` has no value\n\nhelp: write `{key}: {example}{comma}`");
        errors.report_all(written, message);
    }
    has_value
}

/// Reads the comma after an entry. Anything else is reported, unless a mistake in the entry was.
fn end_of_entry(is_reported: bool, input: ParseStream<'_>, errors: &mut Errors) {
    if input.is_empty() || input.parse::<Option<Token![,]>>().is_ok_and(|comma| comma.is_some()) {
        return;
    }
    if !is_reported {
        report_no_comma(input, at_entry(input), errors);
    }
    skip_to_next_entry(input);
}

/// Reports a missing comma. `before_entry`: the next entry begins here.
pub(super) fn report_no_comma(input: ParseStream<'_>, before_entry: bool, errors: &mut Errors) {
    let message = match before_entry {
        true => "expected a comma before this word\n\nhelp: write `,` before it",
        false => "expected a comma here\n\nhelp: remove what does not belong to the previous value",
    };
    errors.report(input.span(), message);
}

/// Drops the rest of an entry.
fn skip_to_next_entry(input: ParseStream<'_>) {
    while !input.is_empty() && !at_entry(input) && input.parse::<TokenTree>().is_ok() {}
}

/// Whether a word and a single colon follow, or an equals sign in its place. No value begins with these.
fn at_entry(input: ParseStream<'_>) -> bool {
    let colon = input.peek2(Token![:]) && !input.peek2(Token![::]);
    let equals = input.peek2(Token![=]) && !input.peek2(Token![==]) && !input.peek2(Token![=>]);
    let word = input.peek(Ident::peek_any) || (input.peek(LitStr) && at_quoted_word(input));
    word && (colon || equals)
}

/// Whether the text that follows is a word in quotes.
fn at_quoted_word(input: ParseStream<'_>) -> bool {
    input.fork().parse::<LitStr>().is_ok_and(|quoted| syn::parse_str::<Ident>(&quoted.value()).is_ok())
}
