//! Where in `auth_module!` a provider is given.

use super::STANDARD_ACTIONS;

/// Where in `auth_module!` a provider is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// After a key of its own.
    Own,
    /// In `actions`.
    Actions,
    /// In `delivery`.
    Delivery,
}

impl Place {
    /// The places that hold several providers.
    pub(crate) const SHARED: [Self; 2] = [Self::Actions, Self::Delivery];

    /// The key that holds all providers of this place, if there is one.
    pub(crate) fn key(self) -> Option<&'static str> {
        match self {
            Self::Own => None,
            Self::Actions => Some("actions"),
            Self::Delivery => Some("delivery"),
        }
    }

    /// A provider of this place, in a message: `there is no action`.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Own => "key",
            Self::Actions => "action",
            Self::Delivery => "delivery",
        }
    }

    /// The same with an article: `is an action`.
    pub(crate) fn some(self) -> &'static str {
        match self {
            Self::Own => "a key",
            Self::Actions => "an action",
            Self::Delivery => "a delivery",
        }
    }

    /// A value to paste for all providers of this place.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Self::Own => "…",
            Self::Actions => STANDARD_ACTIONS.1,
            Self::Delivery => "my_deliveries.clone()",
        }
    }
}
