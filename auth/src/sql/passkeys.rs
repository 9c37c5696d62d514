//! The repository of passkeys over SQL.

use super::database::{IntoDatabase, PerDialect, Row, is_taken_key};
use super::identifier::InvalidIdentifier;
use super::owned_rows::OwnedRows;
use super::schema::{Definition, Migration, Step};
use super::statement::{from_milliseconds, milliseconds};
use crate::repository::{PasskeyRecord, PasskeyRepository, PasskeyUse, RepositoryError};
use async_trait::async_trait;

/// A [`PasskeyRepository`] over a table of a database (specification §22.8). All processes that use the database share the
/// passkeys.
///
/// The table has the columns of [`PasskeyRecord`], with times in milliseconds since 1970, and the transports as one text with
/// commas; [`migrate`](super::migrate) creates it. Clones share the pool.
#[derive(Clone)]
pub struct SqlPasskeys {
    rows: OwnedRows,
}

impl SqlPasskeys {
    /// The passkeys in the table `auth_passkeys` of this database: a `SqlitePool`, `PgPool` or `MySqlPool`.
    #[must_use]
    pub fn new(database: impl IntoDatabase) -> Self {
        Self { rows: OwnedRows::new(database, "auth_passkeys", COLUMNS) }
    }

    /// Uses another table than `auth_passkeys`, with the same columns.
    ///
    /// # Errors
    /// If the name does not begin with an ASCII letter or `_`, or has other characters than ASCII letters, digits and
    /// `_`.
    pub fn table(self, name: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        Ok(Self { rows: self.rows.of(name)? })
    }
}

pub(super) const TABLE: Definition = Definition { name: "auth_passkeys", migrations: &[CREATE] };

const CREATE: Migration = Migration {
    version: 6,
    step: Step::Create,
    sql: PerDialect {
        sqlite: "\
-- One row for each passkey (specification §3.9). Times are in milliseconds since 1970.
CREATE TABLE auth_passkeys (
    id              TEXT PRIMARY KEY NOT NULL,
    user_id         TEXT NOT NULL,
    credential_id   BLOB NOT NULL,
    public_key      BLOB NOT NULL,
    user_handle     BLOB NOT NULL,
    rp_id           TEXT NOT NULL,
    name            TEXT NOT NULL,
    aaguid          BLOB,
    transports      TEXT NOT NULL,
    counter         INTEGER NOT NULL,
    backup_eligible BOOLEAN NOT NULL,
    backed_up       BOOLEAN NOT NULL,
    created_at      INTEGER NOT NULL,
    last_used_at    INTEGER
);
CREATE UNIQUE INDEX auth_passkeys_by_credential ON auth_passkeys (credential_id);
CREATE INDEX auth_passkeys_by_user ON auth_passkeys (user_id);
",
        postgres: "\
-- One row for each passkey (specification §3.9). Times are in milliseconds since 1970.
CREATE TABLE auth_passkeys (
    id              text PRIMARY KEY,
    user_id         text NOT NULL,
    credential_id   bytea NOT NULL,
    public_key      bytea NOT NULL,
    user_handle     bytea NOT NULL,
    rp_id           text NOT NULL,
    name            text NOT NULL,
    aaguid          bytea,
    transports      text NOT NULL,
    counter         bigint NOT NULL,
    backup_eligible boolean NOT NULL,
    backed_up       boolean NOT NULL,
    created_at      bigint NOT NULL,
    last_used_at    bigint
);
CREATE UNIQUE INDEX auth_passkeys_by_credential ON auth_passkeys (credential_id);
CREATE INDEX auth_passkeys_by_user ON auth_passkeys (user_id);
",
        // `id` and `user_id` are binary for the same reason as in `auth_sessions`.
        mysql: "\
-- One row for each passkey (specification §3.9). Times are in milliseconds since 1970.
CREATE TABLE auth_passkeys (
    id              varbinary(64) PRIMARY KEY,
    user_id         varbinary(512) NOT NULL,
    credential_id   varbinary(1023) NOT NULL,
    public_key      blob NOT NULL,
    user_handle     varbinary(64) NOT NULL,
    rp_id           varchar(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name            varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    aaguid          binary(16),
    transports      varchar(512) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    counter         bigint NOT NULL,
    backup_eligible boolean NOT NULL,
    backed_up       boolean NOT NULL,
    created_at      bigint NOT NULL,
    last_used_at    bigint,
    UNIQUE INDEX auth_passkeys_by_credential (credential_id),
    INDEX auth_passkeys_by_user (user_id)
) ENGINE = InnoDB
",
    },
};

/// What is read of a row.
const COLUMNS: PerDialect = PerDialect {
    sqlite: "id, user_id, credential_id, public_key, user_handle, rp_id, name, aaguid, transports, counter, \
             backup_eligible, backed_up, created_at, last_used_at",
    postgres: "id, user_id, credential_id, public_key, user_handle, rp_id, name, aaguid, transports, counter, \
               backup_eligible, backed_up, created_at, last_used_at",
    mysql: "CONVERT(id USING utf8mb4) AS id, CONVERT(user_id USING utf8mb4) AS user_id, credential_id, public_key, \
            user_handle, rp_id, name, aaguid, transports, counter, backup_eligible, backed_up, created_at, last_used_at",
};

#[async_trait]
#[diagnostic::do_not_recommend]
impl PasskeyRepository for SqlPasskeys {
    async fn insert(&self, passkey: PasskeyRecord) -> Result<bool, RepositoryError> {
        let columns = [
            "id",
            "user_id",
            "credential_id",
            "public_key",
            "user_handle",
            "rp_id",
            "name",
            "aaguid",
            "transports",
            "counter",
            "backup_eligible",
            "backed_up",
            "created_at",
            "last_used_at",
        ];
        let insertion = self
            .rows
            .insertion(&columns, "credential_id")
            .with(passkey.id)
            .with(passkey.user_id)
            .with(passkey.credential_id)
            .with(passkey.public_key)
            .with(passkey.user_handle)
            .with(passkey.rp_id)
            .with(passkey.name)
            .with(passkey.aaguid.as_ref().map(<[u8; 16]>::as_slice))
            .with(passkey.transports.join(","))
            .with(passkey.counter)
            .with(passkey.backup_eligible)
            .with(passkey.backed_up)
            .with(milliseconds(passkey.created_at))
            .with(passkey.last_used_at.map(milliseconds));
        self.rows.insert(insertion, is_taken_key).await
    }

    async fn find_by_credential_id(
        &self,
        credential_id: &[u8],
    ) -> Result<Option<PasskeyRecord>, RepositoryError> {
        let select = self.rows.select("credential_id = ?").with(credential_id);
        Ok(self.rows.fetch(select, record).await?.pop())
    }

    async fn find_by_user(&self, user_id: &str) -> Result<Vec<PasskeyRecord>, RepositoryError> {
        self.rows.fetch(self.rows.select("user_id = ?").with(user_id), record).await
    }

    async fn record_use(
        &self,
        id: &str,
        expected: Option<u32>,
        seen: &PasskeyUse,
    ) -> Result<bool, RepositoryError> {
        let mut update = self
            .rows
            .update("counter = ?, backed_up = ?, last_used_at = ? WHERE id = ?")
            .with(seen.counter)
            .with(seen.backed_up)
            .with(milliseconds(seen.last_used_at))
            .with(id);
        if let Some(expected) = expected {
            update.push(" AND counter = ?");
            update.bind(expected);
        }
        self.rows.write(update).await
    }

    async fn rename(&self, user_id: &str, id: &str, name: &str) -> Result<bool, RepositoryError> {
        let update = self.rows.update("name = ? WHERE id = ? AND user_id = ?");
        self.rows.write(update.with(name).with(id).with(user_id)).await
    }

    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
        self.rows.delete(user_id, id).await
    }

    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
        self.rows.delete_all(user_id).await
    }
}

/// The passkey of a row.
fn record(row: &Row) -> Result<PasskeyRecord, RepositoryError> {
    let (id, user_id): (String, String) = (row.get("id")?, row.get("user_id")?);
    let [credential_id, public_key]: [Vec<u8>; 2] = [row.get("credential_id")?, row.get("public_key")?];
    let created_at = from_milliseconds(row.get("created_at")?);
    let mut record = PasskeyRecord::new(id, user_id, credential_id, public_key, created_at);
    record.user_handle = row.get("user_handle")?;
    record.rp_id = row.get("rp_id")?;
    record.name = row.get("name")?;
    record.aaguid = row.get::<Option<Vec<u8>>>("aaguid")?.as_deref().map(TryInto::try_into).transpose()?;
    let transports: String = row.get("transports")?;
    record.transports = transports.split(',').filter(|one| !one.is_empty()).map(str::to_owned).collect();
    record.counter = row.get::<i64>("counter")?.try_into()?;
    record.backup_eligible = row.get("backup_eligible")?;
    record.backed_up = row.get("backed_up")?;
    record.last_used_at = row.get::<Option<i64>>("last_used_at")?.map(from_milliseconds);
    Ok(record)
}
