//! Sinks, which receive the module's events (specification §19.3).

use crate::erase::provided;
use crate::events::Event;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// Receives the module's events, one at a time. Without a sink no events are emitted.
///
/// A sink runs in a separate task, so it cannot make a request fail, and delays one only if [`longest_wait`](Self::longest_wait)
/// says so. Up to 1024 events wait in a queue; if it is full, new events are dropped. A quarter of the queue is kept for events that nobody can cause at will: failed logins,
/// lockouts and challenges do not fit into it. [`AuthModule::dropped_events`](crate::AuthModule::dropped_events) counts what
/// was dropped, and the log has the numbers. If the sink panics, the panic is logged and the sink receives the next event.
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
    /// Receives one event.
    async fn handle(&self, event: Event); // needs #[async_trait]

    /// How long a response waits, at most, until [`handle`](Self::handle) has returned for each of its events. Default: `None`,
    /// it does not wait. More than a quarter of the option `request_timeout` counts as that quarter.
    ///
    /// What the event reports has already happened: a user was created, a session has started. A sink that fails therefore
    /// cannot make the request fail, which would tell the client the opposite. If the time is over, the response waits no
    /// longer; that is logged, and the event stays in the queue. Events are taken one after the other, so a response also
    /// waits for the events before its own.
    ///
    /// What must not happen at all without its record is written together with it: by an action, in a transaction of the
    /// host's, with [`ActionContext::event`](crate::actions::ActionContext::event); for logins, by a
    /// [`Policy`](crate::policy::Policy), whose failure refuses the login.
    ///
    /// ```
    /// use axum_auth_module::async_trait;
    /// use axum_auth_module::events::{Event, EventSink};
    /// use std::time::Duration;
    ///
    /// struct Ledger;
    ///
    /// #[async_trait]
    /// impl EventSink for Ledger {
    ///     async fn handle(&self, event: Event) {
    ///         // … write it and wait until it is stored …
    ///         # drop(event);
    ///     }
    ///
    ///     fn longest_wait(&self) -> Option<Duration> {
    ///         Some(Duration::from_secs(1))
    ///     }
    /// }
    /// ```
    fn longest_wait(&self) -> Option<Duration> {
        None
    }

    provided!(dyn EventSink);
}

/// A sink that broadcasts events to its subscribers. Each subscriber receives them at its own pace.
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
/// A subscriber that is more than `capacity` events behind misses the oldest ones; `recv` then returns their number in
/// [`RecvError::Lagged`](tokio::sync::broadcast::error::RecvError::Lagged). Without subscribers events are dropped.
#[derive(Clone, Debug)]
pub struct EventChannel(broadcast::Sender<Event>);

impl EventChannel {
    /// A channel that keeps up to `capacity` events for its slowest subscriber. The capacity is at least 1 and at most
    /// 2²⁰; other values are replaced by the nearest of these.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        // `broadcast::channel` allocates the whole capacity at once. It panics for 0 and beyond `usize::MAX / 2`.
        Self(broadcast::channel(capacity.clamp(1, 1 << 20)).0)
    }

    /// Returns a receiver of all later events.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.0.subscribe()
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EventSink for EventChannel {
    async fn handle(&self, event: Event) {
        // An error means that there are no subscribers.
        let _no_subscribers = self.0.send(event);
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<S: EventSink + ?Sized> EventSink for Arc<S> {
    async fn handle(&self, event: Event) {
        (**self).handle(event).await;
    }

    fn longest_wait(&self) -> Option<Duration> {
        (**self).longest_wait()
    }
}
