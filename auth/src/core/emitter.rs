//! Passes events to the host's sink. The request does not wait for the sink, unless the sink asks for that.

use super::Core;
use crate::background::{BackgroundWork, Unfinished};
use crate::client::ClientAddress;
use crate::clock::Clock;
use crate::config::AuthConfig;
use crate::events::EventSink;
use crate::events::{Actor, AttemptKind, Event, EventKind, EventName};
use crate::sync::Mutex;
use crate::telemetry::{log, measure, span};
use crate::user::UserRecord;
use futures_util::FutureExt;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::oneshot;
use tracing::Instrument;

/// How many events may wait for the sink.
const QUEUE: usize = 1024;
/// How many of these places are not for events that anybody can cause at will: a flood of failed logins must not hide that a
/// password was changed.
const RESERVED: usize = QUEUE / 4;
/// How many events of a user may wait at least: an event that a user has caused in a session beyond the user's share is dropped,
/// so that nobody fills the places that are kept for others.
const SHARE: usize = QUEUE / 16;
/// How many events a user causes at once besides those of all sessions that end.
const BESIDE_SESSIONS: usize = 16;
/// A wait for one event takes at most a quarter of a request's time. A request that was refused because of a sink would tell the
/// client that nothing has happened, and its wrong guess would not count.
const SHARE_OF_A_REQUEST: u32 = 4;

/// How many events wait that a user has caused, by the user's id.
struct Shares {
    /// How many can be of one user.
    of_a_user: usize,
    waiting: Mutex<HashMap<String, usize>>,
}

/// Who has caused an event, and from where.
#[derive(Clone, Copy)]
pub(crate) enum By {
    /// A request of this client.
    Client(ClientAddress),
    /// A function for administrators.
    Administrator,
}

impl From<ClientAddress> for By {
    fn from(client: ClientAddress) -> Self {
        Self::Client(client)
    }
}

/// The place of an event in its user's share, until it is dropped.
struct Place(Option<(Arc<Shares>, String)>);

impl Shares {
    fn new(sessions_per_user: usize) -> Self {
        let of_a_user = SHARE.max(sessions_per_user + BESIDE_SESSIONS).min(QUEUE / 2);
        Self { of_a_user, waiting: Mutex::default() }
    }

    /// A place for an event, or `None` if the share of its user is used up. What anybody can cause takes no place, because it
    /// would use up the share of somebody else.
    fn take(self: &Arc<Self>, event: &Event) -> Option<Place> {
        let is_by_user = event.by == Actor::Client && !is_caused_at_will(event.kind.event_name());
        let Some(user_id) = event.user_id.clone().filter(|_| is_by_user) else { return Some(Place(None)) };
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let number = waiting.entry(user_id.clone()).or_default();
        if *number >= self.of_a_user {
            return None;
        }
        *number += 1;
        Some(Place(Some((Arc::clone(self), user_id))))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some((shares, user_id)) = &self.0 else { return };
        let mut waiting = shares.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = waiting.get_mut(user_id) {
            *number -= 1;
            if *number == 0 {
                waiting.remove(user_id);
            }
        }
    }
}

/// Sends events to a task that passes them to the sink, one at a time and in order.
pub(crate) struct EventEmitter {
    sink: Option<Arc<dyn EventSink>>,
    clock: Arc<dyn Clock>,
    /// Created with the first event, because only then a Tokio runtime is certain to exist.
    queue: OnceLock<Sender<Queued>>,
    background: BackgroundWork,
    /// How long a response waits at most for one event, whatever the sink says.
    most: Duration,
    shares: Arc<Shares>,
    dropped: Arc<Dropped>,
}

/// An event in the queue.
struct Queued {
    event: Event,
    until_taken: UntilTaken,
}

/// What is dropped when the sink has taken an event: it was unfinished, it had a place, and whoever waits for the sink has the
/// other end of the channel.
type UntilTaken = (Unfinished, Place, Option<oneshot::Sender<()>>);

/// The events that did not fit into the queue.
#[derive(Default)]
struct Dropped {
    /// How many there were.
    all: AtomicU64,
    /// How many of them are in the log.
    logged: AtomicU64,
}

impl EventEmitter {
    pub(crate) fn new(
        sink: Option<Arc<dyn EventSink>>,
        clock: Arc<dyn Clock>,
        background: BackgroundWork,
        config: &AuthConfig,
    ) -> Self {
        let most = config.request_timeout / SHARE_OF_A_REQUEST;
        let shares = Arc::new(Shares::new(config.sessions.max_per_user));
        Self { sink, clock, queue: OnceLock::new(), background, most, shares, dropped: Arc::default() }
    }

    /// How many events were dropped so far.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.all.load(Ordering::Relaxed)
    }

    /// Emits an event. If the queue is full, the event is dropped and counted: it never waits for a place. The log has the
    /// number of dropped events when the first one is dropped, and whenever the sink has taken another one.
    ///
    /// It returns at once, or when the sink has taken the event if the sink wants to be waited for.
    pub(crate) async fn emit(&self, kind: EventKind, user_id: Option<String>, client: ClientAddress) {
        self.send(Event::new(kind, user_id, self.clock.now(), client.ip())).await;
    }

    /// Emits an event that an administrator has caused.
    pub(crate) async fn emit_by_administrator(&self, kind: EventKind, user_id: Option<String>) {
        let event = Event::new(kind, user_id, self.clock.now(), None);
        self.send(Event { by: Actor::Administrator, ..event }).await;
    }

    /// Emits an event that one of both has caused.
    pub(crate) async fn emit_by(&self, kind: EventKind, user_id: Option<String>, by: By) {
        match by {
            By::Client(client) => self.emit(kind, user_id, client).await,
            By::Administrator => self.emit_by_administrator(kind, user_id).await,
        }
    }

    async fn send(&self, event: Event) {
        count(&event.kind);
        let Some(sink) = &self.sink else { return };
        let name = event.kind.event_name();
        let Some(longest) = sink.longest_wait() else { return self.enqueue(sink, event, None) };
        let (taken, has_taken) = oneshot::channel();
        self.enqueue(sink, event, Some(taken));
        // The other end is dropped, never sent to, when the sink has taken the event, and at once if there is no place.
        if tokio::time::timeout(longest.min(self.most), has_taken).await.is_err() {
            log::sink_is_late(name.as_str());
        }
    }

    /// Puts an event into the queue, or drops and counts it.
    fn enqueue(&self, sink: &Arc<dyn EventSink>, event: Event, taken: Option<oneshot::Sender<()>>) {
        let queue = self.queue.get_or_init(|| {
            let (sender, receiver) = mpsc::channel(QUEUE);
            tokio::spawn(deliver(Arc::clone(sink), receiver, Arc::clone(&self.dropped)));
            sender
        });
        let has_room = !is_caused_at_will(event.kind.event_name()) || queue.capacity() > RESERVED;
        let place = self.shares.take(&event).filter(|_| has_room);
        let queued =
            place.map(|place| Queued { event, until_taken: (self.background.begin(), place, taken) });
        if queued.is_none_or(|queued| queue.try_send(queued).is_err()) {
            measure::events_dropped(1);
            if self.dropped.all.fetch_add(1, Ordering::Relaxed) == 0 {
                self.dropped.log();
            }
        }
    }
}

impl Core {
    /// Emits an event that has happened to this user, whose record is from before. The features are told of it, too: the owner of the
    /// account may have to know.
    pub(crate) async fn emit_about(&self, kind: EventKind, before: &dyn UserRecord, by: impl Into<By>) {
        let by = by.into();
        for hook in &self.hooks {
            hook.happened(self, &kind, before, by);
        }
        self.events.emit_by(kind, Some(before.id_text()), by).await;
    }
}

impl Dropped {
    /// Logs the number of events that were dropped since the last time.
    fn log(&self) {
        let all = self.all.load(Ordering::Relaxed);
        let number = all.saturating_sub(self.logged.swap(all, Ordering::Relaxed));
        if number > 0 {
            log::events_dropped(number);
        }
    }
}

/// Counts an event, and what it says about logins and sessions.
fn count(event: &EventKind) {
    measure::events(1, event.name());
    match event {
        EventKind::Login { .. } => measure::logins(1, "success"),
        EventKind::LoginFailed { .. } => measure::logins(1, "failed"),
        EventKind::TwoFactorChallenged => measure::logins(1, "challenged"),
        EventKind::Lockout { attempt: AttemptKind::Login } => measure::logins(1, "locked_out"),
        EventKind::Logout { .. } => measure::session_ended(1, "logout"),
        EventKind::RefreshTokenReused { .. } => measure::session_ended(1, "refresh-token-reused"),
        EventKind::SessionEnded { reason, .. } => measure::session_ended(1, reason.as_str()),
        _ => {}
    }
}

/// Whether somebody without a session can cause any number of these events.
const fn is_caused_at_will(event: EventName) -> bool {
    matches!(
        event,
        EventName::LoginFailed
            | EventName::LoginCodeSent
            | EventName::Lockout
            | EventName::TwoFactorChallenged
            | EventName::TwoFactorFailed
    )
}

async fn deliver(sink: Arc<dyn EventSink>, mut events: Receiver<Queued>, dropped: Arc<Dropped>) {
    while let Some(Queued { event, until_taken }) = events.recv().await {
        dropped.log();
        let (name, began) = (event.name(), Instant::now());
        let handling = sink.handle(event).instrument(span::event_sink(name));
        let outcome = AssertUnwindSafe(handling).catch_unwind().await;
        measure::event_sink_time(began.elapsed());
        if outcome.is_err() {
            log::sink_panicked(name);
        }
        drop(until_taken);
    }
}
