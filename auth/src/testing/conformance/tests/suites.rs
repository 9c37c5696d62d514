//! What a suite does with cases that fail, panic, hang or return an error.

use crate::repository::{PasswordResetRepository, RepositoryError, StoredResetToken, UserRepository};
use crate::testing::conformance::{self, Failures};
use crate::testing::{MemoryPasswordResets, MemoryUsers};
use crate::user::{NewUser, UserField, UserPatch};
use async_trait::async_trait;
use std::time::{Duration, SystemTime};

/// Reset tokens that cannot be deleted: the method does this instead.
struct Undeletable {
    tokens: MemoryPasswordResets,
    delete: Delete,
}

#[derive(Clone, Copy)]
enum Delete {
    Panics,
    Fails,
    Hangs,
}

fn undeletable(delete: Delete) -> Undeletable {
    Undeletable { tokens: MemoryPasswordResets::new(), delete }
}

#[async_trait]
impl PasswordResetRepository for Undeletable {
    async fn create_token(&self, email: &str, hash: &str, at: SystemTime) -> Result<(), RepositoryError> {
        self.tokens.create_token(email, hash, at).await
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        self.tokens.find_by_email(email).await
    }

    async fn delete_by_email(&self, _: &str) -> Result<(), RepositoryError> {
        match self.delete {
            Delete::Panics => panic!("no connection"),
            Delete::Fails => Err(RepositoryError::other("no such table: password_resets")),
            Delete::Hangs => std::future::pending().await,
        }
    }
}

fn found(result: Result<(), Failures>) -> Vec<(&'static str, String)> {
    let failures = result.expect_err("no case failed");
    failures.iter().map(|failure| (failure.case, failure.found.clone())).collect()
}

/// All cases run, and each one reports the same cause.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_an_error_and_a_case_that_hangs_fail_each_case() {
    for (delete, cause) in [
        (Delete::Panics, "the implementation panicked: no connection"),
        (Delete::Fails, "`delete_by_email` returned the error \"no such table: password_resets\""),
        (Delete::Hangs, "the case was not finished after 100ms"),
    ] {
        let suite = conformance::password_resets(undeletable(delete)).time_limit(Duration::from_millis(100));
        let found = found(suite.await);
        assert_eq!(found.len(), 10, "{found:?}");
        // A slow machine can be stopped by the limit before it comes to the call.
        let same = found.iter().filter(|(_, found)| found == cause).count();
        assert!(same >= 5, "{found:?}");
    }
}

#[tokio::test]
async fn a_runtime_with_one_thread_is_refused() {
    let found = found(conformance::password_resets(MemoryPasswordResets::new()).await);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "runtime");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_names_the_case_and_says_what_was_found_and_what_is_required() {
    let failures = conformance::password_resets(undeletable(Delete::Fails)).await.unwrap_err();
    let text = failures.to_string();
    let expected = "10 of 10 cases failed:\n\na_token_is_found_by_its_address\n    found:    `delete_by_email` returned \
                    the error \"no such table: password_resets\".\n    required: `find_by_email` returns the hash and \
                    the time of `create_token`.\n\nan_address_without_a_token_is_none\n";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(format!("{failures:?}"), format!("\n{text}\n"));
}

/// Users with a small id and a column of the host's own that must have a value.
#[derive(Clone, Default, crate::AuthUser)]
struct Member {
    id: u8,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

#[derive(Default)]
struct Members(MemoryUsers<Member>);

#[async_trait]
impl UserRepository for Members {
    type User = Member;

    async fn find_by_id(&self, id: &u8) -> Result<Option<Member>, RepositoryError> {
        self.0.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Member>, RepositoryError> {
        self.0.find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<Member>) -> Result<Member, RepositoryError> {
        self.0.save(patch).await
    }

    async fn create(&self, user: NewUser) -> Result<Member, RepositoryError> {
        match user.extra.get("plan") {
            Some(_) => self.0.create(user).await,
            None => Err(RepositoryError::other("the column plan must not be null")),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_host_completes_new_users_and_gives_an_unknown_id() -> Result<(), Failures> {
    conformance::users(Members::default())
        .new_user(|user| user.with_extra("plan", "free"))
        .unknown_id(255)
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_unusual_id_and_a_column_without_a_value_are_said() {
    let found_of = |suite: conformance::Suite<_>| async { found(suite.await) };
    let plan = "`create` returned the error \"the column plan must not be null\"";
    let failed = found_of(conformance::users(Members::default()).unknown_id(255)).await;
    assert!(failed.contains(&("a_created_user_is_found", plan.to_owned())), "{failed:?}");
    let id = "the suite cannot make an id of this type that no user has: call `.unknown_id(…)`".to_owned();
    let suite = conformance::users(Members::default()).new_user(|user| user.with_extra("plan", "free"));
    let expected = [("an_unknown_user_is_none", id.clone()), ("an_unknown_id_is_an_error_and_not_stale", id)];
    assert_eq!(found_of(suite).await, expected);
}
