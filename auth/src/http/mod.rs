//! HTTP: what a request has to look like, who sends it, and what an answer looks like (contract §1).

mod answer;
mod bearer;
mod client_address;
mod fields;
mod guard;
mod json;
mod problem;
mod routes;
mod step_up;

pub(crate) use answer::{FreshPair, Message, Session, answer};
pub(crate) use bearer::{Bearer, token as bearer_token};
pub(crate) use fields::{Fields, OptionalFields};
pub(crate) use problem::Problem;
pub(crate) use routes::{Route, router};
pub(crate) use step_up::StepUp;
