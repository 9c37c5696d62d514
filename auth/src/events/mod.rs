//! Events: what the module tells a host that wants to know (specification §19), and where the events go.

mod event;
mod sink;

pub use event::{Event, EventKind, EventName, LimitedAction};
pub use sink::{EventChannel, EventSink};
