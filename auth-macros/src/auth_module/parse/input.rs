//! What the host wrote, by key.

use super::recovery::Recovered;
use crate::auth_module::lookup::Once;
use crate::auth_module::vocabulary::Deployment;
use crate::catalog::{Place, Provider, providers};
use crate::crate_path::CratePath;
use proc_macro2::{Span, TokenStream};
use syn::{Expr, Ident};

/// The macro's input.
pub(crate) struct Input {
    pub(crate) library: CratePath,
    pub(crate) config: Once<Expr>,
    pub(crate) features: Once<FeatureList>,
    pub(crate) user_repo: Once<Expr>,
    /// The providers that have a key of their own.
    pub(crate) own: Vec<(&'static Provider, Once<Expr>)>,
    pub(crate) actions: Once<Supply>,
    pub(crate) delivery: Once<Supply>,
    pub(crate) messages: Once<Expr>,
    pub(crate) events: Once<Expr>,
    pub(crate) password_verifier: Once<Expr>,
    pub(crate) policy: Once<Expr>,
    pub(crate) store: Once<Expr>,
    pub(crate) realm: Once<Expr>,
    pub(crate) deployment: Once<(Ident, Deployment)>,
    pub(crate) recovered: Recovered,
    /// Whether each value had a key. If not, keys that seem to be missing may have been given.
    pub(crate) has_every_key: bool,
}

/// `[WORD, …]`, or `enabled(…) within [WORD, …]`.
pub(crate) struct FeatureList {
    pub(crate) entries: Vec<FeatureEntry>,
    /// The word `enabled`, and the value in its parentheses.
    pub(crate) enabled: Option<(Ident, Expr)>,
}

/// An entry of the list of features, as the host wrote it.
pub(crate) struct FeatureEntry {
    pub(crate) written: String,
    pub(crate) span: Span,
    /// All of its tokens.
    pub(crate) tokens: TokenStream,
    /// The word, if the entry is one word without quotes and without a path.
    pub(crate) bare: Option<Ident>,
}

/// The value of `actions` or `delivery`.
pub(crate) enum Supply {
    /// `{ CreatesNewUsers: value, ..value }`
    Map(Box<ProviderMap>),
    /// One value for all providers of the place.
    One(Box<Expr>),
}

/// The entries between the braces of `actions` or `delivery`.
pub(crate) struct ProviderMap {
    pub(crate) named: Vec<(&'static Provider, Once<Expr>)>,
    /// The value after `..`, for every provider that is not named.
    pub(crate) base: Option<Base>,
    /// Values after further `..`, which was reported.
    pub(crate) other_bases: Vec<Expr>,
}

/// `..value`. The value is missing if it could not be read, which was reported.
pub(crate) struct Base {
    pub(crate) tokens: TokenStream,
    pub(crate) value: Option<Expr>,
}

/// How the host gives a provider.
pub(crate) enum Given<'a> {
    /// By its own word.
    Named(&'a Once<Expr>),
    /// By the value for all providers of its place, or for all that are not named.
    Shared(&'a Expr),
    /// By a value that could not be read, which was reported.
    Unreadable,
    Missing,
}

impl Input {
    /// An input in which nothing is given.
    pub(super) fn new(library: CratePath) -> Self {
        Self {
            library,
            config: Once::default(),
            features: Once::default(),
            user_repo: Once::default(),
            own: slots(Place::Own),
            actions: Once::default(),
            delivery: Once::default(),
            messages: Once::default(),
            events: Once::default(),
            password_verifier: Once::default(),
            policy: Once::default(),
            store: Once::default(),
            realm: Once::default(),
            deployment: Once::default(),
            recovered: Recovered::default(),
            has_every_key: true,
        }
    }

    /// The value of `actions` or `delivery`. `None` for providers that have a key of their own.
    pub(crate) fn supply(&self, place: Place) -> Option<&Once<Supply>> {
        match place {
            Place::Own => None,
            Place::Actions => Some(&self.actions),
            Place::Delivery => Some(&self.delivery),
        }
    }

    /// The same, mutable.
    pub(crate) fn supply_mut(&mut self, place: Place) -> Option<&mut Once<Supply>> {
        match place {
            Place::Own => None,
            Place::Actions => Some(&mut self.actions),
            Place::Delivery => Some(&mut self.delivery),
        }
    }

    /// How a provider is given, wherever its place is.
    pub(crate) fn given(&self, provider: &Provider) -> Given<'_> {
        let Some(supply) = self.supply(provider.place) else {
            return named(&self.own, provider).unwrap_or(Given::Missing);
        };
        match supply.value() {
            Some(Supply::One(value)) => Given::Shared(value),
            Some(Supply::Map(map)) => named(&map.named, provider).unwrap_or(match &map.base {
                Some(Base { value: Some(value), .. }) => Given::Shared(value),
                Some(_) => Given::Unreadable,
                None => Given::Missing,
            }),
            None if supply.is_given() => Given::Unreadable,
            None => Given::Missing,
        }
    }
}

impl ProviderMap {
    /// A map without entries.
    pub(crate) fn new(place: Place) -> Self {
        Self { named: slots(place), base: None, other_bases: Vec::new() }
    }
}

fn slots(place: Place) -> Vec<(&'static Provider, Once<Expr>)> {
    providers(place).map(|(_, provider)| (provider, Once::default())).collect()
}

fn named<'a>(slots: &'a [(&'static Provider, Once<Expr>)], provider: &Provider) -> Option<Given<'a>> {
    let slot = slots.iter().find(|(known, _)| known.word == provider.word).map(|(_, slot)| slot)?;
    slot.is_given().then_some(Given::Named(slot))
}

/// The slot of a provider, to be filled.
pub(crate) fn slot_mut<'a>(
    slots: &'a mut [(&'static Provider, Once<Expr>)],
    word: &str,
) -> Option<&'a mut Once<Expr>> {
    slots.iter_mut().find(|(known, _)| known.word == word).map(|(_, slot)| slot)
}
