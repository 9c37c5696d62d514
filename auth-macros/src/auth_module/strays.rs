//! The values that the host wrote and the module does not use: what is given twice, for nothing, or under an unknown
//! word. Each has been reported. They are compiled all the same, so that an editor still knows what they are, and
//! nothing in them is unused.

use super::catalog::{Place, Provider};
use super::parse::{Input, Providers};
use super::words::Slot;
use syn::Expr;

/// Those values, where the features have these needs.
pub(crate) fn strays(input: &Input, needs: &[&'static Provider]) -> Vec<Expr> {
    let slots = [&input.config, &input.user_repo, &input.password_reset_repo, &input.events, &input.store];
    let mut strays: Vec<Expr> = slots.into_iter().flat_map(Slot::dropped).cloned().collect();
    strays.extend(input.beside.strays.iter().cloned());
    let features = input.features.dropped().iter();
    strays.extend(features.filter_map(|features| features.enabled.clone()).map(|(_, decides)| decides));
    if !needs.iter().any(|need| need.place == Place::PasswordResetRepo) {
        strays.extend(input.password_reset_repo.value().cloned());
    }
    for (place, slot) in [(Place::Actions, &input.actions), (Place::Delivery, &input.delivery)] {
        strays.extend(slot.value().into_iter().flat_map(|given| unused(given, place, needs)));
        strays.extend(slot.dropped().iter().flat_map(|given| unused(given, place, &[])));
    }
    strays
}

/// What of these providers nobody needs.
fn unused(given: &Providers, place: Place, needs: &[&'static Provider]) -> Vec<Expr> {
    match given {
        Providers::One(_) if needs.iter().any(|need| need.place == place) => Vec::new(),
        Providers::One(value) => vec![Expr::clone(value)],
        Providers::Each(each) => {
            let each = each.iter().flat_map(|(provider, slot)| {
                let is_used = needs.iter().any(|need| need.word == provider.word);
                slot.value().filter(|_| !is_used).into_iter().chain(slot.dropped())
            });
            each.cloned().collect()
        }
    }
}
