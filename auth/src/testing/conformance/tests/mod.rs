//! The suites themselves: our own adapters pass, and each adapter with one mistake fails with the case that is about it.

mod ours;
mod suites;
mod wrong_password_resets;
mod wrong_sessions;
mod wrong_stores;
mod wrong_users;

use super::{Failure, Failures};
use std::time::SystemTime;

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
}

/// Fails unless exactly these cases have failed, the first of them with this sentence.
#[track_caller]
fn assert_fails(result: Result<(), Failures>, cases: &[&str], found: &str) {
    let failures = result.expect_err("the adapter is wrong, and every case succeeded");
    let names: Vec<_> = failures.iter().map(|failure| failure.case).collect();
    assert_eq!(names, cases, "{failures}");
    let first = failures.iter().next().map(|Failure { found, .. }| found.as_str());
    assert_eq!(first, Some(found), "{failures}");
}
