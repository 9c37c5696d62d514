//! The suites themselves: our own adapters pass, and each adapter with one mistake fails with the case that is about it.

mod ours;
mod suites;
mod wrong_api_tokens;
mod wrong_deletions;
mod wrong_identities;
mod wrong_passkeys;
mod wrong_password_resets;
mod wrong_sessions;
mod wrong_stores;
mod wrong_users;

use super::{Failures, Suite};
use futures_util::stream::{self, StreamExt};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};
use tokio::time::sleep;

/// A host's user.
#[derive(Clone, Default, crate::AuthUser)]
struct Account {
    id: u32,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    #[auth(username)]
    username: Option<String>,
}

/// Collects what is not as expected, so that one run shows everything.
#[derive(Default)]
struct Checks {
    wrong: Vec<String>,
    failed: BTreeSet<&'static str>,
}

impl Checks {
    /// Runs the suite of each mistake, a few at a time because most of them wait, and expects that the case has failed with the sentence.
    async fn each<M: Copy + Debug, T: Clone + Send + 'static, const N: usize>(
        &mut self,
        mistakes: [(M, &str, &str); N],
        suite: impl Fn(M) -> Suite<T>,
    ) {
        let suites = mistakes.map(|(mistake, _, _)| suite(mistake).into_future());
        let results: Vec<_> = stream::iter(suites).buffered(4).collect().await;
        for ((mistake, case, found), result) in mistakes.into_iter().zip(results) {
            self.failed(mistake, &result, case, found);
        }
    }

    /// Expects that this case has failed with this sentence, in which `…` stands for what differs from run to run.
    fn failed(&mut self, mistake: impl Debug, result: &Result<(), Failures>, case: &str, found: &str) {
        let failures = match result {
            Ok(()) => return self.wrong.push(format!("{mistake:?}: every case succeeded")),
            Err(failures) => failures,
        };
        self.failed.extend(failures.iter().map(|failure| failure.case));
        if !failures.iter().any(|failure| failure.case == case && is_like(&failure.found, found)) {
            self.wrong.push(format!("{mistake:?}: not {case:?} with {found:?}, but {failures}\n"));
        }
    }

    /// Expects that each case of the suite has failed at least once.
    #[track_caller]
    fn end<T>(self, suite: &Suite<T>) {
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        let never: Vec<_> = suite.names().into_iter().filter(|case| !self.failed.contains(case)).collect();
        assert!(never.is_empty(), "cases that no mistake fails: {never:#?}");
    }
}

/// How often a write [waits](wait) for another task.
const WAITS: usize = 10;

/// Lets other tasks run for a millisecond. `yield_now` would not do: the thread of another task may itself wait for a processor.
async fn wait() {
    sleep(Duration::from_millis(1)).await;
}

/// The gap between a check and a write: how many tasks have checked and not yet written.
#[derive(Clone, Default)]
struct Gap(Arc<AtomicUsize>);

impl Gap {
    /// Writes after a check, and lets another task check before: a busy machine may run one task from its check to its write
    /// while all others wait.
    async fn before<T>(&self, write: impl Future<Output = T>) -> T {
        self.0.fetch_add(1, Ordering::SeqCst);
        for _ in 0..WAITS {
            if self.0.load(Ordering::SeqCst) > 1 {
                break;
            }
            wait().await;
        }
        let written = write.await;
        self.0.fetch_sub(1, Ordering::SeqCst);
        written
    }
}

/// Whether a text consists of the parts of a pattern, with anything in place of `…`.
fn is_like(text: &str, pattern: &str) -> bool {
    let (begin, rest) = pattern.split_once('…').unwrap_or((pattern, ""));
    let Some(mut text) = text.strip_prefix(begin) else { return false };
    if !pattern.contains('…') {
        return text.is_empty();
    }
    let mut parts: Vec<_> = rest.split('…').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        match text.split_once(part) {
            Some((_, behind)) => text = behind,
            None => return false,
        }
    }
    text.ends_with(end)
}

#[test]
fn a_pattern_is_compared_part_by_part() {
    assert!(
        is_like("7 of 100 calls", "… of 100 calls") && is_like("all", "all") && is_like("a1b2c", "a…b…c")
    );
    assert!(
        !is_like("7 of 99 calls", "… of 100 calls") && !is_like("all of", "all") && !is_like("a-b-", "a…b…c")
    );
}
