//! Events that the module emits, and the sinks that receive them (specification §19).

mod event;
mod sink;

pub use event::{Actor, Event, EventKind, EventName, LimitedAction, SessionEnd};
pub use sink::{EventChannel, EventSink};
