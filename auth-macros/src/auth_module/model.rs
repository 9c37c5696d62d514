//! What a module is put together from.

use super::catalog::{Place, Provider};
use super::features::{List, Listed};
use super::parse::{Input, Providers};
use super::words::Slot;
use crate::crate_path::CratePath;
use proc_macro2::Ident;
use syn::Expr;

/// A module's parts. They may be less than the host wanted: what is wrong has been reported and is left out.
pub(crate) struct Module {
    pub(crate) krate: CratePath,
    /// The word `config`, and the configuration.
    pub(crate) config: (Ident, Expr),
    /// The word `user_repo`, and the repository.
    pub(crate) user_repo: (Ident, Expr),
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
    /// A value of its own.
    Own(Expr),
    /// A value of its own, behind the name of an action, which is kept where the host wrote it.
    Action(Ident, Expr),
    /// The one value given for all actions.
    OfActions,
    /// The one value given for all deliveries.
    OfDelivery,
}

impl Module {
    /// Takes what is good. Without a configuration or a repository there is no module.
    pub(crate) fn of(input: &Input, list: &List) -> Option<Self> {
        Some(Self {
            krate: input.krate.clone(),
            config: input.config.pair()?,
            user_repo: input.user_repo.pair()?,
            features: list.features.iter().filter_map(|listed| assembled(input, listed)).collect(),
            enabled: input.features.value().and_then(|features| features.enabled.clone()),
            actions: one(&input.actions),
            delivery: one(&input.delivery),
            events: input.events.pair(),
            store: input.store.pair(),
        })
    }
}

/// The feature with its providers, unless it is not built or one of them is missing.
fn assembled(input: &Input, listed: &Listed) -> Option<Assembled> {
    let method = listed.feature.method?;
    let arguments =
        listed.feature.needs.iter().map(|provider| argument(input, provider)).collect::<Option<_>>()?;
    Some(Assembled { word: listed.word.clone(), method, arguments })
}

fn argument(input: &Input, provider: &Provider) -> Option<Argument> {
    let (providers, shared) = match provider.place {
        Place::PasswordResetRepo => return input.password_reset_repo.value().cloned().map(Argument::Own),
        Place::Actions => (input.actions.value()?, Argument::OfActions),
        Place::Delivery => (input.delivery.value()?, Argument::OfDelivery),
    };
    let Providers::Each(each) = providers else { return Some(shared) };
    let (word, value) = each.iter().find(|(known, _)| known.word == provider.word)?.1.pair()?;
    Some(match provider.place {
        Place::Actions => Argument::Action(Ident::new(provider.word, word.span()), value),
        Place::PasswordResetRepo | Place::Delivery => Argument::Own(value),
    })
}

fn one(slot: &Slot<Providers>) -> Option<Expr> {
    match slot.value()? {
        Providers::One(value) => Some(value.clone()),
        Providers::Each(_) => None,
    }
}
