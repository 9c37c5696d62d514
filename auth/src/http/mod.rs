//! Requests to other servers.
//!
//! Some of what the library can do needs another server: [`BreachedPasswords`](crate::policy::BreachedPasswords) asks a service of leaked
//! passwords. It sends its requests through an [`HttpClient`]: `OutboundClient` (cargo feature `http-client`), or one of the host.

// Besides, what only this crate uses: the format of requests and responses, credentials, client addresses, and the router
// (specification §6).

mod arrival;
mod client_address;
mod cookies;
mod credential;
mod documents;
mod fields;
mod guard;
mod languages;
mod middleware;
mod path;
mod problem;
mod response;
mod routes;
mod same_origin;

pub(crate) use arrival::Arrival;
pub(crate) use client_address::client;
pub(crate) use cookies::{CookieChanges, Cookies};
pub(crate) use credential::{
    Caller, Client, HostCredential, Visit, bearer_token, browser_visitor, find_bearer_token,
};
pub(crate) use documents::{Document, documents};
pub(crate) use fields::{Fields, OptionalFields};
pub(crate) use languages::with_languages;
pub(crate) use path::PathTexts;
pub(crate) use problem::Problem;
#[cfg(feature = "social-login")]
pub(crate) use response::begun_without_token;
pub(crate) use response::{
    ActorBody, Ended, Message, NoSession, Sentence, SessionEnded, Tokens, json as json_response, time_text,
};
pub(crate) use routes::{Route, router};
pub(crate) use same_origin::check_origin;

#[cfg(feature = "http-client")]
pub use crate::outbound::OutboundClient;
pub use crate::outbound::{ConfiguredHost, HttpClient, HttpError, MAX_RESPONSE};
