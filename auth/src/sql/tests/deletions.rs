//! What another process finds, a table of another name, and none.

use super::{on_each, other};
use crate::repository::{DeletionRecord, DeletionRepository};
use crate::sql::{SqlDeletions, Table, migrate_only};
use std::time::{Duration, SystemTime};

const REALM: &str = "default";

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000 + seconds)
}

#[tokio::test]
async fn another_process_finds_what_the_first_one_has_written() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthDeletions]).await.unwrap();
        let deletions = SqlDeletions::new(tested.database.clone());
        assert!(deletions.schedule(REALM, "ada", at(0)).await.unwrap().is_none());
        let mut leased = DeletionRecord::new(REALM, "ada", at(0));
        leased.leased_until = Some(at(60));
        assert!(deletions.lease_due(REALM, at(0), at(60), 9).await.unwrap() == [leased.clone()]);
        let restarted = SqlDeletions::new(tested.another(1).await);
        assert!(restarted.lease_due(REALM, at(59), at(99), 9).await.unwrap().is_empty());

        tested.run("ALTER TABLE auth_deletions RENAME TO staff_deletions").await;
        let renamed = restarted.table("staff_deletions").unwrap();
        assert!(renamed.schedule(REALM, "ada", at(9)).await.unwrap() == Some(leased));
        assert!(renamed.table("x; DROP").is_err());
    })
    .await;
}

/// A user id that is cut off could be that of somebody else, who would be deleted.
#[tokio::test]
async fn what_is_too_long_is_never_cut_off() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthDeletions]).await.unwrap();
        let deletions = SqlDeletions::new(tested.database.clone());
        let (long, cut) = ("a".repeat(513), "a".repeat(512));
        let stored = deletions.schedule(REALM, &long, at(0)).await.is_ok();
        assert!(deletions.find(REALM, &cut).await.unwrap().is_none());
        assert_eq!(deletions.find(REALM, &long).await.unwrap().is_some(), stored);
        assert!(deletions.schedule(REALM, &cut, at(0)).await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn a_missing_table_is_an_error() {
    on_each(async |tested| {
        let deletions = SqlDeletions::new(tested.database.clone());
        for error in [
            other(deletions.schedule(REALM, "ada", at(0)).await),
            other(deletions.find(REALM, "ada").await),
            other(deletions.cancel(REALM, "ada", at(0), at(0)).await),
            other(deletions.lease_due(REALM, at(0), at(60), 1).await),
            other(deletions.finish(REALM, "ada", at(0)).await),
        ] {
            assert!(error.contains("auth_deletions"), "{error}");
        }
    })
    .await;
}
