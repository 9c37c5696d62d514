//! The parts that a module is assembled from.

use super::listed::{Listed, ListedFeatures};
use super::parse::{Given, Input, Label};
use super::unused;
use super::vocabulary::Deployment;
use crate::catalog::{self, FeatureRow, Place, Provider};
use crate::crate_path::CratePath;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::Expr;

/// A module's parts. There may be fewer than the host wanted: what is wrong was reported and is left out.
pub(crate) struct Module {
    pub(crate) library: CratePath,
    /// The words that the host wrote before colons and as features, known or not.
    pub(crate) words: Vec<NamedWord>,
    /// The values that the host wrote, expressions or not.
    pub(crate) values: Vec<TokenStream>,
    /// The word `config` and its value. If it is missing, that was reported.
    pub(crate) config: Option<(Ident, Expr)>,
    /// The word `user_repo` and its value. If it is missing, that was reported.
    pub(crate) user_repo: Option<(Ident, Expr)>,
    pub(crate) features: Vec<FeatureCall>,
    /// The providers that are given without a feature that needs them.
    pub(crate) settings: Vec<(&'static Provider, Ident, Expr)>,
    /// The word `enabled` and the set of features that are enabled at start-up.
    pub(crate) enabled: Option<(Ident, Expr)>,
    /// The values that are used for several providers.
    pub(crate) shared: Vec<SharedValue>,
    /// The word `messages` and its value.
    pub(crate) messages: Option<(Ident, Expr)>,
    /// The word `events` and its value.
    pub(crate) events: Option<(Ident, Expr)>,
    /// The word `password_verifier` and its value.
    pub(crate) password_verifier: Option<(Ident, Expr)>,
    /// The word `policy` and its value.
    pub(crate) policy: Option<(Ident, Expr)>,
    /// The word `store` and its value.
    pub(crate) store: Option<(Ident, Expr)>,
    /// The word `realm` and its value.
    pub(crate) realm: Option<(Ident, Expr)>,
    /// Whether several instances must share what is stored.
    pub(crate) is_shared: bool,
    /// Values without a use, which was reported.
    pub(crate) unused: Vec<Expr>,
}

/// A word of the host, and the module of `axum_auth_module::private::completion` in which it is looked up.
pub(crate) struct NamedWord {
    pub(crate) kind: &'static str,
    pub(crate) word: Ident,
}

/// The call of a feature's method.
pub(crate) struct FeatureCall {
    /// The feature's word, where the host wrote it.
    pub(crate) word: Ident,
    /// The builder's method.
    pub(crate) method: String,
    /// The trait that the user record must have.
    pub(crate) record: Option<&'static str>,
    /// The method's other arguments.
    pub(crate) arguments: Vec<Argument>,
    /// Whether the feature requires an option of the configuration.
    pub(crate) needs_option: bool,
}

/// A provider.
pub(crate) enum Argument {
    /// A value that is given by the provider's own word.
    Named(&'static Provider, Ident, Box<Expr>),
    /// A value that is given for several providers.
    Shared(&'static Provider, Box<SharedValue>),
    /// No readable value, which was reported. The feature's other providers are still checked.
    Missing(&'static Provider),
}

/// A value for several actions, or for several deliveries.
#[derive(Clone)]
pub(crate) struct SharedValue {
    /// `actions`
    pub(crate) key: &'static str,
    pub(crate) value: Expr,
}

impl Module {
    /// Takes the correct parts of the input.
    pub(crate) fn of(input: &Input, list: &ListedFeatures) -> Self {
        let needs: Vec<_> = list.needs().collect();
        let settings: Vec<_> = list.settings().collect();
        let deployment = input.deployment.value().map(|(_, deployment)| *deployment);
        Self {
            library: input.library.clone(),
            words: words(input),
            values: input.recovered.values.clone(),
            config: input.config.pair(),
            user_repo: input.user_repo.pair(),
            features: list.available().map(|listed| call(input, listed)).collect(),
            settings: settings.iter().filter_map(|provider| setting(input, provider)).collect(),
            enabled: input.features.value().and_then(|features| features.enabled.clone()),
            shared: Place::SHARED.into_iter().filter_map(|place| shared(input, place, &needs)).collect(),
            messages: input.messages.pair(),
            events: input.events.pair(),
            password_verifier: input.password_verifier.pair(),
            policy: input.policy.pair(),
            store: input.store.pair(),
            realm: input.realm.pair(),
            is_shared: deployment == Some(Deployment::Many),
            unused: unused::unused(input, &needs, &settings),
        }
    }
}

fn words(input: &Input) -> Vec<NamedWord> {
    let named = |kind| move |word: &Ident| NamedWord { kind, word: word.clone() };
    let labels = input.recovered.labels.iter().map(|Label { map, word }| NamedWord {
        kind: map.and_then(Place::key).unwrap_or("keys"),
        word: word.clone(),
    });
    let deployments = input.deployment.all().map(|(word, _)| word).map(named("deployment"));
    let features = input.features.all().flat_map(|features| &features.entries);
    let features = features.filter_map(|entry| entry.bare.as_ref()).map(named("features"));
    labels.chain(deployments).chain(features).filter(|named| !is_keyword(&named.word)).collect()
}

/// Whether this is a keyword of Rust, which cannot be imported.
fn is_keyword(word: &Ident) -> bool {
    syn::parse2::<Ident>(word.to_token_stream()).is_err()
}

fn call(input: &Input, listed: &Listed) -> FeatureCall {
    let arguments = listed.feature.needs.iter().map(|provider| argument(input, provider)).collect();
    let (word, method) = (listed.word.clone(), catalog::method(listed.feature));
    let FeatureRow { record, needs_option, .. } = *listed.feature;
    FeatureCall { word, method, record, arguments, needs_option }
}

fn setting(input: &Input, provider: &'static Provider) -> Option<(&'static Provider, Ident, Expr)> {
    match input.given(provider) {
        Given::Named(slot) => slot.pair().map(|(word, value)| (provider, word, value)),
        Given::Shared(_) | Given::Unreadable | Given::Missing => None,
    }
}

fn argument(input: &Input, provider: &'static Provider) -> Argument {
    let given = match input.given(provider) {
        Given::Named(slot) => {
            slot.pair().map(|(word, value)| Argument::Named(provider, word, Box::new(value)))
        }
        Given::Shared(value) => {
            shared_value(provider.place, value).map(|shared| Argument::Shared(provider, Box::new(shared)))
        }
        Given::Unreadable | Given::Missing => None,
    };
    given.unwrap_or(Argument::Missing(provider))
}

/// The value that is used for several of the needed providers of a place, if there is one.
fn shared(input: &Input, place: Place, needs: &[&'static Provider]) -> Option<SharedValue> {
    let mut needed = needs.iter().filter(|need| need.place == place);
    needed.find_map(|need| match input.given(need) {
        Given::Shared(value) => shared_value(place, value),
        Given::Named(_) | Given::Unreadable | Given::Missing => None,
    })
}

fn shared_value(place: Place, value: &Expr) -> Option<SharedValue> {
    Some(SharedValue { key: place.key()?, value: value.clone() })
}
