//! What the host wrote and has no slot of its own: its words as they are written, values that are no expressions yet, and
//! what stands in the wrong place or under a word that there is not.

use super::catalog::{DEPLOYMENTS, FEATURES, KEYS, Key, Place, providers};
use super::misplaced::Misplaced;
use super::words::Word;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, FieldValue, Token};

/// What the host wrote and has no slot.
#[derive(Default)]
pub(crate) struct Beside {
    /// Every word before a colon, known or not, in the order of the input.
    pub(crate) words: Vec<Word>,
    /// Every value, whether it is an expression or may become one, in the order of the input.
    pub(crate) values: Vec<TokenStream>,
    /// What stands in a place where it means nothing, which has been reported.
    pub(crate) misplaced: Vec<Misplaced>,
    /// Values of words that there are not.
    pub(crate) strays: Vec<Expr>,
}

impl Beside {
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

    /// Reads the value of a word that stands in the wrong place.
    pub(super) fn put_aside(
        &mut self,
        known: &'static str,
        word: Ident,
        value: Option<ParseStream<'_>>,
    ) -> syn::Result<()> {
        let takes_more = |key| matches!(key, Key::Features | Key::Actions | Key::Delivery | Key::Deployment);
        let (value, result) = match KEYS.iter().any(|(key, what)| *key == known && takes_more(*what)) {
            true => (None, self.put_away(value)),
            false => apart(value.map(|value| self.expr(value))),
        };
        self.misplaced.push(Misplaced { known, word, value });
        result
    }

    /// Reads a value that the word before it says nothing about: it may be anything. What it has of the host's is kept.
    pub(super) fn put_away(&mut self, value: Option<ParseStream<'_>>) -> syn::Result<()> {
        let Some(input) = value else { return Ok(()) };
        let found = match input.fork().parse::<Expr>() {
            Ok(_) => vec![self.expr(input)?],
            Err(_) => {
                let value = up_to_comma(input);
                self.values.push(value.clone());
                values_of_map(value)
            }
        };
        self.strays.extend(found.into_iter().filter(|value| !says_a_word(value.to_token_stream())));
        Ok(())
    }
}

/// What was read, if anything was, and whether that went wrong.
pub(super) fn apart<T>(read: Option<syn::Result<T>>) -> (Option<T>, syn::Result<()>) {
    match read {
        Some(Ok(value)) => (Some(value), Ok(())),
        Some(Err(error)) => (None, Err(error)),
        None => (None, Ok(())),
    }
}

/// The tokens of a value, whatever they are.
pub(super) fn up_to_comma(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        let Ok(token) = input.parse::<TokenTree>() else { break };
        tokens.extend([token]);
    }
    tokens
}

/// The values in `{ word: value, … }`.
fn values_of_map(value: TokenStream) -> Vec<Expr> {
    let map = syn::parse2::<Group>(value).ok().filter(|map| map.delimiter() == Delimiter::Brace);
    let pairs = map.map(|map| Punctuated::<FieldValue, Token![,]>::parse_terminated.parse2(map.stream()));
    let pairs = pairs.and_then(Result::ok).into_iter().flatten();
    pairs.filter(|pair| pair.colon_token.is_some()).map(|pair| pair.expr).collect()
}

/// Whether a word of the macro is in it, which no name of the host's has to stand behind.
fn says_a_word(value: TokenStream) -> bool {
    value.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            let mut features = FEATURES.iter().map(|feature| feature.word);
            let mut others = DEPLOYMENTS.iter().map(|(word, _)| *word);
            let mut in_maps = [Place::Actions, Place::Delivery].into_iter().flat_map(providers);
            features.any(|word| ident == word)
                || others.any(|word| ident == word)
                || in_maps.any(|(word, _)| ident == word)
        }
        TokenTree::Group(group) => says_a_word(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
