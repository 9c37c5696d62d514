//! Tasks that a request starts and that may continue after it.

use super::Core;
use crate::delivery::{Delivers, Message};
use crate::error::AuthError;
use crate::sync;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long a task may take. If a mail server or a database does not respond, tasks must not accumulate.
const LONGEST: Duration = Duration::from_secs(120);

/// The work of a module that no request waits for. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct BackgroundWork {
    unfinished: watch::Sender<usize>,
}

/// A piece of background work, until it is dropped.
pub(crate) struct Unfinished(watch::Sender<usize>);

impl BackgroundWork {
    /// Spawns a task. A panic or a timeout is logged.
    pub(crate) fn spawn(&self, what: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let unfinished = self.begin();
        sync::spawn(async move {
            match tokio::time::timeout(LONGEST, AssertUnwindSafe(task).catch_unwind()).await {
                Ok(Ok(())) => {}
                Ok(Err(_panic)) => tracing::error!(what, "a background task panicked"),
                Err(_elapsed) => tracing::error!(what, "a background task timed out and was cancelled"),
            }
            drop(unfinished);
        });
    }

    pub(crate) fn begin(&self) -> Unfinished {
        self.unfinished.send_modify(|unfinished| *unfinished += 1);
        Unfinished(self.unfinished.clone())
    }

    /// Waits until there is none.
    pub(crate) async fn finished(&self) {
        // It cannot fail, because `self` has a sender.
        let _ = self.unfinished.subscribe().wait_for(|unfinished| *unfinished == 0).await;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.send_modify(|unfinished| *unfinished -= 1);
    }
}

/// Runs a task to completion, even if the request is cancelled: for steps that must all run once the first has run.
///
/// # Errors
/// The error of the task; [`AuthError::Internal`] when it panics; [`AuthError::Unavailable`] when it is cancelled because it
/// took too long.
pub(crate) async fn run_to_completion<T: Send + 'static>(
    task: impl Future<Output = Result<T, AuthError>> + Send + 'static,
) -> Result<T, AuthError> {
    let outcome = sync::spawn(tokio::time::timeout(LONGEST, task)).await;
    match outcome {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_elapsed)) => {
            Err(AuthError::Unavailable("one of the host's adapters or actions did not return".into()))
        }
        Err(_panic) => Err(AuthError::internal("one of the host's adapters or actions panicked")),
    }
}

/// Runs a cleanup step that must neither fail nor delay the request. Errors, panics and timeouts are logged and
/// ignored.
pub(crate) async fn best_effort<E: std::fmt::Debug>(
    what: &'static str,
    timeout: Duration,
    step: impl Future<Output = Result<(), E>>,
) {
    match tokio::time::timeout(timeout, AssertUnwindSafe(step).catch_unwind()).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(error))) => tracing::error!(what, ?error, "a cleanup step failed"),
        Ok(Err(_panic)) => tracing::error!(what, "a cleanup step panicked"),
        Err(_elapsed) => tracing::error!(what, "a cleanup step timed out and was cancelled"),
    }
}

impl Core {
    /// Has a message delivered in the background: the response shows neither how long that takes nor whether it fails.
    pub(crate) fn deliver<M: Message>(&self, delivery: &Arc<dyn Delivers<M>>, message: M) {
        let delivery = Arc::clone(delivery);
        self.background.spawn(M::DESCRIPTION, async move {
            if let Err(error) = delivery.deliver(message).await {
                tracing::error!(what = M::DESCRIPTION, error = &*error, "a message could not be delivered");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use std::sync::atomic::{AtomicBool, Ordering};
    use tokio::sync::Notify;

    struct SetsWhenDropped(Arc<AtomicBool>);

    impl Drop for SetsWhenDropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[tokio::test]
    async fn background_work_is_finished_when_none_is_left_also_of_tasks_that_panic() {
        let (background, end) = (BackgroundWork::default(), Arc::new(Notify::new()));
        background.finished().await;
        let ended = Arc::clone(&end);
        background.spawn("waiting", async move { ended.notified().await });
        background.spawn("panicking", async { panic!("on purpose") });
        let finished = background.finished();
        tokio::pin!(finished);
        tokio::select! {
            biased;
            () = &mut finished => panic!("a task still waits"),
            () = tokio::task::yield_now() => {}
        }
        end.notify_one();
        finished.await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_never_ends_is_cancelled() {
        let is_dropped = Arc::new(AtomicBool::new(false));
        let witness = SetsWhenDropped(is_dropped.clone());
        let outcome = run_to_completion::<()>(async move {
            let _witness = witness;
            pending().await
        });
        assert!(matches!(outcome.await, Err(AuthError::Unavailable(_))));
        assert!(is_dropped.load(Ordering::SeqCst));
    }
}
