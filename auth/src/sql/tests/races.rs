//! Concurrent writes over many connections: exactly one succeeds.

use super::{Account, Tested, new_user, on_each};
use crate::repository::RepositoryError;
use crate::repository::UserRepository;
use crate::sql::{SqlUsers, Table, migrate, migrate_only};
use crate::testing::databases::Kind;
use crate::user::{AuthUser, UserChange, UserPatch};
use std::sync::Arc;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

/// Runs twenty tasks that start at the same time, and returns their results.
async fn twenty<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    task: impl Fn(usize) -> F,
) -> Vec<T> {
    let barrier = Arc::new(Barrier::new(20));
    let mut tasks = JoinSet::new();
    for number in 0..20 {
        let (barrier, work) = (Arc::clone(&barrier), task(number));
        tasks.spawn(async move {
            barrier.wait().await;
            work.await
        });
    }
    tasks.join_all().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_twenty_concurrent_registrations_gets_the_address() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        let users = SqlUsers::<Account>::new(tested.database.clone());
        let results = twenty(|_| {
            let users = users.clone();
            async move { users.create(new_user("a@b.co")).await }
        })
        .await;
        let taken =
            results.iter().filter(|result| matches!(result, Err(RepositoryError::EmailTaken))).count();
        assert_eq!((results.iter().filter(|result| result.is_ok()).count(), taken), (1, 19));
        assert_eq!(tested.count("users").await, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_twenty_conditional_patches_applies() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        let users = SqlUsers::<Account>::new(tested.database.clone());
        let id = users.create(new_user("a@b.co")).await.unwrap().id;
        let results = twenty(|number| {
            let (users, id) = (users.clone(), id.clone());
            let patch = UserPatch::new(id).with(UserChange::Password(format!("new {number}")));
            async move { users.save(patch.only_if(UserChange::Password("hash".to_owned()))).await }
        })
        .await;
        let stale = results.iter().filter(|result| matches!(result, Err(RepositoryError::Stale))).count();
        let saved: Vec<_> = results.iter().flatten().collect();
        assert_eq!((saved.len(), stale), (1, 19));
        let stored = users.find_by_id(&id).await.unwrap().unwrap();
        assert_eq!(stored.password(), saved[0].password());
    })
    .await;
}

/// Migrates over twenty pools of one connection each.
async fn start_twenty(tested: &Arc<Tested>) {
    let results = twenty(|_| {
        let tested = Arc::clone(tested);
        async move { migrate(tested.another(1).await).await }
    })
    .await;
    for result in results {
        result.unwrap();
    }
    assert_eq!(tested.count("_auth_migrations").await, Table::ALL.len() as i64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_processes_may_start_at_once_on_an_empty_database() {
    on_each(async |tested| start_twenty(&tested).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_processes_may_start_at_once_on_a_database_with_a_history() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthSessions]).await.unwrap();
        start_twenty(&tested).await;
    })
    .await;
}

/// MySQL cannot take back what a process has done that ended in the middle of its migration.
#[tokio::test]
async fn an_unfinished_migration_is_finished() {
    super::on(Kind::MySql, async |tested| {
        migrate_only(&tested.database, &[Table::AuthSessions, Table::AuthStore]).await.unwrap();
        tested.run("UPDATE _auth_migrations SET success = FALSE; DROP TABLE auth_store").await;
        migrate(&tested.database).await.unwrap();
        assert_eq!(tested.count("_auth_migrations WHERE success").await, Table::ALL.len() as i64);
        assert_eq!(tested.count("auth_store").await, 0);
    })
    .await;
}
