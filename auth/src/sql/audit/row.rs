//! The table of the audit log, and the row of an event.

use super::super::database::{Dialect, PerDialect};
use super::super::identifier::Identifier;
use super::super::schema::{Definition, Migration, Step};
use super::super::statement::{Statement, milliseconds};
use crate::crypto::random;
use crate::events::Event;
use crate::repository::RepositoryError;
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicU32, Ordering};

pub(in crate::sql) const TABLE: Definition = Definition { name: "auth_audit", migrations: &[CREATE] };

const CREATE: Migration = Migration {
    version: 5,
    step: Step::Create,
    sql: PerDialect {
        sqlite: "\
-- One row for each event (specification §22.7). The time is in milliseconds since 1970. Ids are in the order of the times.
CREATE TABLE auth_audit (
    id         TEXT PRIMARY KEY NOT NULL,
    at         INTEGER NOT NULL,
    event      TEXT NOT NULL,
    user_id    TEXT,
    actor      TEXT NOT NULL,
    session_id TEXT,
    client     TEXT,
    request_id TEXT,
    details    TEXT NOT NULL
);
CREATE INDEX auth_audit_by_user ON auth_audit (user_id, id);
CREATE INDEX auth_audit_by_event ON auth_audit (event, id);
",
        postgres: "\
-- One row for each event (specification §22.7). The time is in milliseconds since 1970. Ids are in the order of the times.
CREATE TABLE auth_audit (
    id         text COLLATE \"C\" PRIMARY KEY,
    at         bigint NOT NULL,
    event      text NOT NULL,
    user_id    text,
    actor      text NOT NULL,
    session_id text,
    client     text,
    request_id text,
    details    text NOT NULL
);
CREATE INDEX auth_audit_by_user ON auth_audit (user_id, id);
CREATE INDEX auth_audit_by_event ON auth_audit (event, id);
",
        // `user_id` is binary for the same reason as in `auth_sessions`.
        mysql: "\
-- One row for each event (specification §22.7). The time is in milliseconds since 1970. Ids are in the order of the times.
CREATE TABLE auth_audit (
    id         char(32) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
    at         bigint NOT NULL,
    event      varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    user_id    varbinary(512),
    actor      varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    session_id varchar(64) CHARACTER SET ascii COLLATE ascii_bin,
    client     varchar(64) CHARACTER SET ascii COLLATE ascii_bin,
    request_id varchar(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    details    text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    INDEX auth_audit_by_user (user_id, id),
    INDEX auth_audit_by_event (event, id)
) ENGINE = InnoDB
",
    },
};

/// What is read of a row.
pub(super) const COLUMNS: PerDialect = PerDialect {
    sqlite: "id, at, event, user_id, actor, session_id, client, request_id, details",
    postgres: "id, at, event, user_id, actor, session_id, client, request_id, details",
    mysql: "id, at, event, CONVERT(user_id USING utf8mb4) AS user_id, actor, session_id, client, request_id, details",
};

/// The row of an event that is about to be written. It keeps its id if it is written again.
pub(in crate::sql) struct NewRow<'e> {
    id: String,
    event: &'e Event,
}

impl<'e> NewRow<'e> {
    pub(in crate::sql) fn new(event: &'e Event) -> Result<Self, RepositoryError> {
        Ok(Self { id: new_id(milliseconds(event.at))?, event })
    }

    /// The statement that writes it. If it is already there, it changes nothing.
    pub(in crate::sql) fn insert(&self, table: &Identifier, dialect: Dialect) -> Statement {
        let event = self.event;
        let mut session_id = None;
        let mut details = Map::new();
        for (name, fact) in event.kind.facts() {
            match name {
                "session_id" => session_id = Some(fact).filter(|id| !id.is_empty()),
                _ => drop(details.insert(name.to_owned(), Value::from(fact))),
            }
        }
        let columns = "id, at, event, user_id, actor, session_id, client, request_id, details";
        let again =
            if dialect.is_mysql() { "ON DUPLICATE KEY UPDATE id = id" } else { "ON CONFLICT DO NOTHING" };
        Statement::new(format!("INSERT INTO {table} ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) {again}"))
            .with(self.id.as_str())
            .with(milliseconds(event.at))
            .with(event.name())
            .with(event.user_id.as_deref())
            .with(event.by.as_str())
            .with(session_id)
            .with(event.client.map(|client| client.to_string()))
            .with(event.request_id.as_deref())
            .with(Value::Object(details).to_string())
    }
}

/// A new id for a row of this time. Ids are compared as texts: first the time, as 12 hexadecimal digits; then 8 digits that
/// count the rows of this process, so that events of one millisecond keep their order; then random ones.
fn new_id(milliseconds: i64) -> Result<String, RepositoryError> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let random = random::hex::<6>().map_err(RepositoryError::other)?;
    Ok(format!("{}{number:08x}{random}", time_digits(milliseconds)))
}

/// The lowest id that a row of this time can have.
pub(super) fn first_id_at(milliseconds: i64) -> String {
    format!("{}{:020}", time_digits(milliseconds), 0)
}

/// A time as 12 hexadecimal digits: until the year 10889.
fn time_digits(milliseconds: i64) -> String {
    format!("{:012x}", milliseconds.clamp(0, (1 << 48) - 1))
}

/// Whether a text has the form of an id.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_in_the_order_of_time_and_then_of_their_making() {
        let ids =
            [0, 1, 255, 256, 1_795_000_000_000, 1_795_000_000_000, i64::MAX].map(|at| new_id(at).unwrap());
        assert!(ids.is_sorted(), "{ids:?}");
        assert!(ids.iter().all(|id| is_id(id)), "{ids:?}");
        let [first, later] = [first_id_at(256), first_id_at(257)];
        assert!(is_id(&first) && first < ids[3] && ids[2] < first && ids[3] < later);
    }

    #[test]
    fn other_texts_are_no_ids() {
        for other in
            ["", "0", &"0".repeat(31), &"0".repeat(33), &"G".repeat(32), &"A".repeat(32), &"é".repeat(16)]
        {
            assert!(!is_id(other), "{other}");
        }
    }
}
