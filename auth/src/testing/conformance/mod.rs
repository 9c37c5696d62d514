//! Checks of a host's own adapters: does this repository or store do what its trait requires?
//!
//! An adapter with a mistake usually passes every test that one thinks of: registration and login work, and two requests at
//! the same time are rare. [`users`], [`password_resets`], [`passkeys`], [`identities`], [`api_tokens`], [`deletions`],
//! [`sessions`] and [`store`] are suites of named cases for the eight traits that a host implements over a database. Run them in a test of
//! your own:
//!
//! ```
//! use axum_auth_module::testing::conformance::{self, Failures};
//! # use axum_auth_module::testing::MemoryPasswordResets as MyPasswordResets;
//!
//! # const _: &str = stringify!(
//! #[tokio::test(flavor = "multi_thread")]
//! # );
//! async fn my_reset_tokens_are_stored_as_the_library_requires() -> Result<(), Failures> {
//!     conformance::password_resets(MyPasswordResets::new()).await
//! }
//! # tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap()
//! #     .block_on(my_reset_tokens_are_stored_as_the_library_requires()).unwrap();
//! ```
//!
//! A failure names the case, what the adapter did and what the trait requires:
//!
//! ```text
//! 1 of 25 cases failed:
//!
//! a_null_condition_holds_only_for_null
//!     found:    a patch on the condition that `emailVerifiedAt` is null returned `Stale`, although the field is null.
//!     required: The condition null holds for a field that is null (`IS NULL`; in SQL, `= NULL` never holds), and for no other.
//! ```
//!
//! * Each function's page has the table of its cases. The trait's methods say the same in their documentation.
//! * A suite runs against any database, also one that is not empty: it uses new random ids, addresses and keys. It deletes
//!   what it has written. Only users stay, because [`UserRepository`](crate::repository::UserRepository) cannot delete
//!   them: their addresses begin with `conformance-` and end in `@users.example.invalid`. Run one suite at a time over one table.
//! * The adapter is given by value. An adapter that is not `Clone` can be given as an `Arc`.
//! * A hundred tasks race in some cases, so the test needs `#[tokio::test(flavor = "multi_thread")]`, and a connection pool
//!   of several connections finds more than one of one.

mod api_tokens;
mod deletions;
mod failures;
mod fresh;
mod identities;
mod passkeys;
mod password_resets;
mod race;
mod rows;
mod sessions;
mod store;
mod suite;
#[cfg(test)]
mod tests;
mod users;

pub use api_tokens::{ApiTokenCases, api_tokens};
pub use deletions::{DeletionCases, deletions};
pub use failures::{Failure, Failures};
pub use identities::{IdentityCases, identities};
pub use passkeys::{PasskeyCases, passkeys};
pub use password_resets::{PasswordResetCases, password_resets};
pub use sessions::{SessionCases, sessions};
pub use store::{StoreCases, Time, store};
pub use suite::{Suite, TIME_LIMIT};
pub use users::{UserCases, users};
