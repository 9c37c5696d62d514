//! Work that requests start and that no request waits for.

use crate::request::started_by_request;
use crate::sync;
use crate::telemetry::{log, measure};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::sync::watch;

/// How long a task may take. If a mail server or a database does not respond, tasks must not accumulate.
pub(crate) const LONGEST: Duration = Duration::from_secs(120);

/// The work of a module that no request waits for. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct BackgroundWork {
    unfinished: watch::Sender<usize>,
}

/// A piece of work that [`BackgroundWork::finished`] waits for, until it is dropped.
pub(crate) struct Unfinished {
    of: watch::Sender<usize>,
    is_measured: bool,
}

impl BackgroundWork {
    /// Spawns a task, in the context of the request that starts it. A panic or a timeout is logged.
    pub(crate) fn spawn(&self, what: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let unfinished = self.begin();
        let task = async move {
            match tokio::time::timeout(LONGEST, AssertUnwindSafe(task).catch_unwind()).await {
                Ok(Ok(())) => {}
                Ok(Err(_panic)) => log::background_task_panicked(what),
                Err(_elapsed) => log::background_task_timed_out(what),
            }
            drop(unfinished);
        };
        sync::spawn(started_by_request(what, task));
    }

    /// Spawns a task that no request causes, and that limits its own time. A panic is logged.
    pub(crate) fn spawn_apart(&self, what: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let unfinished = self.begin();
        sync::spawn(async move {
            if AssertUnwindSafe(task).catch_unwind().await.is_err() {
                log::background_task_panicked(what);
            }
            drop(unfinished);
        });
    }

    pub(crate) fn begin(&self) -> Unfinished {
        measure::background_tasks(1.0);
        self.begun(true)
    }

    /// Begins work that a response waits for, unless the client closes the connection or the request takes too long.
    pub(crate) fn begin_for_response(&self) -> Unfinished {
        self.begun(false)
    }

    fn begun(&self, is_measured: bool) -> Unfinished {
        self.unfinished.send_modify(|unfinished| *unfinished += 1);
        Unfinished { of: self.unfinished.clone(), is_measured }
    }

    /// Waits until there is none.
    pub(crate) async fn finished(&self) {
        // It cannot fail, because `self` has a sender.
        let _ = self.unfinished.subscribe().wait_for(|unfinished| *unfinished == 0).await;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.of.send_modify(|unfinished| *unfinished -= 1);
        if self.is_measured {
            measure::background_tasks(-1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::sync::Notify;

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
}
