//! An operation that can fail and whose result many callers need.

use crate::sync::{Mutex, spawn};
use std::io;
use std::sync::PoisonError;
use tokio::sync::watch;

/// The result of an operation that is attempted until it succeeds.
///
/// Callers that need the result at the same time wait for one attempt. A success is kept; after a failure the next caller
/// starts another attempt. An attempt is a task: it runs to its end even if all callers are cancelled.
pub(super) struct Attempted<T, E>(Mutex<Option<Outcome<T, E>>>);

/// `None` while the attempt runs.
type Outcome<T, E> = watch::Receiver<Option<Result<T, E>>>;

impl<T, E> Default for Attempted<T, E> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T, E> Attempted<T, E>
where
    T: Clone + Send + Sync + 'static,
    E: Clone + From<io::Error> + Send + Sync + 'static,
{
    /// The result that is kept, if `is_valid`, or the one of an attempt.
    ///
    /// # Errors
    /// Those of the attempt, or that it panicked or its runtime was shut down.
    pub(super) async fn get<F>(
        &self,
        is_valid: impl Fn(&T) -> bool,
        attempt: impl FnOnce() -> F,
    ) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        let mut outcome = self.current(is_valid, attempt);
        match outcome.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(result)) => result.clone(),
            Ok(None) | Err(_) => Err(io::Error::other("the attempt was cancelled").into()),
        }
    }

    /// The attempt whose outcome a caller waits for.
    fn current<F>(&self, is_valid: impl Fn(&T) -> bool, attempt: impl FnOnce() -> F) -> Outcome<T, E>
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outcome) = current.as_ref().filter(|outcome| is_usable(outcome, is_valid)) {
            return outcome.clone();
        }
        let (sender, outcome) = watch::channel(None);
        let attempt = attempt();
        spawn(async move {
            sender.send_replace(Some(attempt.await));
        });
        current.insert(outcome).clone()
    }
}

#[cfg(test)]
impl<T, E> Attempted<T, E> {
    /// Whether the next caller gets the result that is kept.
    #[cfg_attr(not(feature = "redis"), expect(dead_code, reason = "for the tests of `RedisStore`"))]
    pub(super) fn is_kept(&self, is_valid: impl Fn(&T) -> bool) -> bool {
        let current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        current.as_ref().is_some_and(|outcome| is_usable(outcome, is_valid))
    }
}

/// Whether the attempt still runs or has a valid result.
fn is_usable<T, E>(outcome: &Outcome<T, E>, is_valid: impl Fn(&T) -> bool) -> bool {
    match &*outcome.borrow() {
        Some(Ok(value)) => is_valid(value),
        Some(Err(_)) => false,
        // An error means that the task has ended without a result.
        None => outcome.has_changed().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::Notify;

    #[derive(Clone, Debug)]
    struct Failed(&'static str);

    impl From<io::Error> for Failed {
        fn from(_: io::Error) -> Self {
            Self("cancelled")
        }
    }

    type Number = Attempted<usize, Failed>;

    #[tokio::test]
    async fn callers_at_the_same_time_share_an_attempt_and_the_next_one_starts_another() {
        let (number, attempts, end) = (Number::default(), AtomicUsize::new(0), Arc::new(Notify::new()));
        let call = || async {
            let attempt = || {
                attempts.fetch_add(1, Ordering::SeqCst);
                let end = Arc::clone(&end);
                async move {
                    end.notified().await;
                    Err(Failed("failed"))
                }
            };
            number.get(|_| true, attempt).await.unwrap_err().0
        };
        let end_it = async { end.notify_one() };
        assert_eq!(tokio::join!(call(), call(), call(), end_it), ("failed", "failed", "failed", ()));
        assert_eq!(attempts.load(Ordering::SeqCst), 1);
        end.notify_one();
        call().await;
        assert_eq!(attempts.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_success_is_kept_while_it_is_valid() {
        let number = Number::default();
        assert_eq!(number.get(|_| true, || async { Ok(1) }).await.unwrap(), 1);
        assert_eq!(number.get(|_| true, || async { Ok(2) }).await.unwrap(), 1);
        assert_eq!(number.get(|number| *number > 1, || async { Ok(3) }).await.unwrap(), 3);
    }

    #[tokio::test]
    async fn an_attempt_goes_on_without_its_caller_and_one_that_panics_is_a_failure() {
        let (number, end) = (Number::default(), Arc::new(Notify::new()));
        let attempt = {
            let end = Arc::clone(&end);
            async move {
                end.notified().await;
                Ok(1)
            }
        };
        tokio::select! {
            biased;
            _ = number.get(|_| true, || attempt) => panic!("it has not ended"),
            () = tokio::task::yield_now() => {}
        }
        end.notify_one();
        assert_eq!(number.get(|_| true, || async { Ok(2) }).await.unwrap(), 1);

        let number = Number::default();
        let panics = || async { if true { panic!("on purpose") } else { Ok(1) } };
        assert_eq!(number.get(|_| true, panics).await.unwrap_err().0, "cancelled");
        assert_eq!(number.get(|_| true, || async { Ok(2) }).await.unwrap(), 2);
    }
}
