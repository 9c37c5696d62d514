//! Reads the grammar of `auth_module!`; what is missing and what is too much is the model's business.

use super::beside::{Beside, apart};
use super::catalog::{Deployment, KEYS, Key, Place, Provider, providers};
use super::misplaced;
use super::pairs;
use super::parse_deployment::deployment;
use super::parse_features::{Features, features};
use super::words::{Meant, Slot, Word, meant};
use crate::crate_path::CratePath;
use crate::errors::Errors;
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::parse::discouraged::AnyDelimiter;
use syn::parse::{ParseStream, Parser};
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
    pub(crate) deployment: Slot<(Ident, Deployment)>,
    pub(crate) beside: Beside,
    /// Whether each value had a key. Where one had not, a key that seems to be missing may not be.
    pub(crate) whole: bool,
}

/// What is given for `actions` or `delivery`.
pub(crate) enum Providers {
    /// `{ CreatesNewUsers: value, … }`
    Each(Vec<(&'static Provider, Slot<Expr>)>),
    /// One value that is everything the features need.
    One(Box<Expr>),
}

impl Input {
    /// What is given in the map of this place, if it has one.
    pub(crate) fn providers(&self, place: Place) -> Option<&Slot<Providers>> {
        match place {
            Place::PasswordResetRepo => None,
            Place::Actions => Some(&self.actions),
            Place::Delivery => Some(&self.delivery),
        }
    }
}

impl Providers {
    /// A map with nothing in it.
    pub(crate) fn none(place: Place) -> Self {
        Self::Each(empty_map(place))
    }
}

fn empty_map(place: Place) -> Vec<(&'static Provider, Slot<Expr>)> {
    providers(place).map(|(_, provider)| (provider, Slot::default())).collect()
}

/// Reads the macro's input: the path to the library in parentheses, then what the host wrote.
pub(crate) fn input(tokens: TokenStream, errors: &mut Errors) -> Input {
    let mut tokens = tokens.into_iter();
    let mut input = Input::default();
    if let Some(TokenTree::Group(shell)) = tokens.next() {
        input.krate = CratePath::new(shell.stream());
    }
    let example = |word: &str| KEYS.iter().find(|(known, _)| *known == word).map(|(_, key)| key.example());
    within(grouped(tokens.collect()), errors, |stream, errors| {
        let take = |word: Ident, value: Option<ParseStream<'_>>, errors: &mut Errors| {
            entry(&mut input, word, value, errors)
        };
        input.whole = pairs::read(stream, &example, errors, take);
    });
    misplaced::put_right(&mut input, errors);
    input
}

/// Reads one `key: value`.
fn entry(
    input: &mut Input,
    word: Ident,
    value: Option<ParseStream<'_>>,
    errors: &mut Errors,
) -> syn::Result<()> {
    let beside = &mut input.beside;
    beside.words.push(Word { place: None, written: word.clone() });
    let is_key = KEYS.iter().any(|(known, _)| word == known);
    if let Some(known) = (!is_key).then(|| misplaced::report(&word, None, errors)).flatten() {
        return beside.put_aside(known, word, value);
    }
    let Some(key) = meant(word, "key", &KEYS.into_iter(), errors) else {
        return beside.put_away(value);
    };
    match key.what {
        Key::Config => give(&mut input.config, &key, value, errors, |value, _| beside.expr(value)),
        Key::Features => give(&mut input.features, &key, value, errors, |value, errors| {
            features(value, &mut |value| beside.expr(value), errors)
        }),
        Key::UserRepo => give(&mut input.user_repo, &key, value, errors, |value, _| beside.expr(value)),
        Key::PasswordResetRepo => {
            give(&mut input.password_reset_repo, &key, value, errors, |value, _| beside.expr(value))
        }
        Key::Actions => give(&mut input.actions, &key, value, errors, |input, errors| {
            providers_in(Place::Actions, "action", input, beside, errors)
        }),
        Key::Delivery => give(&mut input.delivery, &key, value, errors, |input, errors| {
            providers_in(Place::Delivery, "delivery", input, beside, errors)
        }),
        Key::Events => give(&mut input.events, &key, value, errors, |value, _| beside.expr(value)),
        Key::Store => give(&mut input.store, &key, value, errors, |value, _| beside.expr(value)),
        Key::Deployment => give(&mut input.deployment, &key, value, errors, deployment),
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
    let (value, result) = apart(value.map(|value| read(value, errors)));
    slot.give(word, value, errors);
    result
}

/// One value for all, or a map of them.
fn providers_in(
    place: Place,
    kind: &str,
    input: ParseStream<'_>,
    beside: &mut Beside,
    errors: &mut Errors,
) -> syn::Result<Providers> {
    let is_map = input.peek(token::Brace) && holds_pairs(&input.fork().parse::<Group>()?, place);
    if !is_map {
        beside.words.extend(begun(input).map(|written| Word { place: Some(place), written }));
        return Ok(Providers::One(Box::new(beside.expr(input)?)));
    }
    let mut each = empty_map(place);
    let map = input.parse::<Group>()?;
    let example = |word: &str| {
        providers(place).find(|(known, _)| *known == word).map(|(_, provider)| provider.example())
    };
    within(map, errors, |stream, errors| {
        pairs::read(stream, &example, errors, |word, value, errors| {
            beside.words.push(Word { place: Some(place), written: word.clone() });
            if let Some(known) = misplaced::report(&word, Some(place), errors) {
                return beside.put_aside(known, word, value);
            }
            let word = meant(word, kind, &providers(place), errors);
            let slot = word.as_ref().and_then(|word| slot_of(word.what, &mut each));
            match (word, slot) {
                (Some(word), Some(slot)) => give(slot, &word, value, errors, |value, _| beside.expr(value)),
                _ => beside.put_away(value),
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

/// The word of a map that has nothing more in it yet: `{ Creates }`. As far as can be known it is a block.
fn begun(input: ParseStream<'_>) -> Option<Ident> {
    let braces = input.fork().parse::<Group>().ok().filter(|group| group.delimiter() == Delimiter::Brace)?;
    syn::parse2(braces.stream()).ok()
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

/// Hands out what a group holds, to be read to its end. What is missing there is reported at its closing delimiter.
pub(super) fn within(group: Group, errors: &mut Errors, read: impl FnOnce(ParseStream<'_>, &mut Errors)) {
    let result = (|stream: ParseStream<'_>| {
        let (_, _, content) = stream.parse_any_delimiter()?;
        read(&content, errors);
        Ok(())
    })
    .parse2(TokenTree::from(group).into());
    // A value that could not be read has been reported, and what it left unread is no other mistake.
    if let Err(error) = result
        && errors.is_empty()
    {
        errors.absorb(error);
    }
}

/// Everything as one group that ends where its last token does: what is missing there has no better place, and the
/// whole call of the macro would be underlined otherwise.
fn grouped(tokens: TokenStream) -> Group {
    let end = match tokens.clone().into_iter().last() {
        Some(TokenTree::Group(group)) => group.span_close(),
        Some(token) => token.span(),
        None => Span::call_site(),
    };
    let mut group = Group::new(Delimiter::Brace, tokens);
    group.set_span(end);
    group
}
