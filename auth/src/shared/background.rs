//! Work that no answer waits for.

use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

/// How long such work may take. A mail server that does not answer must not collect tasks for ever.
const LONGEST: Duration = Duration::from_secs(120);

/// Runs a task beside the requests. It ends with the runtime; a panic and an end of patience are logged.
pub(crate) fn spawn(what: &'static str, task: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(async move {
        match tokio::time::timeout(LONGEST, AssertUnwindSafe(task).catch_unwind()).await {
            Ok(Ok(())) => {}
            Ok(Err(_panic)) => tracing::error!(what, "a task in the background panicked"),
            Err(_elapsed) => tracing::error!(what, "a task in the background took too long and was given up"),
        }
    });
}
