//! An operation that is attempted until it succeeds, with its source itself, which is private to the store.

#[path = "../../../auth/src/store/attempt.rs"]
mod attempt;

use super::{Models, SOME, count, together};
use crate::sync::{AtomicU64, Ordering};
use attempt::Attempted;
use futures_util::future::{BoxFuture, FutureExt};
use shuttle::future::block_on;
use shuttle::thread;
use std::io;
use std::sync::Arc;

pub(super) const MODELS: Models = &[
    ("callers at the same time share an attempt, and a success is kept", SOME, success),
    ("an attempt goes on when its caller has gone, and no two run at once", SOME, cancelled),
];

#[derive(Clone, Debug)]
struct Failed;

impl From<io::Error> for Failed {
    fn from(_: io::Error) -> Self {
        Self
    }
}

#[derive(Default)]
struct Operation {
    result: Attempted<u64, Failed>,
    running: AtomicU64,
    /// How many attempts have ended.
    ended: AtomicU64,
}

/// Gets the result. The first attempts fail, as many as this.
fn get(operation: &Arc<Operation>, failures: u64) -> BoxFuture<'static, Result<u64, Failed>> {
    let operation = Arc::clone(operation);
    async move {
        let attempt = || {
            let operation = Arc::clone(&operation);
            async move {
                assert_eq!(operation.running.fetch_add(1, Ordering::SeqCst), 0, "two attempts at once");
                thread::yield_now();
                operation.running.fetch_sub(1, Ordering::SeqCst);
                let number = operation.ended.fetch_add(1, Ordering::SeqCst);
                if number < failures { Err(Failed) } else { Ok(number) }
            }
        };
        operation.result.get(|_| true, attempt).await
    }
    .boxed()
}

fn success() {
    let operation = Arc::new(Operation::default());
    let results = together((0..3).map(|_| get(&operation, 1)));
    let ended = operation.ended.load(Ordering::SeqCst);
    assert!(ended <= 2 && count(&results, Result::is_err) >= 1);
    for result in results.into_iter().flatten() {
        assert_eq!(result, 1);
    }
    assert_eq!(block_on(get(&operation, 1)).expect("it succeeds"), 1);
    assert_eq!(operation.ended.load(Ordering::SeqCst), 2, "one has failed, one has succeeded");
}

fn cancelled() {
    let operation = Arc::new(Operation::default());
    let gone = Arc::clone(&operation);
    let goes = async move {
        // Begins the attempt, or joins one, and does not wait for it.
        get(&gone, 0).now_or_never().unwrap_or(Ok(0))
    };
    let results = together([goes.boxed(), get(&operation, 0), get(&operation, 0)]);
    assert!(results.iter().all(|result| matches!(result, Ok(0))));
    assert_eq!(operation.ended.load(Ordering::SeqCst), 1);
}
