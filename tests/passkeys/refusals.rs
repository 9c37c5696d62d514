//! The reason of a refusal, which only the log has.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, set_default};
use tracing::{Event, Metadata, Subscriber};

/// The field `reason` of the last line of the log that has one.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Option<String>>>);

/// Records the log of this thread until the guard is dropped.
pub(crate) fn recorded() -> (Log, DefaultGuard) {
    let log = Log::default();
    (log.clone(), set_default(log))
}

impl Log {
    pub(crate) fn reason(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Visit for &Log {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "reason" {
            let text = format!("{value:?}").trim_matches('"').to_owned();
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut &*self);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
