//! Passes events to the host's sink. The request does not wait for the sink.

use crate::client::ClientAddress;
use crate::clock::Clock;
use crate::events::EventSink;
use crate::events::{Actor, Event, EventKind};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc::{self, Receiver, Sender};

/// How many events may wait for the sink.
const QUEUE: usize = 1024;

/// Sends events to a task that passes them to the sink, one at a time and in order.
pub(crate) struct EventEmitter {
    sink: Option<Arc<dyn EventSink>>,
    clock: Arc<dyn Clock>,
    /// Created with the first event, because only then a Tokio runtime is certain to exist.
    queue: OnceLock<Sender<Event>>,
}

impl EventEmitter {
    pub(crate) fn new(sink: Option<Arc<dyn EventSink>>, clock: Arc<dyn Clock>) -> Self {
        Self { sink, clock, queue: OnceLock::new() }
    }

    /// Emits an event. It never waits: if the queue is full, the event is dropped and a warning is logged.
    pub(crate) fn emit(&self, kind: EventKind, user_id: Option<String>, client: ClientAddress) {
        self.send(Event::new(kind, user_id, self.clock.now(), client.ip()));
    }

    /// Emits an event that an administrator has caused.
    pub(crate) fn emit_by_administrator(&self, kind: EventKind, user_id: Option<String>) {
        let event = Event::new(kind, user_id, self.clock.now(), None);
        self.send(Event { by: Actor::Administrator, ..event });
    }

    fn send(&self, event: Event) {
        let Some(sink) = &self.sink else { return };
        let name = event.name();
        let queue = self.queue.get_or_init(|| {
            let (sender, receiver) = mpsc::channel(QUEUE);
            tokio::spawn(deliver(Arc::clone(sink), receiver));
            sender
        });
        if queue.try_send(event).is_err() {
            tracing::warn!(event = name, "an event was dropped: the sink is too slow");
        }
    }
}

async fn deliver(sink: Arc<dyn EventSink>, mut events: Receiver<Event>) {
    while let Some(event) = events.recv().await {
        let name = event.name();
        if AssertUnwindSafe(sink.handle(event)).catch_unwind().await.is_err() {
            tracing::error!(event = name, "the event sink panicked");
        }
    }
}
