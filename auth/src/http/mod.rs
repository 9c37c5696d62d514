//! HTTP: the format of requests and responses, credentials, client addresses, and the router (specification §6).

mod arrival;
mod client_address;
mod cookies;
mod credential;
mod fields;
mod guard;
mod languages;
mod middleware;
mod problem;
mod response;
mod routes;
mod same_origin;

pub(crate) use arrival::Arrival;
pub(crate) use client_address::client;
pub(crate) use cookies::{CookieChanges, Cookies};
pub(crate) use credential::{Caller, Client, HostCredential, Visit, browser_visitor};
pub(crate) use fields::{Fields, OptionalFields};
pub(crate) use languages::with_languages;
pub(crate) use problem::Problem;
pub(crate) use response::{
    Message, NoSession, Sentence, SessionEnded, Tokens, json as json_response, time_text,
};
pub(crate) use routes::{Route, router};
pub(crate) use same_origin::check_origin;
