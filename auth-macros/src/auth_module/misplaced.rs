//! Words that are known, in a place where they mean nothing.
//!
//! Each is reported where it stands, and then counts where it belongs, so that it is not reported as missing too.

use super::catalog::{KEYS, Key, OPTIONS, Place, providers};
use super::parse::{Input, Providers};
use super::words::{Meant, Slot};
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::Ident;
use syn::Expr;

/// A word that stands in the wrong place, and its value, if it has one that could be read.
pub(crate) struct Misplaced {
    /// As it is written where it belongs.
    pub(crate) known: &'static str,
    pub(crate) word: Ident,
    pub(crate) value: Option<Expr>,
}

/// Puts what stands in a wrong place where it belongs, unless something stands there.
pub(crate) fn put_right(input: &mut Input, errors: &mut Errors) {
    for Misplaced { known, word, value } in std::mem::take(&mut input.beside.misplaced) {
        let key = KEYS.iter().find(|(key, _)| *key == known).map(|(_, key)| *key);
        let elsewhere = Meant::elsewhere(word, ());
        let slot = match key {
            Some(Key::Config) => &mut input.config,
            Some(Key::UserRepo) => &mut input.user_repo,
            Some(Key::PasswordResetRepo) => &mut input.password_reset_repo,
            Some(Key::Events) => &mut input.events,
            Some(Key::Store) => &mut input.store,
            // Their values are no plain expressions: that they are given is all that is known of them.
            Some(Key::Features) => {
                input.features.give(&elsewhere, None, errors);
                continue;
            }
            Some(Key::Deployment) => {
                input.deployment.give(&elsewhere, None, errors);
                continue;
            }
            Some(Key::Actions) => {
                input.actions.give(&elsewhere, None, errors);
                continue;
            }
            Some(Key::Delivery) => {
                input.delivery.give(&elsewhere, None, errors);
                continue;
            }
            None => match in_map(input, known, &elsewhere.written, errors) {
                Some(slot) => slot,
                None => {
                    input.beside.strays.extend(value);
                    continue;
                }
            },
        };
        slot.give(&elsewhere, value, errors);
    }
}

/// Where a provider goes, in a map that is made for it when there is none.
fn in_map<'a>(
    input: &'a mut Input,
    known: &str,
    word: &Ident,
    errors: &mut Errors,
) -> Option<&'a mut Slot<Expr>> {
    for (place, slot) in [(Place::Actions, &mut input.actions), (Place::Delivery, &mut input.delivery)] {
        if !providers(place).any(|(provider, _)| provider == known) {
            continue;
        }
        if !slot.is_given() {
            slot.give(&Meant::elsewhere(word.clone(), ()), Some(Providers::none(place)), errors);
        }
        return match slot.value_mut() {
            Some(Providers::Each(each)) => {
                each.iter_mut().find(|(provider, _)| provider.word == known).map(|(_, slot)| slot)
            }
            Some(Providers::One(_)) | None => None,
        };
    }
    None
}

/// Reports a word that belongs elsewhere, and answers it as it is written there. `here` is the map that it stands in,
/// or `None` for the macro itself.
pub(crate) fn report(word: &Ident, here: Option<Place>, errors: &mut Errors) -> Option<&'static str> {
    let name = word.to_string();
    let (known, message) =
        as_key(&name, here).or_else(|| as_provider(&name, here)).or_else(|| as_option(&name))?;
    errors.report(word.span(), message);
    Some(known)
}

/// A key of the macro in a map.
fn as_key(name: &str, here: Option<Place>) -> Option<(&'static str, String)> {
    let map = here?.key()?;
    let (known, _) = KEYS.iter().find(|(known, _)| *known == name)?;
    Some((known, format!("`{known}` is a key of the module\n\nhelp: move it out of `{map}: {{ … }}`")))
}

/// A provider outside of its map.
fn as_provider(name: &str, here: Option<Place>) -> Option<(&'static str, String)> {
    let elsewhere = [(Place::Actions, "an action"), (Place::Delivery, "a delivery")];
    elsewhere.into_iter().filter(|(place, _)| Some(*place) != here).find_map(|(place, kind)| {
        let (known, _) = providers(place).find(|(known, _)| *known == name)?;
        Some((known, format!("`{known}` is {kind}\n\nhelp: move it into `{}: {{ … }}`", place.key()?)))
    })
}

/// An option of the configuration (specification §5.3), however it is written.
fn as_option(name: &str) -> Option<(&'static str, String)> {
    let known = OPTIONS.into_iter().find(|known| suggest::is_same(name, known))?;
    let help = "help: it belongs into the value of `config`: `axum_auth_module::AuthConfig::builder(…)`";
    Some((known, format!("`{known}` is an option of the configuration\n\n{help}")))
}
