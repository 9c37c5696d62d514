//! Reads the grammar of `auth_module!`. Nothing here knows what a feature needs.

mod deployment;
mod features;
mod input;
mod key_values;
pub(crate) mod misplaced;
mod providers;
mod recovery;
mod tokens;

pub(crate) use input::{FeatureEntry, Given, Input, ProviderMap, Supply};
pub(crate) use recovery::Label;

use super::lookup::{Once, Resolved, resolve};
use super::vocabulary::{Key, key, keys};
use crate::catalog::Place;
use crate::crate_path::CratePath;
use crate::errors::Errors;
use input::slot_mut;
use key_values::Entries;
use proc_macro2::{TokenStream, TokenTree};
use syn::parse::ParseStream;
use syn::{Expr, Ident};
use tokens::{grouped, split, within};

/// Reads the macro's input: the path to the library in parentheses, then what the host wrote.
pub(crate) fn input(tokens: TokenStream, errors: &mut Errors) -> Input {
    let mut tokens = tokens.into_iter();
    let library = match tokens.next() {
        Some(TokenTree::Group(shell)) => CratePath::new(shell.stream()),
        _ => CratePath::default(),
    };
    let mut input = Input::new(library);
    within(grouped(tokens.collect()), errors, |stream, errors| {
        input.has_every_key = key_values::read(stream, &mut input, errors);
    });
    input
}

impl Entries for Input {
    fn example(&self, word: &str) -> Option<&'static str> {
        key(word).map(|(_, key)| key.example())
    }

    fn entry(&mut self, word: Ident, value: Option<ParseStream<'_>>, errors: &mut Errors) -> syn::Result<()> {
        let recovered = &mut self.recovered;
        recovered.label(None, &word);
        if key(&word.to_string()).is_none()
            && let Some(known) = misplaced::report(&word, None, errors)
        {
            return recovered.misplaced(known, word, value);
        }
        let Some(key) = resolve(word, "key", &keys(), errors) else {
            return recovered.unknown(value);
        };
        let mut expr = |slot: &mut Once<Expr>, errors: &mut Errors| {
            give(slot, &key, value, errors, |value, _| recovered.expr(value))
        };
        match key.what {
            Key::Config => expr(&mut self.config, errors),
            Key::UserRepo => expr(&mut self.user_repo, errors),
            Key::Messages => expr(&mut self.messages, errors),
            Key::Events => expr(&mut self.events, errors),
            Key::PasswordVerifier => expr(&mut self.password_verifier, errors),
            Key::Policy => expr(&mut self.policy, errors),
            Key::Store => expr(&mut self.store, errors),
            Key::Realm => expr(&mut self.realm, errors),
            Key::Own(provider) => match slot_mut(&mut self.own, provider.word) {
                Some(slot) => expr(slot, errors),
                None => Ok(()),
            },
            Key::Features => give(&mut self.features, &key, value, errors, |value, errors| {
                features::features(value, &mut |value| recovered.expr(value), errors)
            }),
            Key::Actions => give(&mut self.actions, &key, value, errors, |value, errors| {
                providers::supply(Place::Actions, value, recovered, errors)
            }),
            Key::Delivery => give(&mut self.delivery, &key, value, errors, |value, errors| {
                providers::supply(Place::Delivery, value, recovered, errors)
            }),
            Key::Deployment => give(&mut self.deployment, &key, value, errors, deployment::deployment),
        }
    }

    fn base(&mut self, _: ParseStream<'_>, _: &mut Errors) -> Option<syn::Result<()>> {
        None
    }
}

/// Reads a value, if there is one, into its slot.
fn give<T, W>(
    slot: &mut Once<T>,
    word: &Resolved<W>,
    value: Option<ParseStream<'_>>,
    errors: &mut Errors,
    read: impl FnOnce(ParseStream<'_>, &mut Errors) -> syn::Result<T>,
) -> syn::Result<()> {
    let (value, result) = split(value.map(|value| read(value, errors)));
    slot.give(word, value, errors);
    result
}
