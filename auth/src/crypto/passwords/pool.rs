//! Separate threads for password hashing (specification §14.4).
//!
//! A bcrypt hash keeps a core busy for a fifth of a second. On tokio's async threads it would block other requests; on
//! tokio's blocking threads a hundred logins would start a hundred threads. This pool has a configured number of
//! threads, of low priority on Linux, and a bounded queue. Each thread computes up to four bcrypt hashes at once, in lanes,
//! or another hash alone.

use super::bcrypt::{self, BcryptImplementation, Lanes};
use super::job::{Alone, Job, Memory};
use super::queue::{Queue, Ticket};
use crate::client::ClientAddress;
use crate::error::{AuthError, BoxError};
use crate::sync::{AtomicU64, Condvar, Mutex, MutexGuard, Ordering, thread};
use crate::telemetry::{cause, log, measure, span};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tracing::Instrument;

/// After this many rounds, about a millisecond, a thread looks for jobs that can join.
const TURN: u64 = 16;

/// The bounds of what a client is told to wait.
const WAIT: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// A fixed number of threads with a bounded queue. The threads end when the pool is dropped.
pub(crate) struct PasswordPool {
    shared: Arc<Shared>,
    workers: usize,
}

/// What the threads share.
struct Shared {
    state: Mutex<State>,
    has_work: Condvar,
    /// How fast one thread is.
    speed: Speed,
    /// How fast one of its lanes is.
    lane_speed: Speed,
}

struct State {
    queue: Queue<(Reply, Waiting)>,
    /// The threads that wait for work.
    idle: usize,
    is_closed: bool,
}

/// Where the digest goes.
type Reply = oneshot::Sender<Vec<u8>>;

/// A job in the queue, for the metrics.
struct Waiting(Instant);

impl Waiting {
    fn begin() -> Self {
        measure::passwords_waiting(1.0);
        Self(Instant::now())
    }

    /// A thread begins the job.
    fn ended(self) {
        measure::password_wait(self.0.elapsed());
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        measure::passwords_waiting(-1.0);
    }
}

/// The owner of a job in a lane.
struct Owner {
    reply: Reply,
    /// The digest of a computation that is done, after which the lane does more work.
    computed: Option<Vec<u8>>,
}

impl PasswordPool {
    /// Starts the threads. At most `queue` jobs can wait. Each thread keeps this much memory between its jobs, if they need
    /// as much.
    pub(crate) fn start(
        threads: NonZeroUsize,
        queue: usize,
        implementation: BcryptImplementation,
        kept_kib: u32,
    ) -> Self {
        let state = State { queue: Queue::new(queue), idle: 0, is_closed: false };
        let (speed, lane_speed) = Default::default();
        let shared =
            Arc::new(Shared { state: Mutex::new(state), has_work: Condvar::new(), speed, lane_speed });
        let started = (0..threads.get()).filter(|index| {
            let shared = Arc::clone(&shared);
            let thread = thread::Builder::new().name(format!("auth-password-{index}"));
            let spawned = thread.spawn(move || {
                lower_priority();
                let memory = || Memory::keeping(kept_kib);
                // After a panic with new lanes.
                while catch_unwind(AssertUnwindSafe(|| shared.work(Lanes::new(implementation), memory())))
                    .is_err()
                {
                    log::password_job_panicked();
                }
            });
            spawned.inspect_err(|error| log::password_thread_not_started(cause(error))).is_ok()
        });
        let workers = started.count();
        Self { shared, workers }
    }

    /// Runs a job on one of the threads and waits for its result.
    ///
    /// If the returned future is dropped, the job is given up.
    ///
    /// # Errors
    /// [`AuthError::Overloaded`] when the queue or the client's part of it is full, [`AuthError::Internal`] when the job
    /// fails or panics, or no thread could be started.
    pub(super) async fn run(&self, job: Job, client: ClientAddress) -> Result<Vec<u8>, AuthError> {
        if self.workers == 0 {
            return Err(AuthError::internal("no password thread could be started"));
        }
        let began = Instant::now();
        let client = client.line_key();
        let (reply, result) = oneshot::channel();
        let ticket = {
            let mut state = self.shared.state();
            match state.queue.push(&client, job, (reply, Waiting::begin())) {
                Ok(ticket) => ticket,
                Err(_full) => {
                    measure::passwords_refused(1);
                    return Err(AuthError::Overloaded { retry_after: self.wait(state.queue.rounds()) });
                }
            }
        };
        self.shared.has_work.notify_one();
        let _place = Place { shared: &self.shared, client, ticket };
        let digest = result.instrument(span::password()).await;
        measure::password_time(began.elapsed());
        digest.map_err(|_| AuthError::internal("a password job failed"))
    }

    /// All rounds of bcrypt that the threads have computed, and those that their other work is worth.
    #[cfg(test)]
    pub(super) fn rounds_done(&self) -> u64 {
        self.shared.speed.total.load(Ordering::Relaxed)
    }

    /// In which time the threads do this work.
    fn wait(&self, rounds: u64) -> Duration {
        let speed = self.shared.speed.per_second().saturating_mul(self.workers as u64);
        let (least, most) = WAIT;
        Duration::from_secs(rounds.div_ceil(speed.max(1))).clamp(least, if speed == 0 { least } else { most })
    }
}

impl Drop for PasswordPool {
    fn drop(&mut self) {
        self.shared.state().is_closed = true;
        self.shared.has_work.notify_all();
    }
}

/// The place in the queue, which becomes free when the request is given up.
struct Place<'a> {
    shared: &'a Shared,
    client: String,
    ticket: Ticket,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.shared.state().queue.remove(&self.client, self.ticket);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop of each thread, until the pool is dropped.
    fn work(&self, mut lanes: Lanes<Owner>, mut memory: Memory) {
        // For how long the lanes have waited for a computation. The next one begins after they had as much time.
        let mut owed = Duration::ZERO;
        while let Some(jobs) = self.jobs_for(&lanes, owed) {
            for (job, reply) in jobs {
                match job {
                    Job::Lane(job) => lanes.start(job, Owner { reply, computed: None }),
                    Job::Alone(job) => owed = self.compute(job, reply, &mut lanes, &mut memory),
                }
            }
            if lanes.is_empty() {
                continue;
            }
            let began = Instant::now();
            let turn = lanes.turn(TURN);
            let time = began.elapsed();
            self.speed.measure(turn.rounds, time);
            self.lane_speed.measure(turn.rounds / turn.lanes, time);
            owed = owed.saturating_sub(time);
            for (Owner { reply, computed }, digest) in turn.done {
                // An error means that the request was given up in this moment.
                let _receiver_dropped = reply.send(computed.unwrap_or_else(|| digest.to_vec()));
            }
            lanes.drop_if(|owner| owner.reply.is_closed());
        }
    }

    /// Does a computation, and starts the work that follows it in a lane, for which there must be room. Returns how long
    /// the other lanes have waited.
    fn compute(&self, job: Alone, reply: Reply, lanes: &mut Lanes<Owner>, memory: &mut Memory) -> Duration {
        let Alone { computation, password, make_up } = job;
        if reply.is_closed() {
            return Duration::ZERO;
        }
        let began = Instant::now();
        let computed = catch_unwind(AssertUnwindSafe(|| computation.digest(&password, memory)));
        let time = began.elapsed();
        match computed {
            Ok(Ok(digest)) => {
                let rest = match computation.rounds() {
                    Some(rounds) => {
                        self.speed.measure(rounds, time);
                        make_up
                    }
                    None => make_up.saturating_sub(self.lane_speed.rounds_in(time)),
                };
                if rest == 0 {
                    // An error means that the request was given up in this moment.
                    let _receiver_dropped = reply.send(digest);
                } else {
                    lanes.start(bcrypt::Job::work(rest), Owner { reply, computed: Some(digest) });
                }
            }
            Ok(Err(error)) => log::password_job_failed(cause(&*BoxError::from(error))),
            Err(_panic) => {
                memory.wipe();
                log::password_job_panicked();
            }
        }
        if lanes.is_empty() { Duration::ZERO } else { time }
    }

    /// What a thread begins now. A thread without jobs waits for one; `None`: the pool was dropped. After a computation,
    /// which runs alone, the thread begins nothing else; while its lanes are `owed` time, it begins none.
    fn jobs_for(&self, lanes: &Lanes<Owner>, owed: Duration) -> Option<Vec<(Job, Reply)>> {
        let mut state = self.state();
        loop {
            let (waiting, idle) = (state.queue.len(), state.idle);
            // Jobs are spread over the threads before they share one.
            let share = match (lanes.is_empty(), idle) {
                (true, _) => waiting.div_ceil(idle + 1),
                (false, 0) => waiting,
                (false, _) => 0,
            };
            let mut jobs = Vec::new();
            for _ in 0..share.min(lanes.room()) {
                let is_alone = state.queue.next_is_alone();
                if is_alone && !lanes.is_empty() && !owed.is_zero() {
                    break;
                }
                jobs.extend(state.queue.pop().map(|(job, (reply, waiting))| {
                    waiting.ended();
                    (job, reply)
                }));
                if is_alone {
                    break;
                }
            }
            if !lanes.is_empty() || !jobs.is_empty() {
                return Some(jobs);
            }
            if state.is_closed {
                return None;
            }
            state.idle += 1;
            state = self.has_work.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

/// The rounds of bcrypt that are computed in a second, as a mean of the last measurements; 0 if nothing was measured yet.
#[derive(Default)]
struct Speed {
    mean: AtomicU64,
    /// All rounds that were measured.
    #[cfg(test)]
    total: AtomicU64,
}

impl Speed {
    fn per_second(&self) -> u64 {
        self.mean.load(Ordering::Relaxed)
    }

    /// How many rounds are computed in this time.
    fn rounds_in(&self, time: Duration) -> u64 {
        let rounds = u128::from(self.per_second()) * time.as_nanos() / 1_000_000_000;
        u64::try_from(rounds).unwrap_or(u64::MAX)
    }

    fn measure(&self, rounds: u64, time: Duration) {
        #[cfg(test)]
        self.total.fetch_add(rounds, Ordering::Relaxed);
        let per_second = u128::from(rounds) * 1_000_000_000 / time.as_nanos().max(1);
        let now = u64::try_from(per_second).unwrap_or(u64::MAX);
        let mean = match self.per_second() {
            0 => now,
            before => before - before / 8 + now / 8,
        };
        self.mean.store(mean, Ordering::Relaxed);
    }
}

/// Gives all other threads priority over this one. On Linux, niceness is an attribute of the thread.
#[cfg(target_os = "linux")]
fn lower_priority() {
    if let Err(error) = rustix::process::nice(10) {
        log::password_priority_unchanged(cause(&std::io::Error::from(error)));
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() {}

#[cfg(test)]
mod tests;
