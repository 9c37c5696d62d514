//! The values that the host wrote and the module does not use: given twice, needed by no feature, or for an unknown
//! word. Each was reported.
//!
//! They are compiled nevertheless, so that editors know what they are and the compiler reports nothing in them as
//! unused.

use super::lookup::Once;
use super::parse::{Input, ProviderMap, Supply};
use crate::catalog::{Place, Provider};
use syn::Expr;

/// Those values, if the listed features need these providers, and the module can have these settings.
pub(crate) fn unused(
    input: &Input,
    needs: &[&'static Provider],
    settings: &[&'static Provider],
) -> Vec<Expr> {
    let named = [needs, settings].concat();
    let fixed = [
        &input.config,
        &input.user_repo,
        &input.messages,
        &input.events,
        &input.password_verifier,
        &input.policy,
        &input.store,
        &input.realm,
    ];
    let mut unused: Vec<Expr> = fixed.into_iter().flat_map(Once::repeated).cloned().collect();
    unused.extend(input.recovered.unused.iter().cloned());
    let lists = input.features.repeated().iter();
    unused.extend(lists.filter_map(|list| list.enabled.clone()).map(|(_, set)| set));
    unused.extend(unused_slots(&input.own, &named).cloned());
    for place in Place::SHARED {
        let Some(supply) = input.supply(place) else { continue };
        unused.extend(supply.value().into_iter().flat_map(|given| unused_in(given, place, needs, &named)));
        unused.extend(supply.repeated().iter().flat_map(|given| unused_in(given, place, &[], &[])));
    }
    unused
}

/// The unused values of `actions` or `delivery`, where `named` are the providers that can be given by name.
fn unused_in(
    supply: &Supply,
    place: Place,
    needs: &[&'static Provider],
    named: &[&'static Provider],
) -> Vec<Expr> {
    match supply {
        Supply::One(_) if needs.iter().any(|need| need.place == place) => Vec::new(),
        Supply::One(value) => vec![Expr::clone(value)],
        Supply::Map(map) => {
            let base = map.base.as_ref().and_then(|base| base.value.as_ref());
            let base = base.filter(|_| !uses_base(map, place, needs));
            let values = unused_slots(&map.named, named).chain(base).chain(&map.other_bases);
            values.cloned().collect()
        }
    }
}

/// The unused values of these slots.
fn unused_slots<'a>(
    slots: &'a [(&'static Provider, Once<Expr>)],
    used: &[&'static Provider],
) -> impl Iterator<Item = &'a Expr> {
    slots.iter().flat_map(move |(provider, slot)| {
        let is_used = used.iter().any(|used| used.word == provider.word);
        slot.value().filter(|_| !is_used).into_iter().chain(slot.repeated())
    })
}

/// Whether a needed provider of the place is not named in the map, so that the value after `..` is used for it.
pub(crate) fn uses_base(map: &ProviderMap, place: Place, needs: &[&'static Provider]) -> bool {
    let is_named = |need: &Provider| {
        map.named.iter().any(|(provider, slot)| provider.word == need.word && slot.is_given())
    };
    needs.iter().any(|need| need.place == place && !is_named(need))
}
