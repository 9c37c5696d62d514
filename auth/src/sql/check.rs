//! Compares a table of users with what the library needs.

mod addresses;
mod reading;

use super::database::{Database, Dialect, PerDialect};
use super::identifier::Identifier;
use super::indexes::unique_indexes;
use super::statement::Statement;
use super::user_table::UserTable;
use super::users::SqlUsers;
use crate::telemetry::{Sentence, log};
use crate::user::{AuthUser, UserField};
#[cfg(feature = "command")]
use crate::{sql::identifier::InvalidIdentifier, user::FieldNames};
use std::fmt;

/// Why [`SqlUsers::check`] does not accept the table of users.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The table lacks something.
    #[error(transparent)]
    UsersDiffer(#[from] UsersDiffer),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// What `Display` writes, because `main` prints its error with `Debug`.
impl fmt::Debug for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a table of users lacks. `Display` and `Debug` write a sentence for each difference, and below them the SQL
/// statements that remove it.
///
/// ```text
/// the table "members" cannot be used yet:
/// - the column "two_factor_secret" is missing (or named otherwise: see `SqlUsers::column`)
/// - 2 addresses have capitals, spaces or characters outside ASCII: their users could not log in
/// - no unique index has "email" as its only column: two registrations at once could create the same address twice
///
/// ALTER TABLE "members" ADD COLUMN "two_factor_secret" TEXT;
/// UPDATE "members" SET "email" = lower(trim("email"));
/// CREATE UNIQUE INDEX "members_email" ON "members" ("email");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct UsersDiffer {
    table: String,
    differences: Vec<Difference>,
}

#[derive(Clone, PartialEq, Eq)]
struct Difference {
    /// The column that it is about, if it is about one.
    column: Option<String>,
    sentence: String,
    /// The statement that removes it, if there is one.
    sql: Option<String>,
}

impl std::error::Error for UsersDiffer {}

impl fmt::Display for UsersDiffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the table {} cannot be used yet:", self.table)?;
        for Difference { sentence, .. } in &self.differences {
            write!(f, "\n- {sentence}")?;
        }
        let mut separator = "\n\n";
        for sql in self.differences.iter().filter_map(|difference| difference.sql.as_deref()) {
            write!(f, "{separator}{sql};")?;
            separator = "\n";
        }
        Ok(())
    }
}

/// What `Display` writes, because `main` prints its error with `Debug`.
impl fmt::Debug for UsersDiffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(feature = "command")]
impl UsersDiffer {
    /// The differences as SQL, in which the sentences are comments.
    pub(crate) fn as_sql(&self) -> String {
        let mut text = format!("-- the table {} cannot be used yet:\n", self.table);
        for Difference { sentence, .. } in &self.differences {
            text += &format!("-- - {sentence}\n");
        }
        for sql in self.differences.iter().filter_map(|difference| difference.sql.as_deref()) {
            text += &format!("{sql};\n");
        }
        text
    }
}

/// A check of a table without the host's struct.
#[cfg(feature = "command")]
pub(crate) struct TableCheck {
    table: UserTable,
    new_ids: bool,
}

#[cfg(feature = "command")]
impl TableCheck {
    /// Of this table instead of `users`, with these columns instead of the standard names. `new_ids`: whether the host
    /// generates the ids.
    pub(crate) fn new(
        table: Option<String>,
        columns: Vec<(UserField, String)>,
        new_ids: bool,
    ) -> Result<Self, InvalidIdentifier> {
        let mut users = UserTable::new(FieldNames::STANDARD);
        if let Some(name) = table {
            users.rename(Identifier::new(name)?);
        }
        for (field, name) in columns {
            users.rename_column(field, Identifier::new(name)?);
        }
        Ok(Self { table: users, new_ids })
    }

    /// The name of the table, in quotes.
    pub(crate) fn name(&self) -> String {
        self.table.name().to_string()
    }

    /// What the table lacks.
    pub(crate) async fn run(&self, database: &Database) -> Result<Option<UsersDiffer>, sqlx::Error> {
        differences(database, &self.table, self.new_ids).await
    }
}

impl<U: AuthUser> SqlUsers<U> {
    /// Compares the table with what the library needs: the nine columns, null where it must be possible (also in the column of the password, if its field is an `Option`), a default for the
    /// id (unless [`new_ids`](Self::new_ids) generates it), room for a password hash, a unique index on the e-mail address, and
    /// addresses in their canonical form (specification §7.3). It reads all addresses. Call it when the host starts, or in a test.
    ///
    /// It also reads one row into the struct. So it finds a field without a column, and an id or another field whose type is not
    /// that of its column. In an empty table it inserts a user and takes that back, which may skip an id. Two things stay unknown in an
    /// empty table: what a table of MySQL without transactions holds, and what columns or triggers of the host's hold that refuse
    /// the user.
    ///
    /// Columns of the host's that are `NOT NULL` without a default are no difference, because an action can give them in
    /// [`NewUser::extra`](crate::user::NewUser::extra). A line in the log (`auth.columns-to-fill`) names them. Another one
    /// (`auth.addresses-unverified`) has the number of users without `emailVerifiedAt`: read it before you enable EMAIL_LOGIN.
    ///
    /// # Errors
    /// [`UsersDiffer`], with the statements that remove the differences, or the error of the database.
    pub async fn check(&self) -> Result<(), CheckError> {
        let mut found = inspect(&self.database, &self.table, self.new_ids.is_some()).await?;
        if !found.to_fill.is_empty() {
            log::columns_to_fill(Sentence(&found.to_fill.join(", ")));
        }
        match self.unreadable().await {
            Ok(unreadable) => found.add(unreadable),
            // The table itself cannot be read, which the differences explain.
            Err(sqlx::Error::Database(_)) if !found.differences.is_empty() => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(differ) = found.differ(&self.table) {
            return Err(differ.into());
        }
        let unverified = addresses::unverified(&self.database, &self.table).await?;
        if unverified > 0 {
            log::addresses_unverified(unverified.unsigned_abs());
        }
        Ok(())
    }
}

/// What the table lacks. `new_ids`: whether the host generates the ids.
pub(super) async fn differences(
    database: &Database,
    table: &UserTable,
    new_ids: bool,
) -> Result<Option<UsersDiffer>, sqlx::Error> {
    Ok(inspect(database, table, new_ids).await?.differ(table))
}

/// What the description of a table and its addresses show.
struct Found {
    differences: Vec<Difference>,
    /// The columns of the host's that only an action can fill.
    to_fill: Vec<String>,
}

impl Found {
    /// Adds a difference, unless another one is about the same column.
    fn add(&mut self, difference: Option<Difference>) {
        let Some(new) = difference else { return };
        let is_known = |known: &Difference| known.column.is_some() && known.column == new.column;
        if !self.differences.iter().any(is_known) {
            self.differences.push(new);
        }
    }

    fn differ(self, table: &UserTable) -> Option<UsersDiffer> {
        let (table, differences) = (table.name().to_string(), self.differences);
        (!differences.is_empty()).then_some(UsersDiffer { table, differences })
    }
}

async fn inspect(database: &Database, table: &UserTable, new_ids: bool) -> Result<Found, sqlx::Error> {
    let check = Check { dialect: database.dialect(), table };
    let columns = columns(database, table.name()).await?;
    let differences = if columns.is_empty() {
        let sentence = match table.has_default_name() {
            true => {
                "the table does not exist: `axum_auth_module::sql::migrate` creates it, and `SqlUsers::table` names another one"
            }
            false => "the table does not exist",
        };
        vec![Difference { column: None, sentence: sentence.to_owned(), sql: None }]
    } else {
        let column_of = |field| columns.iter().find(|column| check.is_of(field, column));
        let mut differences: Vec<_> =
            table.record().filter_map(|field| check.column(field, column_of(field), new_ids)).collect();
        if column_of(UserField::Email).is_some() {
            // Before the index, which two forms of one address would not disturb.
            let not_canonical = addresses::not_canonical(database, table).await?;
            differences.extend((not_canonical > 0).then(|| check.addresses(not_canonical)));
        }
        let indexes = unique_indexes(database, table.name()).await?;
        let is_unique = |field| indexes.iter().any(|index| index.is_only_on(&table.column(field)));
        let unique = [UserField::Email, UserField::Username].into_iter();
        // A column that is missing has no index, and the statement that adds it comes first.
        let missing = unique.filter(|field| table.has(*field) && !is_unique(*field));
        let missing = missing.filter(|field| *field != UserField::Email || column_of(*field).is_some());
        differences.extend(missing.map(|field| check.no_unique_index(field)));
        differences
    };
    let to_fill = columns.iter().filter(|column| check.is_to_fill(column)).map(|column| column.name.clone());
    Ok(Found { differences, to_fill: to_fill.collect() })
}

/// The most characters that a stored password hash has.
const HASH: u32 = 128;

struct Check<'t> {
    dialect: Dialect,
    table: &'t UserTable,
}

impl Check<'_> {
    /// Whether this is the column of the field.
    fn is_of(&self, field: UserField, column: &Column) -> bool {
        let name = self.table.column(field);
        match self.dialect {
            Dialect::Postgres => name.as_str() == column.name,
            Dialect::Sqlite | Dialect::MySql => name.is(&column.name),
        }
    }

    /// Whether it is the host's own, and a new row needs a value for it.
    fn is_to_fill(&self, column: &Column) -> bool {
        let is_own = !self.table.record().any(|field| self.is_of(field, column));
        is_own && !column.nullable && !column.has_default
    }

    /// What is wrong with the column of a field.
    fn column(&self, field: UserField, column: Option<&Column>, new_ids: bool) -> Option<Difference> {
        let name = self.table.column(field);
        let of_column = Some(name.as_str().to_owned());
        let kind = match field {
            UserField::Username if !self.table.has_nullable_username() => Kind::Text,
            _ => Kind::of(field),
        };
        let Some(column) = column else {
            let sentence =
                format!("the column {name} is missing (or named otherwise: see `SqlUsers::column`)");
            let add = |definition| self.alter(&format!("ADD COLUMN {name} {definition}"));
            return Some(Difference {
                column: of_column,
                sentence,
                sql: kind.definition(self.dialect).map(add),
            });
        };
        match kind {
            Kind::Id if !column.has_default && !new_ids => Some(Difference {
                column: of_column,
                sentence: format!(
                    "the column {name} has no default, so a new user would have no id; generate it with `.new_ids(…)`"
                ),
                sql: None,
            }),
            Kind::Text if field == UserField::Password && self.lacks_null(column) => Some(Difference {
                column: of_column,
                sentence: format!(
                    "the column {name} is NOT NULL, but the field is optional: an account without a password has null there"
                ),
                sql: self.drop_not_null(&name, column),
            }),
            Kind::Text if field == UserField::Password => self.too_short_for_hashes(&name, column),
            Kind::NullableText | Kind::Name | Kind::Time if !column.nullable => Some(Difference {
                column: of_column,
                sentence: format!("the column {name} is NOT NULL, but null must be possible"),
                sql: self.drop_not_null(&name, column),
            }),
            Kind::Time if self.has_no_time_zone(column) => {
                Some(Difference {
                    column: of_column,
                    sentence: format!("the column {name} has no time zone"),
                    sql: Some(self.alter(&format!(
                        "ALTER COLUMN {name} TYPE timestamptz USING {name} AT TIME ZONE 'UTC'"
                    ))),
                })
            }
            _ => None,
        }
    }

    /// Whether the column of the password cannot have the null of the struct's field.
    fn lacks_null(&self, column: &Column) -> bool {
        self.table.has_nullable_password() && !column.nullable
    }

    /// A hash of bcrypt has 60 characters, one of Argon2id 97, and one with a pepper up to 128. SQLite ignores the length.
    fn too_short_for_hashes(&self, name: &Identifier, column: &Column) -> Option<Difference> {
        let (ty, rest) = column.type_name.split_once('(')?;
        let length = rest.split(')').next()?.parse::<u32>().ok()?;
        if self.dialect == Dialect::Sqlite || length >= HASH {
            return None;
        }
        let ty = if ty.contains("binary") { "varbinary(255)" } else { "varchar(255)" };
        let null = if column.nullable { "NULL" } else { "NOT NULL" };
        Some(Difference {
            column: Some(name.as_str().to_owned()),
            sentence: format!(
                "the column {name} has room for {length} characters, but a password hash has up to {HASH}"
            ),
            sql: Some(match self.dialect {
                Dialect::MySql => self.alter(&format!("MODIFY {name} {ty} {null}")),
                Dialect::Postgres | Dialect::Sqlite => self.alter(&format!("ALTER COLUMN {name} TYPE {ty}")),
            }),
        })
    }

    /// PostgreSQL has two types of times, and converts between them with the time zone of the connection.
    fn has_no_time_zone(&self, column: &Column) -> bool {
        self.dialect == Dialect::Postgres && column.type_name.contains("without time zone")
    }

    fn drop_not_null(&self, name: &Identifier, column: &Column) -> Option<String> {
        match self.dialect {
            // SQLite cannot change a column. The host has to create the table again.
            Dialect::Sqlite => None,
            Dialect::Postgres => Some(self.alter(&format!("ALTER COLUMN {name} DROP NOT NULL"))),
            Dialect::MySql => Some(self.alter(&format!("MODIFY {name} {} NULL", column.type_name))),
        }
    }

    fn no_unique_index(&self, field: UserField) -> Difference {
        let (table, column) = (self.table.name(), self.table.column(field));
        let index = Identifier::from_owned(format!("{}_{}", table.as_str(), column.as_str()));
        let what = if field == UserField::Username { "user name" } else { "address" };
        Difference {
            column: None,
            sentence: format!(
                "no unique index has {column} as its only column: two registrations at once could create the same {what} \
                 twice"
            ),
            sql: Some(self.dialect.render(format!("CREATE UNIQUE INDEX {index} ON {table} ({column})"))),
        }
    }

    fn addresses(&self, number: i64) -> Difference {
        let (table, email) = (self.table.name(), self.table.column(UserField::Email));
        let (subject, whose) = if number == 1 {
            ("1 address has", "its user")
        } else {
            (&*format!("{number} addresses have"), "their users")
        };
        Difference {
            column: None,
            sentence: format!(
                "{subject} capitals, spaces or characters outside ASCII: {whose} could not log in"
            ),
            sql: Some(self.dialect.render(format!("UPDATE {table} SET {email} = lower(trim({email}))"))),
        }
    }

    fn alter(&self, change: &str) -> String {
        self.dialect.render(format!("ALTER TABLE {} {change}", self.table.name()))
    }
}

/// What the library stores in a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Id,
    Text,
    NullableText,
    /// A short text that can be null, with a unique index.
    Name,
    Time,
}

impl Kind {
    const fn of(field: UserField) -> Self {
        match field {
            UserField::Id => Self::Id,
            UserField::Name | UserField::Email | UserField::Password => Self::Text,
            UserField::TwoFactorSecret | UserField::TwoFactorRecoveryCodes => Self::NullableText,
            UserField::Username => Self::Name,
            UserField::EmailVerifiedAt | UserField::TwoFactorConfirmedAt | UserField::PasswordConfirmedAt => {
                Self::Time
            }
        }
    }

    /// How a column of this kind is added to a table that has rows. Nobody can add an id, a name or an address to them.
    const fn definition(self, dialect: Dialect) -> Option<&'static str> {
        match self {
            Self::Id | Self::Text => None,
            Self::Name => {
                let mysql = "varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
                Some(dialect.choose(PerDialect { sqlite: "TEXT", postgres: "text", mysql }))
            }
            Self::NullableText => {
                Some(dialect.choose(PerDialect { sqlite: "TEXT", postgres: "text", mysql: "text" }))
            }
            Self::Time => {
                let types = PerDialect { sqlite: "TEXT", postgres: "timestamptz", mysql: "datetime(6)" };
                Some(dialect.choose(types))
            }
        }
    }
}

/// A column as the database describes it.
struct Column {
    name: String,
    nullable: bool,
    has_default: bool,
    type_name: String,
}

/// The columns of a table; none if it does not exist.
async fn columns(database: &Database, table: &Identifier) -> Result<Vec<Column>, sqlx::Error> {
    let statement = match database.dialect() {
        Dialect::Sqlite => Statement::new(
            "SELECT name, \"notnull\" = 0 AS nullable, type, \
             dflt_value IS NOT NULL OR (pk = 1 AND lower(type) = 'integer') AS has_default \
             FROM pragma_table_info(?)",
        )
        .with(table.as_str()),
        Dialect::Postgres => Statement::new(
            "SELECT CAST(attname AS text) AS name, CAST(CAST(NOT attnotnull AS int) AS bigint) AS nullable, \
             format_type(atttypid, atttypmod) AS type, \
             CAST(CAST(atthasdef OR attidentity <> '' AS int) AS bigint) AS has_default \
             FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped",
        )
        .with(table.to_string()),
        Dialect::MySql => Statement::new(
            "SELECT CAST(column_name AS CHAR) AS name, CAST(is_nullable = 'YES' AS SIGNED) AS nullable, \
             CAST(column_type AS CHAR) AS type, \
             CAST(column_default IS NOT NULL OR extra LIKE '%auto_increment%' OR extra LIKE '%GENERATED%' AS SIGNED) \
             AS has_default \
             FROM information_schema.columns WHERE table_schema = database() AND table_name = ?",
        )
        .with(table.as_str()),
    };
    let rows = database.fetch(statement).await?;
    let column = |row: &super::database::Row| {
        Ok(Column {
            name: row.get("name")?,
            nullable: row.get::<i64>("nullable")? != 0,
            has_default: row.get::<i64>("has_default")? != 0,
            type_name: row.get("type")?,
        })
    };
    rows.iter().map(column).collect()
}

/// Whether a table exists.
pub(super) async fn exists(database: &Database, table: &str) -> Result<bool, sqlx::Error> {
    Ok(!columns(database, &Identifier::from_owned(table.to_owned())).await?.is_empty())
}
