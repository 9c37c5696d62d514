//! How time passes for a store.

use crate::clock::Clock;
use crate::testing::MovableClock;
use std::time::{Duration, Instant, SystemTime};

/// How time passes for a store.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Time {
    /// The store uses this clock, which the suite moves. The ends of lifetimes are checked to the millisecond.
    Movable(MovableClock),
    /// The store has a clock of its own. The suite waits for lifetimes of a second to end.
    Real,
}

impl From<MovableClock> for Time {
    fn from(clock: MovableClock) -> Self {
        Self::Movable(clock)
    }
}

/// A lifetime that begins now and ends during the test.
pub(super) struct Lifetime {
    pub(super) duration: Duration,
    started: Start,
    /// When the store had certainly begun it, if that was noted.
    begun: Option<Instant>,
}

enum Start {
    Movable(MovableClock, SystemTime),
    Real(Instant),
}

/// How much later than at its end a lifetime of a store with its own clock has certainly ended, and how much earlier it
/// certainly has not.
const MARGIN: Duration = Duration::from_millis(200);

impl Time {
    /// Begins a lifetime: call it before the operation that sets it.
    pub(super) fn lifetime(&self) -> Lifetime {
        match self {
            Self::Movable(clock) => Lifetime {
                duration: Duration::from_secs(60),
                started: Start::Movable(clock.clone(), clock.now()),
                begun: None,
            },
            Self::Real => Lifetime {
                duration: Duration::from_secs(1),
                started: Start::Real(Instant::now()),
                begun: None,
            },
        }
    }

    /// Lets so much time pass, if the clock can be moved.
    pub(super) fn advance(&self, by: Duration) {
        if let Self::Movable(clock) = self {
            clock.advance(by);
        }
    }
}

impl Lifetime {
    /// Waits until this part of the lifetime has passed.
    pub(super) async fn part(&self, numerator: u32, denominator: u32) {
        self.wait(self.duration * numerator / denominator).await;
    }

    /// Waits until shortly before the end: by a movable clock a millisecond.
    pub(super) async fn almost(&self) {
        let before = match &self.started {
            Start::Movable(..) => Duration::from_millis(1),
            Start::Real(_) => self.duration / 2,
        };
        self.wait(self.duration.saturating_sub(before)).await;
    }

    /// Waits until the end: by a movable clock exactly.
    pub(super) async fn exact_end(&self) {
        match &self.started {
            Start::Movable(..) => self.wait(self.duration).await,
            Start::Real(_) => self.end().await,
        }
    }

    /// Notes that the store has begun the lifetime: what it does later must not extend it.
    pub(super) fn has_begun(&mut self) {
        self.begun = Some(Instant::now());
    }

    /// Waits until the end has passed. A real one is counted from when the store had begun it, or else from now.
    pub(super) async fn end(&self) {
        match &self.started {
            Start::Movable(..) => self.wait(self.duration + Duration::from_secs(1)).await,
            Start::Real(_) => {
                let since = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
                tokio::time::sleep((self.duration + MARGIN).saturating_sub(since)).await;
            }
        }
    }

    /// Whether the lifetime has certainly not ended yet. By a real clock that is a question of the machine's load, so a
    /// check that something is still there counts only if this is true afterwards.
    pub(super) fn is_running(&self) -> bool {
        match &self.started {
            Start::Movable(clock, start) => *start + self.duration > clock.now(),
            Start::Real(start) => start.elapsed() + MARGIN < self.duration,
        }
    }

    /// How much is left by a movable clock.
    pub(super) fn rest(&self) -> Option<Duration> {
        match &self.started {
            Start::Movable(clock, start) => {
                Some((*start + self.duration).duration_since(clock.now()).unwrap_or_default())
            }
            Start::Real(_) => None,
        }
    }

    async fn wait(&self, until: Duration) {
        match &self.started {
            Start::Movable(clock, start) => {
                if let Ok(rest) = (*start + until).duration_since(clock.now()) {
                    clock.advance(rest);
                }
            }
            Start::Real(start) => tokio::time::sleep(until.saturating_sub(start.elapsed())).await,
        }
    }
}
