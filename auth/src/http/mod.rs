//! HTTP: what a request has to look like, who sends it, and what an answer looks like (contract §1).

mod answer;
mod bearer;
mod client_address;
mod fields;
mod guard;
mod json;
mod problem;
mod routes;

pub(crate) use answer::{Message, answer};
pub(crate) use bearer::Bearer;
pub use bearer::{Claims, CurrentUser};
pub(crate) use fields::Fields;
pub(crate) use problem::Problem;
pub(crate) use routes::{Route, router};
