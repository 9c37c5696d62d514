//! SOCIAL_LOGIN: signing in with the account of another site, and what becomes of it.
//!
//! The other sites are [`Internet`](crate::support::provider::Internet). [`host`] has everything that depends on how the feature is
//! configured.
//!
//! The names in quotation marks, in comments and messages, are those of the tests for clients of the OpenID conformance suite
//! (`oidcc-client-test-…`), as it was in August 2026. Each test of its profiles *basic* and *config* is here, and each further one for the
//! code flow, but for what the library does not have (specification §30.7): "userinfo-bearer-body", "userinfo-signed",
//! "mtls-endpoint-aliases", "dynamic-registration", "discovery-webfinger-acct", "discovery-webfinger-url", "request-uri-signed-rs256",
//! "request-uri-signed-none", "form-post-error", "3rd-party-init-login", "session-management", and those about refresh tokens and logout.
//! The suite itself was not run.

mod accounts;
mod actions;
mod arrivals;
mod callbacks;
mod claims;
mod client_authentication;
mod confirmations;
mod cookies;
mod devices;
mod ended_sessions;
mod endings;
mod endless;
mod flows;
mod host;
mod id_tokens;
mod in_handlers;
mod keys;
mod languages;
mod limits;
mod link_tokens;
mod linking;
mod native;
mod outages;
mod outcome;
mod pages;
mod presets;
mod races;
mod refusals;
mod registrations;
mod secrets;
mod site;
mod token_responses;
mod visitor;
