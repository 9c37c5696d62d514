//! Events that the module emits, and the sinks that receive them (specification §19).

mod event;
mod sink;

pub use event::{Actor, AttemptKind, Event, EventKind, EventName, SessionEnd};
pub use sink::{EventChannel, EventSink};
