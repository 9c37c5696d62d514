//! What a module is put together from.

use super::catalog::{Feature, Place, Provider};
use super::features::{List, Listed};
use super::parse::{Input, Providers};
use super::words::Slot;
use crate::crate_path::CratePath;
use proc_macro2::Ident;
use syn::Expr;

/// A module's parts. They may be less than the host wanted: what is wrong has been reported and is left out.
pub(crate) struct Module {
    pub(crate) krate: CratePath,
    /// The word `config`, and the configuration. Without one, that has been reported.
    pub(crate) config: Option<(Ident, Expr)>,
    /// The word `user_repo`, and the repository. Without one, that has been reported.
    pub(crate) user_repo: Option<(Ident, Expr)>,
    pub(crate) features: Vec<Assembled>,
    /// The word `enabled`, and which features answer.
    pub(crate) enabled: Option<(Ident, Expr)>,
    /// The one value given for all actions.
    pub(crate) actions: Option<Expr>,
    /// The one value given for all deliveries.
    pub(crate) delivery: Option<Expr>,
    /// The word `events`, and where they go.
    pub(crate) events: Option<(Ident, Expr)>,
    /// The word `store`, and the store.
    pub(crate) store: Option<(Ident, Expr)>,
}

/// A feature with all that it needs.
pub(crate) struct Assembled {
    /// The feature's word, where the host wrote it.
    pub(crate) word: Ident,
    /// The builder's method.
    pub(crate) method: &'static str,
    /// What the method takes, in its order.
    pub(crate) arguments: Vec<Argument>,
}

/// A provider.
pub(crate) enum Argument {
    /// A value of its own, and the trait that it implements, named where the host wrote the provider's word.
    Own(Ident, Box<Expr>),
    /// The one value given for all actions.
    OfActions,
    /// The one value given for all deliveries.
    OfDelivery,
    /// None that could be read, which has been reported. What else the feature is given is still looked at.
    Missing(&'static Provider),
}

impl Module {
    /// Takes what is good.
    pub(crate) fn of(input: &Input, list: &List) -> Self {
        Self {
            krate: input.krate.clone(),
            config: input.config.pair(),
            user_repo: input.user_repo.pair(),
            features: list.features.iter().map(|listed| assembled(input, listed)).collect(),
            enabled: input.features.value().and_then(|features| features.enabled.clone()),
            actions: one(&input.actions),
            delivery: one(&input.delivery),
            events: input.events.pair(),
            store: input.store.pair(),
        }
    }
}

fn assembled(input: &Input, listed: &Listed) -> Assembled {
    let Feature { method, needs, .. } = listed.feature;
    let arguments = needs.iter().map(|provider| argument(input, provider)).collect();
    Assembled { word: listed.word.clone(), method, arguments }
}

fn argument(input: &Input, provider: &'static Provider) -> Argument {
    let own = |slot: &Slot<Expr>| {
        let (word, value) = slot.pair()?;
        Some(Argument::Own(Ident::new(provider.interface, word.span()), Box::new(value)))
    };
    let among = |providers: &Slot<Providers>, all: Argument| match providers.value()? {
        Providers::One(_) => Some(all),
        Providers::Each(each) => own(&each.iter().find(|(known, _)| known.word == provider.word)?.1),
    };
    let given = match provider.place {
        Place::PasswordResetRepo => own(&input.password_reset_repo),
        Place::Actions => among(&input.actions, Argument::OfActions),
        Place::Delivery => among(&input.delivery, Argument::OfDelivery),
    };
    given.unwrap_or(Argument::Missing(provider))
}

fn one(slot: &Slot<Providers>) -> Option<Expr> {
    match slot.value()? {
        Providers::One(value) => Some(Expr::clone(value)),
        Providers::Each(_) => None,
    }
}
