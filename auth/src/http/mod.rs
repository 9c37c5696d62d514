//! HTTP: the format of requests and responses, credentials, client addresses, and the router (specification §6).

mod client_address;
mod credential;
mod fields;
mod json;
mod middleware;
mod problem;
mod response;
mod routes;

pub(crate) use client_address::visitor;
pub(crate) use credential::{Caller, Client, Visit, bearer_token};
pub(crate) use fields::{Fields, OptionalFields};
pub(crate) use problem::Problem;
pub(crate) use response::{Message, Tokens, json as json_response};
pub(crate) use routes::{Route, router};
