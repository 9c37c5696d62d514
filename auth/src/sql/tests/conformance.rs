//! The adapters pass the suites that hosts run, on every database.

use super::{Account, Guest, Member, on_each};
use crate::sql::{
    SqlApiTokens, SqlDeletions, SqlIdentities, SqlPasskeys, SqlPasswordResets, SqlSessions, SqlStore,
    SqlUsers, migrate,
};
use crate::store::EphemeralStore;
use crate::testing::MovableClock;
use crate::testing::conformance;
use crate::user::UserField;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn users_in_the_librarys_table() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        conformance::users(SqlUsers::<Account>::new(tested.database.clone())).await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn users_in_a_hosts_own_table() {
    on_each(async |tested| {
        tested.run(super::members(tested.kind)).await;
        let users = SqlUsers::<Member>::new(tested.database.clone()).table("order").unwrap();
        let users = users.column(UserField::Email, "mail").unwrap();
        conformance::users(users).new_user(|user| user.with_extra("plan", "pro")).await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn users_whose_password_can_be_null() {
    on_each(async |tested| {
        tested.run(&super::guests(tested.kind, "NULL")).await;
        let users = SqlUsers::<Guest>::new(tested.database.clone()).table("guests").unwrap();
        conformance::users(users).await.unwrap();
        assert!(tested.count("guests WHERE password IS NULL").await > 0);
        assert_eq!(tested.count("guests WHERE password = ''").await, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn password_resets() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        conformance::password_resets(SqlPasswordResets::new(tested.database.clone())).await.unwrap();
        assert_eq!(tested.count("password_resets").await, 0, "the suite left something");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn passkeys() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        conformance::passkeys(SqlPasskeys::new(tested.database.clone())).await.unwrap();
        assert_eq!(tested.count("auth_passkeys").await, 0, "the suite left something");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn identities() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        conformance::identities(SqlIdentities::new(tested.database.clone())).await.unwrap();
        assert_eq!(tested.count("auth_identities").await, 0, "the suite left something");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn api_tokens() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        conformance::api_tokens(SqlApiTokens::new(tested.database.clone())).await.unwrap();
        assert_eq!(tested.count("auth_api_tokens").await, 0, "the suite left something");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn deletions() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        conformance::deletions(SqlDeletions::new(tested.database.clone())).await.unwrap();
        assert_eq!(tested.count("auth_deletions").await, 0, "the suite left something");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        conformance::sessions(SqlSessions::new(tested.database.clone())).alone().await.unwrap();
        assert_eq!(tested.count("auth_sessions").await, 0, "the suite left something");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        let clock = MovableClock::new();
        let store = SqlStore::new(tested.database.clone()).clock(clock.clone());
        conformance::store(store.clone(), clock).await.unwrap();
        // What has expired may stay until the next clean-up.
        store.delete_expired(1_000).await.unwrap();
        assert_eq!(tested.count("auth_store").await, 0, "the suite left something");
    })
    .await;
}
