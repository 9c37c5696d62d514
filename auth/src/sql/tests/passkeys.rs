//! What another process finds, a table of another name, and none.

use super::{on_each, other};
use crate::repository::{PasskeyRecord, PasskeyRepository, PasskeyUse};
use crate::sql::{SqlPasskeys, Table, migrate_only};
use std::time::{Duration, SystemTime};

const TIME: SystemTime = SystemTime::UNIX_EPOCH;

fn passkey(id: &str, credential_id: &[u8]) -> PasskeyRecord {
    let time = TIME + Duration::from_secs(1_795_000_000);
    PasskeyRecord::new(id, "default ada", credential_id, *b"key", time)
}

#[tokio::test]
async fn another_process_finds_what_the_first_one_has_written() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthPasskeys]).await.unwrap();
        let stored = passkey("1", b"one");
        assert!(SqlPasskeys::new(tested.database.clone()).insert(stored.clone()).await.unwrap());
        let restarted = SqlPasskeys::new(tested.another(1).await);
        assert!(restarted.find_by_credential_id(b"one").await.unwrap() == Some(stored));
        assert!(!restarted.insert(passkey("2", b"one")).await.unwrap());

        tested.run("ALTER TABLE auth_passkeys RENAME TO staff_passkeys").await;
        let renamed = restarted.table("staff_passkeys").unwrap();
        assert_eq!(renamed.find_by_user("default ada").await.unwrap().len(), 1);
        assert!(!renamed.insert(passkey("2", b"one")).await.unwrap());
        assert!(renamed.table("x; DROP").is_err());
    })
    .await;
}

/// Only a credential id that is there is `false`: the id of a row is the library's own, and new.
#[tokio::test]
async fn an_id_that_is_there_is_an_error() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthPasskeys]).await.unwrap();
        let passkeys = SqlPasskeys::new(tested.database.clone());
        assert!(passkeys.insert(passkey("1", b"one")).await.unwrap());
        let error = other(passkeys.insert(passkey("1", b"two")).await);
        assert!(error.contains("constraint") || error.contains("Duplicate entry"), "{error}");
        assert_eq!(tested.count("auth_passkeys").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_row_that_the_library_has_not_written_is_an_error() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthPasskeys]).await.unwrap();
        let passkeys = SqlPasskeys::new(tested.database.clone());
        passkeys.insert(passkey("1", b"one")).await.unwrap();
        for counter in ["-1", "4294967296"] {
            tested.run(&format!("UPDATE auth_passkeys SET counter = {counter}")).await;
            other(passkeys.find_by_credential_id(b"one").await);
            other(passkeys.find_by_user("default ada").await);
        }
    })
    .await;
}

#[tokio::test]
async fn a_missing_table_is_an_error() {
    on_each(async |tested| {
        let passkeys = SqlPasskeys::new(tested.database.clone());
        for error in [
            other(passkeys.insert(passkey("1", b"one")).await),
            other(passkeys.find_by_credential_id(b"one").await),
            other(passkeys.find_by_user("default ada").await),
            other(passkeys.record_use("1", None, &PasskeyUse::new(1, false, TIME)).await),
            other(passkeys.rename("default ada", "1", "phone").await),
            other(passkeys.delete("default ada", "1").await),
            other(passkeys.delete_all("default ada").await),
        ] {
            assert!(error.contains("auth_passkeys"), "{error}");
        }
    })
    .await;
}
