//! The two operations that MySQL cannot do in one statement: it has no condition in `ON DUPLICATE KEY UPDATE`, and sqlx
//! counts the rows that a statement has found, not those that it has changed.
//!
//! Each is a transaction that first makes sure that the key has a row. That locks the row until the end of the
//! transaction, so that of several concurrent calls one goes on and the others wait.

use crate::sql::database::{Connections, On, Work};
use crate::sql::identifier::Identifier;
use crate::sql::statement::Statement;
use sqlx::{MySql, Row};

/// Sets the value of a key that has none or whose value has expired. Returns whether it did.
pub(super) async fn claim(
    pool: &Connections<MySql>,
    table: &Identifier,
    key: &str,
    value: &[u8],
    now: i64,
    ends_at: i64,
) -> Result<bool, sqlx::Error> {
    let sql =
        format!("UPDATE {table} SET value = ?, count = NULL, ends_at = ? WHERE \"key\" = ? AND ends_at <= ?");
    let claim = Statement::new(sql).with(value).with(ends_at).with(key).with(now);
    pool.transaction(Claim { lock: lock(table, key), claim }).await
}

struct Claim {
    lock: Statement,
    claim: Statement,
}

impl Work<MySql> for Claim {
    type Output = bool;

    async fn run(&self, on: &mut On<'_, MySql>) -> Result<bool, sqlx::Error> {
        on.execute(self.lock.clone()).await?;
        Ok(on.execute(self.claim.clone()).await? == 1)
    }
}

/// Counts one attempt if the counter is below the limit. Returns the end of its window, or `None` if the counter is full.
pub(super) async fn count(
    pool: &Connections<MySql>,
    table: &Identifier,
    key: &str,
    limit: u32,
    now: i64,
    ends_at: i64,
) -> Result<Option<i64>, sqlx::Error> {
    let restart = format!(
        "UPDATE {table} SET value = NULL, count = 1, ends_at = ? \
         WHERE \"key\" = ? AND (ends_at <= ? OR count IS NULL)"
    );
    let add = format!("UPDATE {table} SET count = count + 1 WHERE \"key\" = ? AND count < ?");
    let read = format!("SELECT ends_at FROM {table} WHERE \"key\" = ?");
    let count = Count {
        lock: lock(table, key),
        restart: Statement::new(restart).with(ends_at).with(key).with(now),
        add: Statement::new(add).with(key).with(limit),
        read: Statement::new(read).with(key),
    };
    pool.transaction(count).await
}

struct Count {
    lock: Statement,
    restart: Statement,
    add: Statement,
    read: Statement,
}

impl Work<MySql> for Count {
    type Output = Option<i64>;

    async fn run(&self, on: &mut On<'_, MySql>) -> Result<Option<i64>, sqlx::Error> {
        on.execute(self.lock.clone()).await?;
        let counted =
            on.execute(self.restart.clone()).await? == 1 || on.execute(self.add.clone()).await? == 1;
        if !counted {
            return Ok(None);
        }
        let rows = on.fetch(self.read.clone()).await?;
        rows.first().map(|row| row.try_get("ends_at")).transpose()
    }
}

/// Locks the row of a key. A key without a row gets one that has expired.
fn lock(table: &Identifier, key: &str) -> Statement {
    let sql = format!(
        "INSERT INTO {table} (\"key\", ends_at) VALUES (?, 0) ON DUPLICATE KEY UPDATE \"key\" = \"key\""
    );
    Statement::new(sql).with(key)
}
