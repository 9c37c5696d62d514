//! A table of another name, and none.

use super::{on_each, other};
use crate::repository::PasswordResetRepository;
use crate::sql::{SqlPasswordResets, Table, migrate_only};
use std::time::SystemTime;

const TIME: SystemTime = SystemTime::UNIX_EPOCH;

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
