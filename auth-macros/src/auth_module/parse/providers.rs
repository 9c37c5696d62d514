//! Reads the value of `actions` and `delivery`: `{ CreatesNewUsers: value, ..value }`, or one value.

use super::input::{Base, ProviderMap, Supply, slot_mut};
use super::key_values::{self, Entries};
use super::misplaced;
use super::recovery::Recovered;
use super::tokens::{ends, split, within};
use crate::auth_module::lookup::resolve;
use crate::catalog::{Place, providers};
use crate::errors::Errors;
use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::{Ident, Token, token};

/// Reads one value for all providers, or a map of them.
pub(super) fn supply(
    place: Place,
    input: ParseStream<'_>,
    recovered: &mut Recovered,
    errors: &mut Errors,
) -> syn::Result<Supply> {
    let is_map = input.peek(token::Brace) && is_map(&input.fork().parse::<Group>()?, place);
    if !is_map {
        if let Some(word) = only_word(input) {
            recovered.label(Some(place), &word);
        }
        return Ok(Supply::One(Box::new(recovered.expr(input)?)));
    }
    let mut reader = Reader { place, map: ProviderMap::new(place), recovered, is_behind_base: false };
    within(input.parse::<Group>()?, errors, |stream, errors| {
        key_values::read(stream, &mut reader, errors);
    });
    Ok(Supply::Map(Box::new(reader.map)))
}

/// The word of a map that contains only the beginning of an entry: `{ Creates }`. Syntactically it is a block.
fn only_word(input: ParseStream<'_>) -> Option<Ident> {
    let braces = input.fork().parse::<Group>().ok().filter(|group| group.delimiter() == Delimiter::Brace)?;
    syn::parse2(braces.stream()).ok()
}

/// Whether braces are a map and not a block: they are empty, or begin with an entry, with a known word or with `..`.
fn is_map(braces: &Group, place: Place) -> bool {
    let begins_map = |input: ParseStream<'_>| {
        if input.is_empty() {
            return Ok(true);
        }
        if input.peek(Token![..]) {
            input.parse::<TokenStream>()?;
            return Ok(true);
        }
        let word = input.call(syn::Path::parse_mod_style)?;
        let known = word.get_ident().is_some_and(|word| providers(place).any(|(known, _)| word == known));
        // A block cannot have a comma there: the word has no value yet.
        let entry = input.peek(Token![,]) || (input.peek(Token![:]) && !input.peek(Token![::]));
        input.parse::<TokenStream>()?;
        Ok(known || entry)
    };
    begins_map.parse2(braces.stream()).unwrap_or(false)
}

/// Takes the entries of a map.
struct Reader<'a> {
    place: Place,
    map: ProviderMap,
    recovered: &'a mut Recovered,
    /// Whether an entry after `..` was reported.
    is_behind_base: bool,
}

impl Entries for Reader<'_> {
    fn example(&self, word: &str) -> Option<&'static str> {
        providers(self.place).find(|(known, _)| *known == word).map(|(_, provider)| provider.example())
    }

    fn entry(&mut self, word: Ident, value: Option<ParseStream<'_>>, errors: &mut Errors) -> syn::Result<()> {
        self.recovered.label(Some(self.place), &word);
        self.report_if_behind_base(errors);
        if let Some(known) = misplaced::report(&word, Some(self.place), errors) {
            return self.recovered.misplaced(known, word, value);
        }
        let word = resolve(word, self.place.kind(), &providers(self.place), errors);
        let Some((word, slot)) =
            word.and_then(|word| Some((word.clone(), slot_mut(&mut self.map.named, word.what.word)?)))
        else {
            return self.recovered.unknown(value);
        };
        let (value, result) = split(value.map(|value| self.recovered.expr(value)));
        slot.give(&word, value, errors);
        result
    }

    /// Reads `..value`.
    fn base(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> Option<syn::Result<()>> {
        let dots = input.parse::<Token![..]>().ok()?;
        if ends(input) {
            let message = format!("`..` has no value\n\nhelp: write `..{}`", self.place.example());
            errors.report_all(dots, message);
            self.map.base.get_or_insert(Base { tokens: dots.to_token_stream(), value: None });
            return Some(Ok(()));
        }
        let (value, result) = split(Some(self.recovered.expr(input)));
        let tokens = quote!(#dots #value);
        match &self.map.base {
            None => self.map.base = Some(Base { tokens, value }),
            Some(_) => {
                errors.report_all(tokens, "`..` is given twice\n\nhelp: keep one of them");
                self.map.other_bases.extend(value);
            }
        }
        Some(result)
    }
}

impl Reader<'_> {
    /// Reports `..value` once if an entry follows it.
    fn report_if_behind_base(&mut self, errors: &mut Errors) {
        let Some(base) = self.map.base.as_ref().filter(|_| !self.is_behind_base) else { return };
        let message = "`..` must be the last entry\n\nhelp: move it to the end";
        errors.report_all(&base.tokens, message);
        self.is_behind_base = true;
    }
}
