//! The session repository: the suite of the trait, and another process.

use super::on_each;
use crate::repository::{SessionKind, SessionRecord, SessionRepository};
use crate::sql::{SqlSessions, Table, migrate_only};
use crate::testing::conformance;
use std::time::{Duration, SystemTime};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_suite_of_the_trait_succeeds() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::Sessions]).await.unwrap();
        conformance::sessions(SqlSessions::new(tested.database.clone())).await.unwrap();
        assert_eq!(tested.count("auth_sessions").await, 0, "the suite left something");
        tested.run("ALTER TABLE auth_sessions RENAME TO staff_sessions").await;
        let renamed = SqlSessions::new(tested.database.clone()).table("staff_sessions").unwrap();
        conformance::sessions(renamed.clone()).alone().await.unwrap();
        assert!(renamed.table("x; DROP").is_err());
    })
    .await;
}

#[tokio::test]
async fn another_process_finds_what_the_first_one_has_written() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::Sessions]).await.unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000);
        let session = SessionRecord::new("1", "ada", SessionKind::Bearer, "state", time, time);
        SqlSessions::new(tested.database.clone()).create(session.clone()).await.unwrap();
        let another = SqlSessions::new(tested.another(1).await);
        assert!(another.find("1").await.unwrap() == Some(session));
    })
    .await;
}
