//! Separate threads for password hashing (specification §14.4).
//!
//! A bcrypt hash keeps a core busy for a fifth of a second. On tokio's async threads it would block other requests; on
//! tokio's blocking threads a hundred logins would start a hundred threads. This pool has a configured number of
//! threads, of low priority on Linux, and a bounded queue. Each thread computes up to four passwords at once.

use super::bcrypt::{BcryptImplementation, Digest, Job, Lanes};
use super::queue::{Queue, Ticket};
use crate::client::ClientAddress;
use crate::error::AuthError;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

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
    /// The rounds that one thread computes in a second; 0 if that is not known yet.
    speed: AtomicU64,
}

struct State {
    queue: Queue<Reply>,
    /// The threads that wait for work.
    idle: usize,
    is_closed: bool,
}

/// Where the result goes.
type Reply = oneshot::Sender<Digest>;

impl PasswordPool {
    /// Starts the threads. At most `queue` jobs can wait.
    pub(crate) fn start(threads: NonZeroUsize, queue: usize, implementation: BcryptImplementation) -> Self {
        let state = State { queue: Queue::new(queue), idle: 0, is_closed: false };
        let shared =
            Arc::new(Shared { state: Mutex::new(state), has_work: Condvar::new(), speed: AtomicU64::new(0) });
        let started = (0..threads.get()).filter(|index| {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name(format!("auth-password-{index}"));
            let spawned = thread.spawn(move || {
                lower_priority();
                // After a panic with new lanes.
                while catch_unwind(AssertUnwindSafe(|| shared.work(Lanes::new(implementation)))).is_err() {
                    tracing::error!("a password job panicked");
                }
            });
            spawned
                .inspect_err(|error| tracing::error!(%error, "a password thread could not be started"))
                .is_ok()
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
    /// panics or no thread could be started.
    pub(super) async fn run(&self, job: Job, client: ClientAddress) -> Result<Digest, AuthError> {
        if self.workers == 0 {
            return Err(AuthError::internal("no password thread could be started"));
        }
        let client = client.limit_key();
        let (reply, result) = oneshot::channel();
        let ticket = {
            let mut state = self.shared.state();
            match state.queue.push(&client, job, reply) {
                Ok(ticket) => ticket,
                Err(_full) => {
                    return Err(AuthError::Overloaded { retry_after: self.wait(state.queue.rounds()) });
                }
            }
        };
        self.shared.has_work.notify_one();
        let _place = Place { shared: &self.shared, client, ticket };
        result.await.map_err(|_| AuthError::internal("a password job panicked"))
    }

    /// In which time the threads do this work.
    fn wait(&self, rounds: u64) -> Duration {
        let speed = self.shared.speed.load(Ordering::Relaxed).saturating_mul(self.workers as u64);
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
    fn work(&self, mut lanes: Lanes<Reply>) {
        while let Some(jobs) = self.jobs_for(&lanes) {
            for (job, reply) in jobs {
                lanes.start(job, reply);
            }
            let began = Instant::now();
            let turn = lanes.turn(TURN);
            self.measure(turn.rounds, began.elapsed());
            for (reply, digest) in turn.done {
                // An error means that the request was given up in this moment.
                let _receiver_dropped = reply.send(digest);
            }
            lanes.drop_if(oneshot::Sender::is_closed);
        }
    }

    /// What a thread begins now. A thread without jobs waits for one; `None`: the pool was dropped.
    fn jobs_for(&self, lanes: &Lanes<Reply>) -> Option<Vec<(Job, Reply)>> {
        let mut state = self.state();
        loop {
            let (waiting, idle) = (state.queue.len(), state.idle);
            // Jobs are spread over the threads before they share one.
            let share = match (lanes.is_empty(), idle) {
                (true, _) => waiting.div_ceil(idle + 1),
                (false, 0) => waiting,
                (false, _) => 0,
            };
            let jobs: Vec<_> = (0..share.min(lanes.room())).map_while(|_| state.queue.pop()).collect();
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

    /// Records the speed, as a mean of the last turns.
    fn measure(&self, rounds: u64, time: Duration) {
        let per_second = u128::from(rounds) * 1_000_000_000 / time.as_nanos().max(1);
        let now = u64::try_from(per_second).unwrap_or(u64::MAX);
        let mean = match self.speed.load(Ordering::Relaxed) {
            0 => now,
            before => before - before / 8 + now / 8,
        };
        self.speed.store(mean, Ordering::Relaxed);
    }
}

/// Gives all other threads priority over this one. On Linux, niceness is an attribute of the thread.
#[cfg(target_os = "linux")]
fn lower_priority() {
    if let Err(error) = rustix::process::nice(10) {
        tracing::debug!(%error, "password threads run at normal priority");
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() {}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use tokio::task::JoinHandle;

    fn pool(queue: usize, implementation: BcryptImplementation) -> Arc<PasswordPool> {
        Arc::new(PasswordPool::start(NonZeroUsize::MIN, queue, implementation))
    }

    fn job(cost: u32) -> Job {
        Job::new(b"secret", [1; 16], cost)
    }

    fn client(number: u8) -> ClientAddress {
        std::net::IpAddr::from([192, 0, 2, number]).into()
    }

    /// Jobs that take hours, of as many clients, which have all begun.
    async fn endless(pool: &Arc<PasswordPool>, count: u8) -> Vec<JoinHandle<()>> {
        let mut tasks = Vec::new();
        for number in 0..count {
            let pool_of_task = Arc::clone(pool);
            tasks.push(tokio::spawn(async move {
                let _ = pool_of_task.run(job(28), client(200 + number)).await;
            }));
            tokio::task::yield_now().await;
            while pool.shared.state().queue.len() > 0 {
                tokio::task::yield_now().await;
            }
        }
        // They are measured after their first turn.
        while pool.shared.speed.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        tasks
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_full_queue_is_an_error_and_the_pool_recovers() {
        let pool = pool(4, BcryptImplementation::Interleaved);
        let endless = endless(&pool, 4).await;
        let mut waiting = std::pin::pin!(pool.run(job(4), client(1)));
        assert!(waiting.as_mut().now_or_never().is_none(), "the job is in the queue");
        let refused = pool.run(job(4), client(1)).await;
        assert!(matches!(refused, Err(AuthError::Overloaded { .. })), "a quarter is one place");
        let mut others: Vec<_> = (2..5).map(|other| Box::pin(pool.run(job(28), client(other)))).collect();
        assert!(others.iter_mut().all(|other| other.as_mut().now_or_never().is_none()));
        let Err(AuthError::Overloaded { retry_after }) = pool.run(job(4), client(9)).await else {
            panic!("the queue is full")
        };
        assert_eq!(retry_after, Duration::from_secs(60), "what waits takes hours");
        drop(others);
        for task in endless {
            task.abort();
        }
        assert_eq!(waiting.await.unwrap(), job(4).run_with_crate());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_job_joins_others_that_are_half_done() {
        let pool = pool(8, BcryptImplementation::Interleaved);
        let endless = endless(&pool, 3).await;
        for cost in [4, 5, 6] {
            assert_eq!(pool.run(job(cost), client(1)).await.unwrap(), job(cost).run_with_crate());
        }
        assert!(endless.iter().all(|task| !task.is_finished()));
        for task in endless {
            task.abort();
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_request_that_ends_gives_its_place_back() {
        for implementation in [BcryptImplementation::Interleaved, BcryptImplementation::Crate] {
            let pool = pool(4, implementation);
            for _ in 0..20 {
                let gone = pool.run(job(10), client(1));
                assert!(tokio::time::timeout(Duration::from_micros(1), gone).await.is_err());
            }
            assert_eq!(pool.shared.state().queue.len(), 0);
            assert_eq!(pool.run(job(4), client(1)).await.unwrap(), job(4).run_with_crate());
        }
    }

    #[tokio::test]
    async fn the_time_to_wait_is_that_of_the_work() {
        let pool = pool(4, BcryptImplementation::Interleaved);
        assert_eq!(pool.wait(u64::MAX), Duration::from_secs(1), "nothing is known yet");
        pool.shared.measure(1000, Duration::from_millis(500));
        assert_eq!(pool.wait(20_000), Duration::from_secs(10));
        assert_eq!(pool.wait(1), Duration::from_secs(1));
        assert_eq!(pool.wait(u64::MAX), Duration::from_secs(60));
        pool.shared.measure(4000, Duration::from_millis(1000));
        assert_eq!(pool.shared.speed.load(Ordering::Relaxed), 2250);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn jobs_of_several_threads() {
        let pool = PasswordPool::start(NonZeroUsize::new(3).unwrap(), 200, BcryptImplementation::Interleaved);
        let digests = (0..50_u8).map(|number| {
            let job = Job::new(&[number + 1], [number; 16], 4 + u32::from(number % 3));
            let expected = job.run_with_crate();
            let run = pool.run(job, client(number));
            async move { assert_eq!(run.await.unwrap(), expected) }
        });
        futures_util::future::join_all(digests).await;
    }
}
