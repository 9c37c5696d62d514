//! Separate threads for password hashing (specification §14.4).
//!
//! A bcrypt hash keeps a core busy for a fifth of a second. On tokio's async threads it would block other requests; on
//! tokio's blocking threads a hundred logins would start a hundred threads. This pool has a configured number of
//! threads, of low priority on Linux, and a bounded queue.

use crate::error::AuthError;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// A fixed number of threads with a bounded queue. The threads end when the pool is dropped.
pub(crate) struct PasswordPool {
    queue: SyncSender<Job>,
    workers: usize,
}

impl PasswordPool {
    /// Starts the threads. At most `queue` jobs can wait.
    pub(crate) fn start(threads: NonZeroUsize, queue: usize) -> Self {
        let (sender, receiver) = sync_channel::<Job>(queue);
        let receiver = Arc::new(Mutex::new(receiver));
        let started = (0..threads.get()).filter(|index| {
            let receiver = Arc::clone(&receiver);
            let thread = std::thread::Builder::new().name(format!("auth-password-{index}"));
            let spawned = thread.spawn(move || work(&receiver));
            spawned
                .inspect_err(|error| tracing::error!(%error, "a password thread could not be started"))
                .is_ok()
        });
        Self { workers: started.count(), queue: sender }
    }

    /// Runs a job on one of the threads and waits for its result.
    ///
    /// If the returned future is dropped before the job has started, the job does not run.
    ///
    /// # Errors
    /// [`AuthError::Overloaded`] when the queue is full, [`AuthError::Internal`] when the job panics or no thread
    /// could be started.
    pub(crate) async fn run<T, F>(&self, job: F) -> Result<T, AuthError>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        if self.workers == 0 {
            return Err(AuthError::internal("no password thread could be started"));
        }
        let (sender, result) = oneshot::channel();
        let job = Box::new(move || {
            if !sender.is_closed() {
                // An error means that the receiver was dropped while the job ran.
                let _receiver_dropped = sender.send(job());
            }
        });
        self.queue.try_send(job).map_err(|refused| match refused {
            TrySendError::Full(_) => AuthError::Overloaded,
            TrySendError::Disconnected(_) => AuthError::internal("the password threads have ended"),
        })?;
        result.await.map_err(|_| AuthError::internal("a password job panicked"))
    }
}

/// The loop of each thread, until the pool is dropped.
fn work(queue: &Mutex<Receiver<Job>>) {
    lower_priority();
    loop {
        // The guard is dropped at the end of this statement, before the job runs.
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("a password job panicked");
        }
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
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    fn pool(queue: usize) -> Arc<PasswordPool> {
        Arc::new(PasswordPool::start(NonZeroUsize::MIN, queue))
    }

    /// Occupies the only thread until the returned sender is dropped.
    async fn block(pool: &Arc<PasswordPool>) -> std::sync::mpsc::Sender<()> {
        let (release, wait) = std::sync::mpsc::channel::<()>();
        let (started, has_started) = oneshot::channel();
        let pool = Arc::clone(pool);
        tokio::spawn(async move {
            let job = move || {
                let _ = started.send(());
                let _ = wait.recv_timeout(Duration::from_secs(60));
            };
            let _ = pool.run(job).await;
        });
        has_started.await.unwrap();
        release
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_full_queue_is_an_error_and_the_pool_recovers() {
        let pool = pool(1);
        let release = block(&pool).await;
        let mut waiting = std::pin::pin!(pool.run(|| 1));
        assert!(waiting.as_mut().now_or_never().is_none(), "the job is in the queue");
        assert!(matches!(pool.run(|| 2).await, Err(AuthError::Overloaded)));
        drop(release);
        assert_eq!(waiting.await.unwrap(), 1);
        assert_eq!(pool.run(|| 3).await.unwrap(), 3);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_job_whose_future_was_dropped_does_not_run() {
        let pool = pool(8);
        let release = block(&pool).await;
        let run = Arc::new(AtomicUsize::new(0));
        for _ in 0..4 {
            let run = Arc::clone(&run);
            let job = pool.run(move || run.fetch_add(1, Ordering::SeqCst));
            assert!(tokio::time::timeout(Duration::from_millis(1), job).await.is_err());
        }
        drop(release);
        pool.run(|| ()).await.unwrap();
        assert_eq!(run.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_the_thread_continues() {
        let pool = pool(1);
        let result = pool.run(|| panic!("broken")).await;
        assert!(matches!(result, Err(AuthError::Internal(_))));
        assert_eq!(pool.run(|| 7).await.unwrap(), 7);
    }
}
