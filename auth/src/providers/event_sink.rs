//! Where events go (requirements §6).

use crate::event::Event;
use async_trait::async_trait;
use std::sync::Arc;

/// Takes the module's events, one after another. Without a sink nothing is emitted.
///
/// A sink runs beside the requests and never delays or fails one: events wait in a queue of 1024 and what comes on
/// top is dropped with a warning; a panic is logged and the next event goes on.
///
/// ```
/// use auth::{async_trait, Event, EventSink};
///
/// struct AuditLog;
///
/// #[async_trait]
/// impl EventSink for AuditLog {
///     async fn handle(&self, event: Event) {
///         println!("{} {:?} {:?}", event.name(), event.user_id, event.client);
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot take the module's events",
    label = "does not implement `EventSink`",
    note = "leave `events:` out, or write `impl auth::EventSink for {Self}`"
)]
pub trait EventSink: Send + Sync + 'static {
    /// Takes one event.
    async fn handle(&self, event: Event);
}

#[async_trait]
impl<S: EventSink + ?Sized> EventSink for Arc<S> {
    async fn handle(&self, event: Event) {
        (**self).handle(event).await;
    }
}
