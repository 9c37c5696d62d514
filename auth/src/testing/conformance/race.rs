//! Many operations at the same time.

use super::failures::Broken;
use super::suite::panicked;
use std::sync::Arc;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

/// How many operations run at the same time.
pub(super) const TASKS: usize = 100;

/// How often a race is run: a gap between a check and a write is not hit each time.
pub(super) const ROUNDS: usize = 3;

/// Runs an operation in so many tasks that start together, and returns what they return.
pub(super) async fn race<T, F>(tasks: usize, operation: impl Fn(usize) -> F) -> Result<Vec<T>, Broken>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Broken>> + Send + 'static,
{
    let barrier = Arc::new(Barrier::new(tasks));
    let mut running = JoinSet::new();
    for number in 0..tasks {
        let (barrier, operation) = (Arc::clone(&barrier), operation(number));
        running.spawn(async move {
            barrier.wait().await;
            operation.await
        });
    }
    let mut results = Vec::with_capacity(tasks);
    while let Some(result) = running.join_next().await {
        results.push(result.map_err(panicked)??);
    }
    Ok(results)
}

/// Runs two operations that start together.
pub(super) async fn both<A, B>(
    one: impl Future<Output = Result<A, Broken>> + Send + 'static,
    another: impl Future<Output = Result<B, Broken>> + Send + 'static,
) -> Result<(A, B), Broken>
where
    A: Send + 'static,
    B: Send + 'static,
{
    let barrier = Arc::new(Barrier::new(2));
    let waiting = Arc::clone(&barrier);
    let one = tokio::spawn(async move {
        waiting.wait().await;
        one.await
    });
    barrier.wait().await;
    let another = another.await;
    Ok((one.await.map_err(panicked)??, another?))
}
