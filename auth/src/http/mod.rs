//! HTTP: what a request must look like, who sends it, and what a response looks like (specification §6).

mod client_address;
mod credential;
mod fields;
mod json;
mod middleware;
mod problem;
mod response;
mod routes;

pub(crate) use credential::{Caller, Client, bearer_token};
pub(crate) use fields::{Fields, OptionalFields};
pub(crate) use problem::Problem;
pub(crate) use response::{Message, Tokens, json as json_response};
pub(crate) use routes::{Route, router};
