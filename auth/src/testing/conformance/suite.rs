//! A suite of cases, and how they are run.

use super::failures::{Broken, Failure, Failures};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};

/// The time after which a case has failed; [`Suite::time_limit`] sets another one.
pub const TIME_LIMIT: Duration = Duration::from_secs(30);

/// The cases for one implementation. They run when the suite is awaited, in a Tokio runtime with several threads.
///
/// All cases run, also after one has failed. A case in which the implementation panics or returns an error has failed, and
/// so has one that takes longer than [`TIME_LIMIT`].
#[must_use = "a suite runs only when it is awaited"]
pub struct Suite<T> {
    pub(super) subject: T,
    cases: Vec<Case<T>>,
    together: usize,
    time_limit: Duration,
}

/// One case: its name, what it requires, and how it finds out.
#[derive(Clone, Copy)]
pub(super) struct Case<T> {
    pub(super) name: &'static str,
    pub(super) requirement: &'static str,
    pub(super) run: fn(T) -> Running,
}

/// The future of a case.
pub(super) type Running = Pin<Box<dyn Future<Output = Checked> + Send>>;

/// What a case has found.
pub(super) type Checked = Result<(), Broken>;

/// Defines the cases of a suite and the function that returns it. The table of the cases is in the function's
/// documentation.
macro_rules! cases {
    (
        $subject:ty $(where [$($generics:tt)*])? {$(
            $module:ident { $($name:ident: $requirement:literal;)* }
        )*}
        $(#[$meta:meta])*
        pub fn $($function:tt)*
    ) => {
        fn cases$(<$($generics)*>)?() -> Vec<$crate::testing::conformance::suite::Case<$subject>> {
            vec![$($($crate::testing::conformance::suite::Case {
                name: stringify!($name),
                requirement: $requirement,
                run: |subject| Box::pin($module::$name(subject)),
            },)*)*]
        }

        $(#[$meta])*
        ///
        /// | case | requirement |
        /// |---|---|
        $($(#[doc = concat!("| `", stringify!($name), "` | ", $requirement, " |")])*)*
        pub fn $($function)*
    };
}

pub(super) use cases;

impl<T> Suite<T> {
    pub(super) const fn new(subject: T, cases: Vec<Case<T>>) -> Self {
        Self { subject, cases, together: 1, time_limit: TIME_LIMIT }
    }

    /// The names of the cases.
    #[cfg(test)]
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.cases.iter().map(|case| case.name).collect()
    }

    /// Runs so many cases at the same time.
    pub(super) const fn together(mut self, together: usize) -> Self {
        self.together = together;
        self
    }

    /// Adds cases.
    pub(super) fn with(mut self, cases: Vec<Case<T>>) -> Self {
        self.cases.extend(cases);
        self
    }

    /// Sets the time after which a case has failed, for a slow database. Default: [`TIME_LIMIT`].
    pub const fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }
}

impl<T: Clone + Send + 'static> IntoFuture for Suite<T> {
    type Output = Result<(), Failures>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<T: Clone + Send + 'static> Suite<T> {
    async fn run(self) -> Result<(), Failures> {
        let of = self.cases.len();
        if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
            return Err(Failures::new(vec![one_thread()], of));
        }
        let turns = Arc::new(Semaphore::new(self.together));
        let mut running = JoinSet::new();
        for (number, case) in self.cases.into_iter().enumerate() {
            let (turns, subject, limit) = (Arc::clone(&turns), self.subject.clone(), self.time_limit);
            running.spawn(async move {
                // The semaphore is never closed, and it is fair: the cases run in the order of the table.
                let _turn = turns.acquire().await;
                let checked = within(limit, (case.run)(subject)).await;
                (number, checked.err().map(|broken| broken.of(case.name, case.requirement)))
            });
        }
        let mut failed: Vec<_> = running.join_all().await;
        failed.sort_by_key(|(number, _)| *number);
        let failures: Vec<_> = failed.into_iter().filter_map(|(_, failure)| failure).collect();
        if failures.is_empty() { Ok(()) } else { Err(Failures::new(failures, of)) }
    }
}

/// Runs a case as a task of its own, so that a panic ends only the case.
async fn within(limit: Duration, case: Running) -> Checked {
    let mut task = tokio::spawn(case);
    match tokio::time::timeout(limit, &mut task).await {
        Ok(Ok(checked)) => checked,
        Ok(Err(error)) => Err(panicked(error)),
        Err(_) => {
            task.abort();
            Err(Broken::new(format!("the case was not finished after {limit:?}")))
        }
    }
}

/// The panic of a task, as what a case has found.
pub(super) fn panicked(error: JoinError) -> Broken {
    let text = match error.try_into_panic() {
        Ok(cause) => match cause.downcast::<String>() {
            Ok(text) => *text,
            Err(cause) => {
                cause.downcast::<&str>().map_or_else(|_| "no text".to_owned(), |text| (*text).to_owned())
            }
        },
        Err(_) => return Broken::new("a task of the case was cancelled"),
    };
    Broken::new(format!("the implementation panicked: {text}"))
}

/// Why no case was run.
fn one_thread() -> Failure {
    Broken::new("the test has a runtime with one thread, on which no two operations run at the same time")
        .of("runtime", "The suite must run on several threads: `#[tokio::test(flavor = \"multi_thread\")]`.")
}
