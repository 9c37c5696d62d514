//! The user repository over SQL.

use super::database::{Database, IntoDatabase, PerDialect, Records, UserIn, Write, repository_error};
use super::identifier::{Identifier, InvalidIdentifier};
use super::schema::{Definition, Migration, Step};
use super::statement::Statement;
use super::taken::write_error;
use super::user_table::UserTable;
use crate::repository::RepositoryError;
use crate::repository::UserRepository;
use crate::user::{AuthUser, NewUser, UserChange, UserField, UserId, UserPatch};
use async_trait::async_trait;
use std::sync::Arc;

/// A [`UserRepository`] over a table of a database, for any struct that reads its rows (specification §22.1).
///
/// By default the table is `users` and its columns have the names of the struct's fields; [`table`](Self::table) and
/// [`column`](Self::column) change that. The struct's own `sqlx::FromRow` reads the rows. If a column has another name
/// than its field, the field also needs `#[sqlx(rename = "…")]`.
///
/// * `create` writes the name, the e-mail address, the password hash and the host's own columns
///   ([`NewUser::extra`]): strings, numbers, booleans and null as SQL values, arrays and objects as JSON text. All
///   other columns get the default of the table, and so does the id unless [`new_ids`](Self::new_ids) generates it.
/// * If the field of the password is an `Option`, an account without a password has NULL there, otherwise an empty text. The
///   table that [`migrate`](super::migrate) creates has the latter.
/// * `save` is one `UPDATE` that includes the patch's conditions.
/// * Times are written as `timestamptz` in PostgreSQL, as `datetime` in UTC in MySQL, and as TEXT in the form of RFC 3339
///   in SQLite. sqlx can read all of them into `chrono::DateTime<Utc>` and `time::OffsetDateTime`.
/// * If the struct has a user name, the table needs the column and a unique index on it, and a write fails with
///   [`RepositoryError::UsernameTaken`] if another record has the name. The table that [`migrate`](super::migrate) creates has no
///   such column; [`check`](Self::check) has the statements.
/// * A write fails with [`RepositoryError::EmailTaken`] if another record has the same address and a unique index
///   contains the e-mail column. The table must have such an index: without it, two concurrent registrations with one
///   address both succeed.
///
/// Clones share the pool.
#[derive(Clone)]
pub struct SqlUsers<U> {
    pub(super) database: Database,
    pub(super) records: Arc<dyn Records<U>>,
    pub(super) table: Arc<UserTable>,
    pub(super) new_ids: Option<Arc<dyn NewIds<U>>>,
}

pub(super) const TABLE: Definition = Definition { name: "users", migrations: &[CREATE] };

const CREATE: Migration = Migration {
    version: 1,
    step: Step::Create,
    sql: PerDialect {
        sqlite: "\
-- The nine fields of a user record (specification §2.1). Times are TEXT in the form of RFC 3339.
CREATE TABLE users (
    id                        TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    name                      TEXT NOT NULL,
    email                     TEXT NOT NULL UNIQUE,
    password                  TEXT NOT NULL,
    email_verified_at         TEXT,
    two_factor_secret         TEXT,
    two_factor_recovery_codes TEXT,
    two_factor_confirmed_at   TEXT,
    password_confirmed_at     TEXT
);
",
        postgres: "\
-- The nine fields of a user record (specification §2.1).
CREATE TABLE users (
    id                        text PRIMARY KEY DEFAULT replace(gen_random_uuid()::text, '-', ''),
    name                      text NOT NULL,
    email                     text NOT NULL UNIQUE,
    password                  text NOT NULL,
    email_verified_at         timestamptz,
    two_factor_secret         text,
    two_factor_recovery_codes text,
    two_factor_confirmed_at   timestamptz,
    password_confirmed_at     timestamptz
);
",
        mysql: "\
-- The nine fields of a user record (specification §2.1). Times are in UTC.
CREATE TABLE users (
    id                        varchar(64) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY
                              DEFAULT (replace(uuid(), '-', '')),
    name                      text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    email                     varchar(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL UNIQUE,
    password                  varchar(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    email_verified_at         datetime(6),
    two_factor_secret         text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    two_factor_recovery_codes text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    two_factor_confirmed_at   datetime(6),
    password_confirmed_at     datetime(6)
) ENGINE = InnoDB
",
    },
};

/// Generates ids. Neither this nor [`SqlUsers`] requires a user record by itself: if `U` is none, the compiler says so at
/// [`SqlUsers::new`] alone.
pub(super) trait NewIds<U>: Send + Sync {
    fn new_id(&self) -> U::Id
    where
        U: AuthUser;
}

impl<U: AuthUser, F: Fn() -> U::Id + Send + Sync> NewIds<U> for F {
    fn new_id(&self) -> U::Id {
        self()
    }
}

impl<U: AuthUser> SqlUsers<U> {
    /// The users in the table `users` of this database: a `SqlitePool`, `PgPool` or `MySqlPool`. The struct must implement
    /// `sqlx::FromRow` for it, and sqlx must be able to bind the id.
    #[must_use]
    pub fn new<P>(database: P) -> Self
    where
        P: IntoDatabase,
        U: UserIn<P>,
    {
        Self {
            records: U::records(&database),
            database: database.into_database(),
            table: Arc::new(
                UserTable::new(U::FIELD_NAMES)
                    .with_nullable_password(U::NULLABLE_PASSWORD)
                    .with_username(U::USERNAME),
            ),
            new_ids: None,
        }
    }

    /// Uses another table than `users`.
    ///
    /// # Errors
    /// If the name does not begin with an ASCII letter or `_`, or has other characters than ASCII letters, digits and
    /// `_`.
    pub fn table(mut self, name: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        Arc::make_mut(&mut self.table).rename(Identifier::new(name)?);
        Ok(self)
    }

    /// Uses another column for a field than the one with the name of the struct's field.
    ///
    /// # Errors
    /// If the name does not begin with an ASCII letter or `_`, or has other characters than ASCII letters, digits and
    /// `_`.
    pub fn column(mut self, field: UserField, name: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        Arc::make_mut(&mut self.table).rename_column(field, Identifier::new(name)?);
        Ok(self)
    }

    /// Generates the ids of new users, for a table that does not generate them itself: `.new_ids(Uuid::now_v7)`.
    #[must_use]
    pub fn new_ids(mut self, new_id: impl Fn() -> U::Id + Send + Sync + 'static) -> Self {
        self.new_ids = Some(Arc::new(new_id));
        self
    }
}

/// The address that a patch writes.
fn email_of<U: AuthUser>(patch: &UserPatch<U>) -> Option<&str> {
    patch.changes().iter().find_map(|change| match change {
        UserChange::Email(email) => Some(email.as_str()),
        _ => None,
    })
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> UserRepository for SqlUsers<U> {
    type User = U;

    async fn find_by_id(&self, id: &U::Id) -> Result<Option<U>, RepositoryError> {
        self.read(self.table.select_id(id)).await
    }

    /// An id is parsed from the text first; every other field is compared with the text itself.
    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<U>, RepositoryError> {
        if field != UserField::Id {
            return self.read(self.table.select(self.database.dialect(), field, value)).await;
        }
        match U::Id::from_text(value) {
            Some(id) => self.find_by_id(&id).await,
            None => Ok(None),
        }
    }

    async fn save(&self, patch: UserPatch<U>) -> Result<U, RepositoryError> {
        let dialect = self.database.dialect();
        let saved = match patch.changes() {
            [] => self.read(self.table.select_if(dialect, &patch)?).await?,
            _ => match self.write(self.table.update(dialect, &patch)?).await {
                Err(RepositoryError::UsernameTaken) => {
                    return Err(self.taken(email_of(&patch), Some(patch.id())).await?);
                }
                written => written?,
            },
        };
        if let Some(saved) = saved {
            return Ok(saved);
        }
        if !patch.conditions().is_empty() && self.find_by_id(patch.id()).await?.is_some() {
            return Err(RepositoryError::Stale);
        }
        Err(RepositoryError::other("there is no user with this id"))
    }

    async fn create(&self, user: NewUser) -> Result<U, RepositoryError> {
        let id = self.new_ids.as_ref().map(|ids| ids.new_id());
        let created = match self.write(self.table.insert(self.database.dialect(), id.as_ref(), &user)?).await
        {
            Err(RepositoryError::UsernameTaken) => return Err(self.taken(Some(&user.email), None).await?),
            created => created?,
        };
        // A trigger of the host can cause that with RAISE(IGNORE).
        created.ok_or_else(|| RepositoryError::other("the database did not insert the new user"))
    }
}

impl<U: AuthUser> SqlUsers<U> {
    /// Deletes the row of a user, and returns whether there was one. The library never calls this by itself: a host calls it after
    /// [`close_account`](crate::AuthModule::close_account), or has [`DeleteRecord`](crate::actions::DeleteRecord) call it.
    ///
    /// # Errors
    /// Those of the database, for example if a row of another table refers to this one.
    pub async fn delete(&self, id: &U::Id) -> Result<bool, RepositoryError> {
        self.records.delete(self.table.delete(id)).await.map_err(repository_error)
    }

    /// What a write reports whose user name is taken: the address first, if that is taken as well. A database names one of the two.
    async fn taken(
        &self,
        email: Option<&str>,
        own: Option<&U::Id>,
    ) -> Result<RepositoryError, RepositoryError> {
        let Some(email) = email else { return Ok(RepositoryError::UsernameTaken) };
        let other = self.find_by_field(UserField::Email, email).await?;
        let is_own = |user: &U| own.is_some_and(|own| own.to_text() == user.id().to_text());
        Ok(match other.filter(|user| !is_own(user)) {
            Some(_) => RepositoryError::EmailTaken,
            None => RepositoryError::UsernameTaken,
        })
    }

    async fn read(&self, read: Statement<U::Id>) -> Result<Option<U>, RepositoryError> {
        self.records.read(read).await.map_err(repository_error)
    }

    async fn write(&self, write: Write<U::Id>) -> Result<Option<U>, RepositoryError> {
        match self.records.write(write).await {
            Ok(written) => Ok(written),
            Err(error) => Err(write_error(&self.database, &self.table, error).await),
        }
    }
}
