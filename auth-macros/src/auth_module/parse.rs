//! Reads the grammar of `auth_module!`; what is missing and what is too much is the model's business.

use super::catalog::{KEYS, Key, Place, Provider, providers};
use super::pairs;
use super::parse_features::{Features, features};
use super::words::{Meant, Slot, meant};
use crate::crate_path::CratePath;
use crate::errors::Errors;
use proc_macro2::{Group, TokenStream, TokenTree};
use syn::parse::{ParseBuffer, ParseStream, Parser};
use syn::{Expr, Ident, Token, token};

/// The macro's input as the host wrote it.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) krate: CratePath,
    pub(crate) config: Slot<Expr>,
    pub(crate) features: Slot<Features>,
    pub(crate) user_repo: Slot<Expr>,
    pub(crate) password_reset_repo: Slot<Expr>,
    pub(crate) actions: Slot<Providers>,
    pub(crate) delivery: Slot<Providers>,
    pub(crate) events: Slot<Expr>,
    pub(crate) store: Slot<Expr>,
    /// Whether each value had a key. Where one had not, a key that seems to be missing may not be.
    pub(crate) whole: bool,
}

/// What is given for `actions` or `delivery`.
pub(crate) enum Providers {
    /// `{ CreatesNewUsers: value, … }`
    Each(Vec<(&'static Provider, Slot<Expr>)>),
    /// One value that is everything the features need.
    One(Expr),
}

/// Reads the macro's input: the path to the library in parentheses, then what the host wrote.
pub(crate) fn input(tokens: TokenStream, errors: &mut Errors) -> Input {
    let mut tokens = tokens.into_iter();
    let mut input = Input::default();
    if let Some(TokenTree::Group(shell)) = tokens.next() {
        input.krate = CratePath::new(shell.stream());
    }
    within(tokens.collect(), errors, |stream, errors| {
        input.whole =
            pairs::read(stream, errors, |word, value, errors| entry(&mut input, word, value, errors));
    });
    input
}

/// Reads one `key: value`.
fn entry(
    input: &mut Input,
    word: Ident,
    value: Option<ParseStream<'_>>,
    errors: &mut Errors,
) -> syn::Result<()> {
    let Some(key) = meant(word, "key", &KEYS.into_iter(), errors) else {
        return ignored(value);
    };
    match key.what {
        Key::Config => give(&mut input.config, &key, value, errors, expr),
        Key::Features => give(&mut input.features, &key, value, errors, features),
        Key::UserRepo => give(&mut input.user_repo, &key, value, errors, expr),
        Key::PasswordResetRepo => give(&mut input.password_reset_repo, &key, value, errors, expr),
        Key::Actions => give(&mut input.actions, &key, value, errors, actions),
        Key::Delivery => give(&mut input.delivery, &key, value, errors, delivery),
        Key::Events => give(&mut input.events, &key, value, errors, expr),
        Key::Store => give(&mut input.store, &key, value, errors, expr),
    }
}

/// Reads a value, if there is one, and puts what was read into its slot.
fn give<T, W>(
    slot: &mut Slot<T>,
    word: &Meant<W>,
    value: Option<ParseStream<'_>>,
    errors: &mut Errors,
    read: impl FnOnce(ParseStream<'_>, &mut Errors) -> syn::Result<T>,
) -> syn::Result<()> {
    let (value, result) = match value.map(|value| read(value, errors)) {
        Some(Ok(value)) => (Some(value), Ok(())),
        Some(Err(error)) => (None, Err(error)),
        None => (None, Ok(())),
    };
    slot.give(word, value, errors);
    result
}

fn expr(input: ParseStream<'_>, _: &mut Errors) -> syn::Result<Expr> {
    input.parse()
}

fn actions(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Providers> {
    providers_in(Place::Actions, "action", input, errors)
}

fn delivery(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Providers> {
    providers_in(Place::Delivery, "delivery", input, errors)
}

fn providers_in(
    place: Place,
    kind: &str,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<Providers> {
    let is_map = input.peek(token::Brace) && holds_pairs(&input.fork().parse::<Group>()?, place);
    if !is_map {
        return input.parse().map(Providers::One);
    }
    let mut each: Vec<_> = providers(place).map(|(_, provider)| (provider, Slot::default())).collect();
    let map = input.parse::<Group>()?;
    within(map.stream(), errors, |stream, errors| {
        pairs::read(stream, errors, |word, value, errors| {
            let word = meant(word, kind, &providers(place), errors);
            let slot = word.as_ref().and_then(|word| slot_of(word.what, &mut each));
            match (word, slot) {
                (Some(word), Some(slot)) => give(slot, &word, value, errors, expr),
                _ => ignored(value),
            }
        });
    });
    Ok(Providers::Each(each))
}

fn slot_of<'a>(
    provider: &Provider,
    each: &'a mut [(&'static Provider, Slot<Expr>)],
) -> Option<&'a mut Slot<Expr>> {
    each.iter_mut().find(|(known, _)| known.word == provider.word).map(|(_, slot)| slot)
}

/// Reads past the value of a word that does not exist.
fn ignored(value: Option<ParseStream<'_>>) -> syn::Result<()> {
    value.map(ParseBuffer::parse::<Expr>).transpose().map(drop)
}

/// Whether braces hold pairs and not a block: they are empty, or begin with a pair or with a name that goes there.
fn holds_pairs(braces: &Group, place: Place) -> bool {
    let begins_so = |input: ParseStream<'_>| {
        if input.is_empty() {
            return Ok(true);
        }
        let word = input.call(syn::Path::parse_mod_style)?;
        let known = word.get_ident().is_some_and(|word| providers(place).any(|(known, _)| word == known));
        let pair = input.peek(Token![:]) && !input.peek(Token![::]);
        input.parse::<TokenStream>()?;
        Ok(known || pair)
    };
    begins_so.parse2(braces.stream()).unwrap_or(false)
}

/// Hands out a token stream to be read to its end.
pub(super) fn within(
    tokens: TokenStream,
    errors: &mut Errors,
    read: impl FnOnce(ParseStream<'_>, &mut Errors),
) {
    let result = (|stream: ParseStream<'_>| {
        read(stream, errors);
        Ok(())
    })
    .parse2(tokens);
    if let Err(error) = result {
        errors.absorb(error);
    }
}
