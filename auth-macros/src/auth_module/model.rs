//! What a module is put together from.

use super::catalog::{Deployment, Feature, Place, Provider};
use super::features::{List, Listed};
use super::parse::{Input, Providers};
use super::strays;
use super::words::{Slot, Word};
use crate::crate_path::CratePath;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::Expr;

/// A module's parts. They may be less than the host wanted: what is wrong has been reported and is left out.
pub(crate) struct Module {
    pub(crate) krate: CratePath,
    /// The words that the host wrote before colons and as features, whether there are such words or not.
    pub(crate) words: Vec<Named>,
    /// The values that the host wrote, whether they are expressions or not.
    pub(crate) values: Vec<TokenStream>,
    /// The word `config`, and the configuration. Without one, that has been reported.
    pub(crate) config: Option<(Ident, Expr)>,
    /// The word `user_repo`, and the repository. Without one, that has been reported.
    pub(crate) user_repo: Option<(Ident, Expr)>,
    pub(crate) features: Vec<Assembled>,
    /// The word `enabled`, and which features answer.
    pub(crate) enabled: Option<(Ident, Expr)>,
    /// The one value given for all actions, and the one given for all deliveries.
    pub(crate) shared: Vec<Shared>,
    /// The word `events`, and where they go.
    pub(crate) events: Option<(Ident, Expr)>,
    /// The word `store`, and the store.
    pub(crate) store: Option<(Ident, Expr)>,
    /// Whether the store has to be one that several instances share.
    pub(crate) has_instances: bool,
    /// Values that go nowhere, which has been reported.
    pub(crate) strays: Vec<Expr>,
}

/// A word of the host's, and in what module of `axum_auth_module::private::words` it is, if there is such a word.
pub(crate) struct Named {
    /// `keys`
    pub(crate) kind: &'static str,
    pub(crate) word: Ident,
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
    /// A value of its own, and the word that it is given by.
    Own(&'static Provider, Ident, Box<Expr>),
    /// The one value that is given for all of its kind.
    Shared(&'static Provider, Box<Shared>),
    /// None that could be read, which has been reported. What else the feature is given is still looked at.
    Missing(&'static Provider),
}

/// One value for all actions, or for all deliveries.
#[derive(Clone)]
pub(crate) struct Shared {
    /// `actions`
    pub(crate) key: &'static str,
    pub(crate) value: Expr,
}

impl Module {
    /// Takes what is good.
    pub(crate) fn of(input: &Input, list: &List) -> Self {
        let needs: Vec<_> = list.features.iter().flat_map(|listed| listed.feature.needs).collect();
        let is_shared = |place: Place| needs.iter().any(|need| need.place == place);
        let places = [Place::Actions, Place::Delivery].into_iter();
        let deployment = input.deployment.value().map(|(_, deployment)| *deployment);
        Self {
            krate: input.krate.clone(),
            words: words(input),
            values: input.beside.values.clone(),
            config: input.config.pair(),
            user_repo: input.user_repo.pair(),
            features: list.features.iter().map(|listed| assembled(input, listed)).collect(),
            enabled: input.features.value().and_then(|features| features.enabled.clone()),
            shared: places
                .filter(|place| is_shared(*place))
                .filter_map(|place| shared(input, place))
                .collect(),
            events: input.events.pair(),
            store: input.store.pair(),
            has_instances: deployment == Some(Deployment::Many),
            strays: strays::strays(input, &needs),
        }
    }
}

fn words(input: &Input) -> Vec<Named> {
    let named = |kind| move |word: &Ident| Named { kind, word: word.clone() };
    let keys = input.beside.words.iter().map(|Word { place, written }| Named {
        kind: place.and_then(Place::key).unwrap_or("keys"),
        word: written.clone(),
    });
    let deployments = input.deployment.all().map(|(word, _)| word).map(named("deployment"));
    let features = input.features.all().flat_map(|features| &features.words);
    let features = features.filter_map(|word| word.bare.as_ref()).map(named("features"));
    keys.chain(deployments).chain(features).filter(|named| !is_keyword(&named.word)).collect()
}

/// Whether this is a word of Rust's, which can be no name.
fn is_keyword(word: &Ident) -> bool {
    syn::parse2::<Ident>(word.to_token_stream()).is_err()
}

fn assembled(input: &Input, listed: &Listed) -> Assembled {
    let Feature { method, needs, .. } = listed.feature;
    let arguments = needs.iter().map(|provider| argument(input, provider)).collect();
    Assembled { word: listed.word.clone(), method, arguments }
}

fn argument(input: &Input, provider: &'static Provider) -> Argument {
    let own = |slot: &Slot<Expr>| {
        let (word, value) = slot.pair()?;
        Some(Argument::Own(provider, word, Box::new(value)))
    };
    let given = match input.providers(provider.place) {
        None => own(&input.password_reset_repo),
        Some(slot) => slot.value().and_then(|given| match given {
            Providers::One(_) => Some(Argument::Shared(provider, Box::new(shared(input, provider.place)?))),
            Providers::Each(each) => own(&each.iter().find(|(known, _)| known.word == provider.word)?.1),
        }),
    };
    given.unwrap_or(Argument::Missing(provider))
}

fn shared(input: &Input, place: Place) -> Option<Shared> {
    match input.providers(place)?.value()? {
        Providers::One(value) => Some(Shared { key: place.key()?, value: Expr::clone(value) }),
        Providers::Each(_) => None,
    }
}
