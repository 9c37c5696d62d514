//! SOCIAL_LOGIN: signing in with the account of another site, and what becomes of it.
//!
//! The other sites are [`Internet`](crate::support::provider::Internet). [`host`] has everything that depends on how the feature is
//! configured.

mod accounts;
mod arrivals;
mod callbacks;
mod client_authentication;
mod confirmations;
mod endings;
mod flows;
mod host;
mod id_tokens;
mod keys;
mod limits;
mod link_tokens;
mod linking;
mod native;
mod outages;
mod outcome;
mod pages;
mod presets;
mod races;
mod registrations;
mod secrets;
mod site;
mod token_responses;
mod visitor;
