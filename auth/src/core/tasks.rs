//! Work that a request begins and that does not end with it.

use crate::delivery::{Delivers, Message};
use crate::error::AuthError;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// How long work may take that no answer waits for. A mail server that does not answer must not collect tasks for ever.
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

/// Runs a task to its end, even if the request is given up: for steps of which none may be left out once the first
/// is taken.
///
/// # Errors
/// [`AuthError::Internal`] when it panics.
pub(crate) async fn run_to_completion<T: Send + 'static>(
    task: impl Future<Output = Result<T, AuthError>> + Send + 'static,
) -> Result<T, AuthError> {
    let outcome = tokio::spawn(task).await;
    outcome.unwrap_or_else(|_| Err(AuthError::internal("one of the host's adapters or actions panicked")))
}

/// Does what is good to have done and holds nothing up: whether it fails, panics or takes longer than its share of the
/// request's time, what comes next comes next.
pub(crate) async fn best_effort<E: std::fmt::Debug>(
    what: &'static str,
    share: Duration,
    step: impl Future<Output = Result<(), E>>,
) {
    match tokio::time::timeout(share, AssertUnwindSafe(step).catch_unwind()).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(error))) => tracing::error!(what, ?error, "tidying up failed"),
        Ok(Err(_panic)) => tracing::error!(what, "tidying up panicked"),
        Err(_elapsed) => tracing::error!(what, "tidying up took too long and was given up"),
    }
}

/// Has a message delivered in the background: the response shows neither how long that takes nor whether it fails.
pub(crate) fn deliver<M: Message>(delivery: &Arc<dyn Delivers<M>>, message: M) {
    let delivery = Arc::clone(delivery);
    spawn(M::DESCRIPTION, async move {
        if let Err(error) = delivery.deliver(message).await {
            tracing::error!(what = M::DESCRIPTION, error = &*error, "a message could not be delivered");
        }
    });
}
