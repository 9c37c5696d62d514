//! What another process finds, and a table of another name.

use super::on_each;
use crate::repository::{SessionKind, SessionRecord, SessionRepository};
use crate::sql::{SqlSessions, Table, migrate_only};
use std::time::{Duration, SystemTime};

#[tokio::test]
async fn another_process_finds_what_the_first_one_has_written() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthSessions]).await.unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000);
        let session = SessionRecord::new("1", "ada", SessionKind::Bearer, "state", time, time);
        SqlSessions::new(tested.database.clone()).create(session.clone()).await.unwrap();
        let restarted = SqlSessions::new(tested.another(1).await);
        assert!(restarted.find("1").await.unwrap() == Some(session));

        tested.run("ALTER TABLE auth_sessions RENAME TO staff_sessions").await;
        let renamed = restarted.table("staff_sessions").unwrap();
        assert!(renamed.find("1").await.unwrap().is_some());
        assert!(renamed.table("x; DROP").is_err());
    })
    .await;
}
