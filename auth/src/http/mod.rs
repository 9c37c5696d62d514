//! HTTP: what a request has to look like, who sends it, and what an answer looks like (specification §6).

mod bearer;
mod client_address;
mod fields;
mod json;
mod middleware;
mod problem;
mod response;
mod routes;
mod step_up;

pub(crate) use bearer::{Bearer, token as bearer_token};
pub(crate) use fields::{Fields, OptionalFields};
pub(crate) use problem::Problem;
pub(crate) use response::{FreshPair, Message, Session, answer};
pub(crate) use routes::{Route, router};
pub(crate) use step_up::StepUp;
