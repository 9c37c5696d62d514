//! At most one token for each address, the newest.

use super::{on_each, other};
use crate::repository::PasswordResetRepository;
use crate::sql::{SqlPasswordResets, Table, migrate_only};
use std::time::{Duration, SystemTime};

const TIME: SystemTime = SystemTime::UNIX_EPOCH;

#[tokio::test]
async fn the_newest_token_of_an_address_is_the_only_one() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::PasswordResets]).await.unwrap();
        let resets = SqlPasswordResets::new(tested.database.clone());
        assert!(resets.find_by_email("a@b.co").await.unwrap().is_none());

        let now = TIME + Duration::from_millis(1_795_000_000_123);
        resets.create_token("a@b.co", "first", now).await.unwrap();
        resets.create_token("c@d.co", "another's", now).await.unwrap();
        // The clock was set back in between.
        let earlier = TIME + Duration::new(1_000_000_000, 1_000_000);
        resets.create_token("a@b.co", "second", earlier).await.unwrap();
        let stored = resets.find_by_email("a@b.co").await.unwrap().unwrap();
        assert_eq!((stored.token.as_str(), stored.created_at), ("second", earlier));

        resets.delete_by_email("a@b.co").await.unwrap();
        resets.delete_by_email("a@b.co").await.unwrap();
        assert!(resets.find_by_email("a@b.co").await.unwrap().is_none());
        assert_eq!(resets.find_by_email("c@d.co").await.unwrap().unwrap().created_at, now);
    })
    .await;
}

#[tokio::test]
async fn a_host_can_use_its_own_table() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::PasswordResets]).await.unwrap();
        tested.run("ALTER TABLE password_resets RENAME TO resets").await;
        let resets = SqlPasswordResets::new(tested.database.clone()).table("resets").unwrap();
        resets.create_token("a@b.co", "token", TIME).await.unwrap();
        assert_eq!(resets.find_by_email("a@b.co").await.unwrap().unwrap().created_at, TIME);
        assert!(resets.table("resets; --").is_err());
    })
    .await;
}

#[tokio::test]
async fn a_missing_table_is_an_error() {
    on_each(async |tested| {
        let resets = SqlPasswordResets::new(tested.database.clone());
        for error in [
            other(resets.find_by_email("a@b.co").await),
            other(resets.create_token("a@b.co", "token", TIME).await),
            other(resets.delete_by_email("a@b.co").await),
        ] {
            assert!(error.contains("password_resets"), "{error}");
        }
    })
    .await;
}
