//! What another process finds, a table of another name, and none.

use super::{on_each, other};
use crate::repository::{IdentityRecord, IdentityRepository, IdentityUse};
use crate::sql::{SqlIdentities, Table, migrate_only};
use std::time::{Duration, SystemTime};

const TIME: SystemTime = SystemTime::UNIX_EPOCH;
const ISSUER: &str = "https://id.example";

fn identity(id: &str, subject: &str) -> IdentityRecord {
    let time = TIME + Duration::from_secs(1_795_000_000);
    IdentityRecord::new(id, "default ada", ISSUER, subject, time)
}

#[tokio::test]
async fn another_process_finds_what_the_first_one_has_written() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthIdentities]).await.unwrap();
        let stored = identity("1", "one");
        assert!(SqlIdentities::new(tested.database.clone()).insert(stored.clone()).await.unwrap());
        let restarted = SqlIdentities::new(tested.another(1).await);
        assert!(restarted.find_by_subject(ISSUER, "one").await.unwrap() == Some(stored));
        assert!(!restarted.insert(identity("2", "one")).await.unwrap());

        tested.run("ALTER TABLE auth_identities RENAME TO staff_identities").await;
        let renamed = restarted.table("staff_identities").unwrap();
        assert_eq!(renamed.find_by_user("default ada").await.unwrap().len(), 1);
        assert!(!renamed.insert(identity("2", "one")).await.unwrap());
        assert!(renamed.table("x; DROP").is_err());
    })
    .await;
}

/// Only an issuer and subject that are there are `false`: the id of a row is the library's own, and new.
#[tokio::test]
async fn an_id_that_is_there_is_an_error() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthIdentities]).await.unwrap();
        let identities = SqlIdentities::new(tested.database.clone());
        assert!(identities.insert(identity("1", "one")).await.unwrap());
        let error = other(identities.insert(identity("1", "two")).await);
        assert!(error.contains("constraint") || error.contains("Duplicate entry"), "{error}");
        // A subject whose text is the end of MySQL's message about the primary key.
        for (id, is_new) in [("2", true), ("3", false)] {
            assert_eq!(identities.insert(identity(id, "for key 'PRIMARY'")).await.unwrap(), is_new);
        }
        assert_eq!(tested.count("auth_identities").await, 2);
    })
    .await;
}

/// A subject that is cut off could be that of somebody else.
#[tokio::test]
async fn what_is_too_long_is_never_cut_off() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthIdentities]).await.unwrap();
        let identities = SqlIdentities::new(tested.database.clone());
        let (long, cut) = ("s".repeat(256), "s".repeat(255));
        let stored = identities.insert(identity("1", &long)).await.is_ok();
        assert!(identities.find_by_subject(ISSUER, &cut).await.unwrap().is_none());
        assert_eq!(identities.find_by_subject(ISSUER, &long).await.unwrap().is_some(), stored);
        assert!(identities.insert(identity("2", &cut)).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_missing_table_is_an_error() {
    on_each(async |tested| {
        let identities = SqlIdentities::new(tested.database.clone());
        for error in [
            other(identities.insert(identity("1", "one")).await),
            other(identities.find_by_subject(ISSUER, "one").await),
            other(identities.find_by_user("default ada").await),
            other(identities.record_use("1", &IdentityUse::new(None, TIME)).await),
            other(identities.delete("default ada", "1").await),
            other(identities.delete_all("default ada").await),
        ] {
            assert!(error.contains("auth_identities"), "{error}");
        }
    })
    .await;
}
