//! The hosts that the browsers visit.

mod account;
mod authenticator;
mod mail;
mod origin;
mod program;
mod provider;
mod site;

pub(crate) use account::Account;
pub(crate) use authenticator::{Authenticator, recovery_codes};
pub(crate) use origin::Origin;
pub(crate) use program::Program;
pub(crate) use provider::{Provider, callback, consent, consent_as};
pub(crate) use site::{Arrival, Site};

/// The password of every account.
pub(crate) const PASSWORD: &str = "correct horse battery";
