//! What the host wrote and has no slot of its own: its words as they are written, values that are no expressions yet, and
//! what stands in the wrong place or under a word that there is not.

use super::misplaced::Misplaced;
use super::words::Word;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Expr, Token};

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
        let (value, result) = match value.map(|value| self.expr(value)) {
            Some(Err(error)) => (None, Err(error)),
            Some(Ok(value)) => (Some(value), Ok(())),
            None => (None, Ok(())),
        };
        self.misplaced.push(Misplaced { known, word, value });
        result
    }

    /// Reads the value of a word that does not exist.
    pub(super) fn put_away(&mut self, value: Option<ParseStream<'_>>) -> syn::Result<()> {
        let value = value.map(|value| self.expr(value)).transpose()?;
        self.strays.extend(value);
        Ok(())
    }
}

/// The tokens of a value, whatever they are.
pub(super) fn up_to_comma(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend(input.parse::<TokenTree>());
    }
    tokens
}
