//! From a request to the host's sink, without the request waiting for it.

use crate::client::ClientAddress;
use crate::clock::Clock;
use crate::events::EventSink;
use crate::events::{Event, EventKind};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc::{self, Receiver, Sender};

/// How many events may wait for the sink.
const QUEUE: usize = 1024;

/// Emits events in order, to a task that hands them to the sink one after another.
pub(crate) struct EventEmitter {
    sink: Option<Arc<dyn EventSink>>,
    clock: Arc<dyn Clock>,
    /// Made with the first event, for only then a runtime is certain to be there.
    queue: OnceLock<Sender<Event>>,
}

impl EventEmitter {
    pub(crate) fn new(sink: Option<Arc<dyn EventSink>>, clock: Arc<dyn Clock>) -> Self {
        Self { sink, clock, queue: OnceLock::new() }
    }

    /// Emits an event. It never waits: a full queue drops the event and says so in the log.
    pub(crate) fn emit(&self, kind: EventKind, user_id: Option<String>, client: ClientAddress) {
        let Some(sink) = &self.sink else { return };
        let name = kind.name();
        let event = Event::new(kind, user_id, self.clock.now(), client.ip());
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
