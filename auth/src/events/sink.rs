//! Where events go (specification §19.3).

use crate::erase::provided;
use crate::events::Event;
use async_trait::async_trait;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Takes the module's events, one after another. Without a sink nothing is emitted.
///
/// A sink runs beside the requests and never delays or fails one: events wait in a queue of 1024 and what comes on
/// top is dropped with a warning; a panic is logged and the next event goes on.
///
/// ```
/// use axum_auth_module::async_trait;
/// use axum_auth_module::events::{Event, EventSink};
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
    note = "leave `events:` out, give an `axum_auth_module::events::EventChannel`, or write `impl axum_auth_module::events::EventSink for {Self}`"
)]
pub trait EventSink: Send + Sync + 'static {
    /// Takes one event.
    async fn handle(&self, event: Event);

    provided!(dyn EventSink);
}

/// A sink that broadcasts to whoever has subscribed, each at their own pace.
///
/// ```
/// use axum_auth_module::events::EventChannel;
///
/// let events = EventChannel::new(256);
/// let mut audit = events.subscribe();
/// // auth_module! { …, events: events.clone() }
/// # async {
/// while let Ok(event) = audit.recv().await {
///     println!("{} {:?}", event.name(), event.user_id);
/// }
/// # };
/// ```
///
/// A subscriber that is more than `capacity` events behind misses the oldest and is told how many
/// ([`RecvError::Lagged`](tokio::sync::broadcast::error::RecvError::Lagged)). Without subscribers events are dropped.
#[derive(Clone, Debug)]
pub struct EventChannel(broadcast::Sender<Event>);

impl EventChannel {
    /// A channel that keeps so many events for its slowest subscriber, one at least.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        // The channel allocates all of it at once, and panics beyond half of what can be counted.
        Self(broadcast::channel(capacity.clamp(1, 1 << 20)).0)
    }

    /// Every event from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.0.subscribe()
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EventSink for EventChannel {
    async fn handle(&self, event: Event) {
        // An error says that nobody has subscribed.
        let _nobody_listens = self.0.send(event);
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<S: EventSink + ?Sized> EventSink for Arc<S> {
    async fn handle(&self, event: Event) {
        (**self).handle(event).await;
    }
}
