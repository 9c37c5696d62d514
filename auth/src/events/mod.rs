//! Events that the module emits, and the sinks that receive them (specification §19).

mod event;
mod sink;

pub use event::{Event, EventKind, EventName, LimitedAction};
pub use sink::{EventChannel, EventSink};
