//! Tasks that a request starts and that may continue after it.

use super::Core;
use crate::background::{BackgroundWork, LONGEST};
use crate::delivery::{Delivers, Message, Notice};
use crate::error::AuthError;
use crate::request::part_of_request;
use crate::sync;
use crate::telemetry::{cause, log};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

async fn run_to_completion<T: Send + 'static>(
    background: &BackgroundWork,
    task: impl Future<Output = Result<T, AuthError>> + Send + 'static,
) -> Result<T, AuthError> {
    let unfinished = background.begin_for_response();
    let task = async move {
        let outcome = tokio::time::timeout(LONGEST, task).await;
        drop(unfinished);
        outcome
    };
    match sync::spawn(part_of_request(task)).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_elapsed)) => {
            Err(AuthError::Unavailable("a repository or action timed out after 120 s".into()))
        }
        Err(_panic) => Err(AuthError::internal("one of the host's adapters or actions panicked")),
    }
}

/// Runs a cleanup step that must neither fail nor delay the request. Errors, panics and timeouts are logged and
/// ignored.
pub(crate) async fn best_effort<E: Into<AuthError>>(
    what: &'static str,
    timeout: Duration,
    step: impl Future<Output = Result<(), E>>,
) {
    match tokio::time::timeout(timeout, AssertUnwindSafe(step).catch_unwind()).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(error))) => log::cleanup_failed(what, cause(error.into().cause())),
        Ok(Err(_panic)) => log::cleanup_panicked(what),
        Err(_elapsed) => log::cleanup_timed_out(what),
    }
}

impl Core {
    /// Runs a task to completion, even if the request is cancelled: for steps that must all run once the first has run. A host that
    /// shuts down waits for it as for background work.
    ///
    /// # Errors
    /// The error of the task; [`AuthError::Internal`] when it panics; [`AuthError::Unavailable`] when it is cancelled because it
    /// took too long.
    pub(crate) async fn run_to_completion<T: Send + 'static>(
        &self,
        task: impl Future<Output = Result<T, AuthError>> + Send + 'static,
    ) -> Result<T, AuthError> {
        run_to_completion(&self.background, task).await
    }

    /// Has a message delivered in the background: the response shows neither how long that takes nor whether it fails.
    pub(crate) fn deliver<M: Message>(&self, delivery: &Arc<dyn Delivers<M>>, message: M) {
        self.deliver_as(M::DESCRIPTION, delivery, message);
    }

    /// Has a notice delivered in the background. Without a delivery of notices, the log alone says that it was due.
    pub(crate) fn notify(&self, notice: impl Into<Notice>) {
        let notice = notice.into();
        match &self.notices {
            Some(delivery) => self.deliver_as(notice.description(), delivery, notice),
            None => log::notice_not_sent(notice.description()),
        }
    }

    fn deliver_as<M: Message>(&self, what: &'static str, delivery: &Arc<dyn Delivers<M>>, message: M) {
        let delivery = Arc::clone(delivery);
        self.background.spawn(what, async move {
            if let Err(error) = delivery.deliver(message).await {
                log::message_not_delivered(what, cause(&*error));
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
    use tokio::time::timeout;

    struct SetsWhenDropped(Arc<AtomicBool>);

    impl Drop for SetsWhenDropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_never_ends_is_cancelled() {
        let is_dropped = Arc::new(AtomicBool::new(false));
        let witness = SetsWhenDropped(is_dropped.clone());
        let background = BackgroundWork::default();
        let outcome = run_to_completion::<()>(&background, async move {
            let _witness = witness;
            pending().await
        });
        assert!(matches!(outcome.await, Err(AuthError::Unavailable(_))));
        assert!(is_dropped.load(Ordering::SeqCst));
        background.finished().await;
    }

    #[tokio::test]
    async fn who_shuts_down_waits_for_a_task_whose_request_was_cancelled() {
        let (background, last_step) = (BackgroundWork::default(), Arc::new(Notify::new()));
        let awaited = Arc::clone(&last_step);
        let task = async move {
            awaited.notified().await;
            Ok(())
        };
        let request = run_to_completion(&background, task);
        assert!(timeout(Duration::from_millis(1), request).await.is_err());
        let finished = background.finished();
        tokio::pin!(finished);
        assert!(timeout(Duration::from_millis(1), &mut finished).await.is_err());
        last_step.notify_one();
        finished.await;
    }
}
