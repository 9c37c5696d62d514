//! Keeps the parts of a faulty input that still have a use: editors are shown every word and every value.

use super::tokens::{split, up_to_comma};
use crate::auth_module::vocabulary::{DEPLOYMENTS, key};
use crate::catalog::{self, Place, providers};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, FieldValue, Token};

/// The words and values of the host, whatever they mean.
#[derive(Default)]
pub(crate) struct Recovered {
    /// Every word before a colon, known or not, in the order of the input.
    pub(crate) labels: Vec<Label>,
    /// Every value, an expression or not, in the order of the input.
    pub(crate) values: Vec<TokenStream>,
    /// Entries in the wrong place, which was reported.
    pub(crate) misplaced: Vec<Misplaced>,
    /// Values of unknown words.
    pub(crate) unused: Vec<Expr>,
}

/// A word before a colon, as the host wrote it.
pub(crate) struct Label {
    /// The map that it is in, or `None` for a key of the macro.
    pub(crate) map: Option<Place>,
    pub(crate) word: Ident,
}

/// An entry in the wrong place. The value is missing if it could not be read.
pub(crate) struct Misplaced {
    /// The word as it is written in the right place.
    pub(crate) known: &'static str,
    pub(crate) word: Ident,
    pub(crate) value: Option<Expr>,
}

impl Recovered {
    /// Keeps a word.
    pub(super) fn label(&mut self, map: Option<Place>, word: &Ident) {
        self.labels.push(Label { map, word: word.clone() });
    }

    /// Reads a value.
    pub(super) fn expr(&mut self, input: ParseStream<'_>) -> syn::Result<Expr> {
        let written = input.fork();
        let value = input.parse::<Expr>();
        self.values.push(match &value {
            Ok(value) => value.to_token_stream(),
            Err(_) => up_to_comma(&written),
        });
        value
    }

    /// Reads the value of a word in the wrong place.
    pub(super) fn misplaced(
        &mut self,
        known: &'static str,
        word: Ident,
        value: Option<ParseStream<'_>>,
    ) -> syn::Result<()> {
        let (value, result) = match key(known).is_some_and(|(_, key)| !key.takes_expression()) {
            true => (None, self.unknown(value)),
            false => split(value.map(|value| self.expr(value))),
        };
        self.misplaced.push(Misplaced { known, word, value });
        result
    }

    /// Reads the value of an unknown word, which may be anything. The expressions in it are kept.
    pub(super) fn unknown(&mut self, value: Option<ParseStream<'_>>) -> syn::Result<()> {
        let Some(input) = value else { return Ok(()) };
        let found = match input.fork().parse::<Expr>() {
            Ok(_) => vec![self.expr(input)?],
            Err(_) => {
                let value = up_to_comma(input);
                self.values.push(value.clone());
                values_of_map(value)
            }
        };
        self.unused.extend(found.into_iter().filter(|value| !has_word_of_macro(value.to_token_stream())));
        Ok(())
    }
}

/// The values in `{ word: value, … }`.
fn values_of_map(value: TokenStream) -> Vec<Expr> {
    let map = syn::parse2::<Group>(value).ok().filter(|map| map.delimiter() == Delimiter::Brace);
    let pairs = map.map(|map| Punctuated::<FieldValue, Token![,]>::parse_terminated.parse2(map.stream()));
    let pairs = pairs.and_then(Result::ok).into_iter().flatten();
    pairs.filter(|pair| pair.colon_token.is_some()).map(|pair| pair.expr).collect()
}

/// Whether it contains a word of the macro, which need not be a name in the host.
fn has_word_of_macro(value: TokenStream) -> bool {
    value.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            let mut features = catalog::words();
            let mut deployments = DEPLOYMENTS.iter().map(|(word, _)| *word);
            let mut in_maps = Place::SHARED.into_iter().flat_map(providers);
            features.any(|word| ident == word)
                || deployments.any(|word| ident == word)
                || in_maps.any(|(word, _)| ident == word)
        }
        TokenTree::Group(group) => has_word_of_macro(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
