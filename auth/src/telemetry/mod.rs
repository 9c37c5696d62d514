//! What operators see of a running module: the lines of the log, the spans, and with the cargo feature `metrics` the metrics.
//!
//! All of them have stable names and are rows of tables, which the documentation is generated from: [`LogLine::ALL`],
//! [`Span::ALL`] and [`Metric::ALL`]. A name is never changed or used for something else; new ones are added.
//!
//! None of them holds personal data: no address, name, id of a user, IP address, token, code or request body. The id of a session
//! is in two lines about damaged rows, because nothing else says which row it is; it is no secret and is deleted with the session.
//! What happened to whom is in the [events](crate::events), which a host's sink keeps as it sees fit.
//!
//! The spans and the lines have the target [`TARGET`], so that `RUST_LOG=axum_auth_module=debug` selects them.
//!
//! # Request ids
//!
//! A request's header `x-request-id` becomes the field `request_id` of its span and of its [events](crate::events::Event::request_id),
//! also of those that are emitted by work in the background. An id has 1 to 128 visible ASCII characters; any other is ignored. The library makes
//! none and adds none to responses: a host that wants one for each request uses tower-http's `SetRequestIdLayer` and
//! `PropagateRequestIdLayer`, as `examples/observability` does.

mod cause;
mod log_lines;
#[cfg(feature = "metrics")]
mod metric_keys;
mod metrics;
mod request_id;
mod spans;

pub use log_lines::LogLine;
pub use metrics::{Metric, MetricKind};
pub use spans::Span;

#[cfg(feature = "redis")]
pub(crate) use cause::without_arguments;
pub(crate) use cause::{cause, is_missing_table};
pub(crate) use log_lines::{Lazily, Sentence, SessionId, log};
pub(crate) use metrics::{describe, measure};
pub(crate) use request_id::RequestId;
pub(crate) use spans::span;

/// The target of all lines and spans.
pub const TARGET: &str = "axum_auth_module";
