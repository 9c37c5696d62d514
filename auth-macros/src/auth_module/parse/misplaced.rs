//! Known words in the wrong place.
//!
//! Each is reported where it is. Afterwards its value is moved to the right place, so that it is not reported as missing
//! too.

use super::input::{Input, ProviderMap, Supply, slot_mut};
use super::recovery::Misplaced;
use crate::auth_module::lookup::{Once, Resolved};
use crate::auth_module::vocabulary::{Key, OPTIONS, key};
use crate::catalog::{Place, providers};
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::Ident;
use syn::Expr;

/// Moves misplaced entries to the right place, unless something was given there.
pub(crate) fn put_right(input: &mut Input, errors: &mut Errors) {
    for Misplaced { known, word, value } in std::mem::take(&mut input.recovered.misplaced) {
        let word = Resolved::misplaced(word, ());
        // A value that is no plain expression was not read: that the key is given is all that is known.
        match key(known).map(|(_, key)| key) {
            Some(Key::Features) => input.features.give(&word, None, errors),
            Some(Key::Deployment) => input.deployment.give(&word, None, errors),
            Some(Key::Actions) => input.actions.give(&word, None, errors),
            Some(Key::Delivery) => input.delivery.give(&word, None, errors),
            Some(Key::Config) => input.config.give(&word, value, errors),
            Some(Key::UserRepo) => input.user_repo.give(&word, value, errors),
            Some(Key::Messages) => input.messages.give(&word, value, errors),
            Some(Key::Events) => input.events.give(&word, value, errors),
            Some(Key::PasswordVerifier) => input.password_verifier.give(&word, value, errors),
            Some(Key::Policy) => input.policy.give(&word, value, errors),
            Some(Key::Store) => input.store.give(&word, value, errors),
            Some(Key::Realm) => input.realm.give(&word, value, errors),
            Some(Key::Own(provider)) => {
                if let Some(slot) = slot_mut(&mut input.own, provider.word) {
                    slot.give(&word, value, errors);
                }
            }
            None => match slot_in_map(input, known, &word.written, errors) {
                Some(slot) => slot.give(&word, value, errors),
                None => input.recovered.unused.extend(value),
            },
        }
    }
}

/// The slot of a provider in its map, which is created if nothing was given for its place.
fn slot_in_map<'a>(
    input: &'a mut Input,
    known: &str,
    word: &Ident,
    errors: &mut Errors,
) -> Option<&'a mut Once<Expr>> {
    let is_in = |place: &Place| providers(*place).any(|(provider, _)| provider == known);
    let place = Place::SHARED.into_iter().find(is_in)?;
    let supply = input.supply_mut(place)?;
    if !supply.is_given() {
        let map = Supply::Map(Box::new(ProviderMap::new(place)));
        supply.give(&Resolved::misplaced(word.clone(), ()), Some(map), errors);
    }
    match supply.value_mut()? {
        Supply::Map(map) => slot_mut(&mut map.named, known),
        Supply::One(_) => None,
    }
}

/// Reports a word that belongs elsewhere, and returns it as it is written there. `map` is the map that it is in, or
/// `None` for a key of the macro.
pub(super) fn report(word: &Ident, map: Option<Place>, errors: &mut Errors) -> Option<&'static str> {
    let name = word.to_string();
    let (known, message) =
        as_key(&name, map).or_else(|| as_provider(&name, map)).or_else(|| as_option(&name))?;
    errors.report(word.span(), message);
    Some(known)
}

/// A key of the macro in a map.
fn as_key(name: &str, map: Option<Place>) -> Option<(&'static str, String)> {
    let map = map?.key()?;
    let (known, _) = key(name)?;
    Some((known, format!("`{known}` is a key of the module\n\nhelp: move it out of `{map}: {{ … }}`")))
}

/// A provider outside its map.
fn as_provider(name: &str, map: Option<Place>) -> Option<(&'static str, String)> {
    Place::SHARED.into_iter().filter(|place| Some(*place) != map).find_map(|place| {
        let (known, _) = providers(place).find(|(known, _)| *known == name)?;
        let kind = place.some();
        Some((known, format!("`{known}` is {kind}\n\nhelp: move it into `{}: {{ … }}`", place.key()?)))
    })
}

/// An option of the configuration (specification §5.3), in any spelling.
fn as_option(name: &str) -> Option<(&'static str, String)> {
    let known = OPTIONS.into_iter().find(|known| suggest::is_same(name, known))?;
    let help = "help: set it in the value of `config`, with `axum_auth_module::AuthConfig::builder(…)`";
    Some((known, format!("`{known}` is an option of the configuration\n\n{help}")))
}
