//! Concurrent writes over many connections to one file: exactly one succeeds.

use super::{Account, File, count, new_user};
use crate::repository::RepositoryError;
use crate::repository::UserRepository;
use crate::sql::{SqlUsers, migrate, migrate_without_users};
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
    let file = File::new();
    let pool = file.pool(8).await;
    migrate(&pool).await.unwrap();
    let users = SqlUsers::<Account>::new(pool.clone());
    let results = twenty(|_| {
        let users = users.clone();
        async move { users.create(new_user("a@b.co")).await }
    })
    .await;
    let taken = results.iter().filter(|result| matches!(result, Err(RepositoryError::EmailTaken))).count();
    assert_eq!((results.iter().filter(|result| result.is_ok()).count(), taken), (1, 19));
    assert_eq!(count(&pool, "SELECT count(*) FROM users").await, 1);
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_twenty_conditional_patches_applies() {
    let file = File::new();
    let pool = file.pool(8).await;
    migrate(&pool).await.unwrap();
    let users = SqlUsers::<Account>::new(pool.clone());
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
    pool.close().await;
}

/// Migrates over twenty pools of one connection each.
async fn start_twenty(file: &Arc<File>) {
    let results = twenty(|_| {
        let file = Arc::clone(file);
        async move {
            let pool = file.pool(1).await;
            let migrated = migrate(&pool).await;
            pool.close().await;
            migrated
        }
    })
    .await;
    for result in results {
        result.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_processes_may_start_at_once_on_an_empty_database() {
    start_twenty(&Arc::new(File::new())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_processes_may_start_at_once_on_a_database_with_a_history() {
    let file = Arc::new(File::new());
    let pool = file.pool(1).await;
    migrate_without_users(&pool).await.unwrap();
    pool.close().await;
    start_twenty(&file).await;
}
