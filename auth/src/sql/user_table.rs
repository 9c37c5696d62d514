//! The host's user table: its names, and the statements that read and write it.

use super::database::{Dialect, Write};
use super::identifier::Identifier;
use super::statement::{Statement, Value, columns, utc};
use crate::repository::RepositoryError;
use crate::user::{AuthUser, FieldNames, NewUser, UserChange, UserField, UserPatch, UsernameField};
use serde_json::Value as Json;

/// The table that `migrate` creates.
const DEFAULT_NAME: &str = "users";

/// The names of the table and its columns.
///
/// Statements qualify a column that they read with its table. SQLite interprets a quoted name that is not a column,
/// such as `"emial"`, as a string; the statement would find no record instead of failing.
#[derive(Clone)]
pub(super) struct UserTable {
    name: Identifier,
    fields: FieldNames,
    renamed: Vec<(UserField, Identifier)>,
    /// Whether the column of the password has null where there is no password.
    nullable_password: bool,
    username: UsernameField,
}

impl UserTable {
    /// The table `users`, whose columns have the names of the host's fields.
    pub(super) const fn new(fields: FieldNames) -> Self {
        let name = Identifier::from_source(DEFAULT_NAME);
        let username = UsernameField::Absent;
        Self { name, fields, renamed: Vec::new(), nullable_password: false, username }
    }

    /// Whether the record has a user name.
    pub(super) const fn with_username(mut self, username: UsernameField) -> Self {
        self.username = username;
        self
    }

    /// The fields that the record has.
    pub(super) fn record(&self) -> impl Iterator<Item = UserField> + Clone {
        UserField::of_record(self.username)
    }

    /// Whether the record has this field.
    pub(super) fn has(&self, field: UserField) -> bool {
        self.record().any(|known| known == field)
    }

    /// Whether the user name can be null.
    pub(super) const fn has_nullable_username(&self) -> bool {
        matches!(self.username, UsernameField::Optional)
    }

    /// Whether an account without a password has null there, instead of an empty text.
    pub(super) const fn with_nullable_password(mut self, nullable_password: bool) -> Self {
        self.nullable_password = nullable_password;
        self
    }

    /// Whether null must be possible in the column of the password.
    pub(super) const fn has_nullable_password(&self) -> bool {
        self.nullable_password
    }

    /// Renames the table.
    pub(super) fn rename(&mut self, name: Identifier) {
        self.name = name;
    }

    /// Renames the column of a field.
    pub(super) fn rename_column(&mut self, field: UserField, name: Identifier) {
        self.renamed.retain(|(renamed, _)| *renamed != field);
        self.renamed.push((field, name));
    }

    /// The name of the table.
    pub(super) const fn name(&self) -> &Identifier {
        &self.name
    }

    /// Whether it is the table that `migrate` creates.
    pub(super) fn has_default_name(&self) -> bool {
        self.name.as_str() == DEFAULT_NAME
    }

    /// The column of a field.
    pub(super) fn column(&self, field: UserField) -> Identifier {
        let renamed = self.renamed.iter().find(|(renamed, _)| *renamed == field);
        renamed.map_or_else(|| Identifier::from_source(self.fields.of(field)), |(_, name)| name.clone())
    }

    /// Selects the record whose field has this text.
    pub(super) fn select<Id>(&self, dialect: Dialect, field: UserField, text: &str) -> Statement<Id> {
        let column = self.qualified(field);
        let mut statement = Statement::new(format!("SELECT * FROM {} WHERE {column} = ?", self.name));
        statement.bind(text);
        if dialect.is_mysql() {
            // The first condition uses the index. Its collation may ignore case, accents and trailing spaces.
            statement.push(&format!(" AND {}", dialect.is_same_text(&column)));
            statement.bind(text);
        }
        statement.push(" LIMIT 1");
        statement
    }

    /// Selects any record.
    pub(super) fn select_any<Id>(&self) -> Statement<Id> {
        Statement::new(format!("SELECT * FROM {} LIMIT 1", self.name))
    }

    /// Selects the record with this id.
    pub(super) fn select_id<Id: Clone>(&self, id: &Id) -> Statement<Id> {
        let column = self.qualified(UserField::Id);
        let mut statement = Statement::new(format!("SELECT * FROM {} WHERE {column} = ?", self.name));
        statement.bind_id(id.clone());
        statement
    }

    /// Deletes the record with this id.
    pub(super) fn delete<Id: Clone>(&self, id: &Id) -> Statement<Id> {
        let column = self.qualified(UserField::Id);
        let mut statement = Statement::new(format!("DELETE FROM {} WHERE {column} = ?", self.name));
        statement.bind_id(id.clone());
        statement
    }

    /// Writes the changes of a patch, if its conditions hold, and returns the record. The patch has at least one change.
    pub(super) fn update<U: AuthUser>(
        &self,
        dialect: Dialect,
        patch: &UserPatch<U>,
    ) -> Result<Write<U::Id>, RepositoryError> {
        let mut statement = Statement::new(format!("UPDATE {}", self.name));
        let mut separator = " SET";
        for change in patch.changes() {
            statement.push(&format!("{separator} {} = ?", self.column(change.field())));
            statement.bind(self.value(change)?);
            separator = ",";
        }
        statement.push(&format!(" WHERE {} = ?", self.qualified(UserField::Id)));
        statement.bind_id(patch.id().clone());
        self.expect(dialect, &mut statement, patch)?;
        Ok(Self::returning(dialect, statement, || self.select_id(patch.id())))
    }

    /// Selects the record of a patch without changes, if its conditions hold.
    pub(super) fn select_if<U: AuthUser>(
        &self,
        dialect: Dialect,
        patch: &UserPatch<U>,
    ) -> Result<Statement<U::Id>, RepositoryError> {
        let mut statement = self.select_id(patch.id());
        self.expect(dialect, &mut statement, patch)?;
        Ok(statement)
    }

    /// Inserts a record, with this id or one that the table generates, and returns it.
    ///
    /// Fails if the name of an extra field is not allowed for a column, or is the column of one of the nine fields,
    /// which only the library writes.
    pub(super) fn insert<Id: Clone>(
        &self,
        dialect: Dialect,
        id: Option<&Id>,
        user: &NewUser,
    ) -> Result<Write<Id>, RepositoryError> {
        let extra = user.extra.iter().map(|(name, value)| Ok((self.extra_column(name)?, value)));
        let extra: Vec<(Identifier, &Json)> = extra.collect::<Result<_, RepositoryError>>()?;
        let username = user.username.as_deref();
        if username.is_some() && !self.has(UserField::Username) {
            return Err(RepositoryError::other("the user record has no user name"));
        }
        let named = [UserField::Name, UserField::Email, UserField::Password].into_iter();
        let named: Vec<_> = named
            .chain(username.is_some().then_some(UserField::Username))
            .map(|field| self.column(field))
            .collect();
        let id_column = id.map(|_| self.column(UserField::Id));
        let all = id_column.iter().chain(&named).chain(extra.iter().map(|(column, _)| column));
        let all: Vec<_> = all.collect();
        let mut statement = Statement::new(format!("INSERT INTO {} ({})", self.name, columns(&all)));
        if let Some(id) = id {
            statement.bind_id(id.clone());
        }
        for text in [&user.name, &user.email] {
            statement.bind(text.as_str());
        }
        statement.bind(self.password(&user.password));
        if let Some(username) = username {
            statement.bind(username);
        }
        let first = vec!["?"; named.len() + id.iter().len()].join(", ");
        match dialect {
            // PostgreSQL converts nothing by itself. This function converts JSON to the types of the table's columns.
            Dialect::Postgres if !extra.is_empty() => {
                let read: Vec<_> = extra.iter().map(|(column, _)| format!("extra.{column}")).collect();
                statement.push(&format!(
                    " SELECT {first}, {} FROM json_populate_record(NULL::{}, CAST(? AS json)) AS extra",
                    read.join(", "),
                    self.name
                ));
                statement.bind(Json::Object(user.extra.clone()).to_string());
            }
            _ => {
                for (_, value) in &extra {
                    statement.bind(Value::of_json(value)?);
                }
                statement.push(&format!(" VALUES ({first}{})", ", ?".repeat(extra.len())));
            }
        }
        Ok(Self::returning(dialect, statement, || match id {
            Some(id) => self.select_id(id),
            None => self.select(dialect, UserField::Email, &user.email),
        }))
    }

    /// Returns the record that a statement writes: with `RETURNING`, or by reading it again.
    fn returning<Id>(
        dialect: Dialect,
        mut write: Statement<Id>,
        read: impl FnOnce() -> Statement<Id>,
    ) -> Write<Id> {
        if dialect.is_mysql() {
            return Write { write, read: Some(read()) };
        }
        write.push(" RETURNING *");
        Write { write, read: None }
    }

    /// The column of a field, qualified with its table.
    fn qualified(&self, field: UserField) -> String {
        format!("{}.{}", self.name, self.column(field))
    }

    fn extra_column(&self, name: &str) -> Result<Identifier, RepositoryError> {
        let column = Identifier::new(name)?;
        if self.record().any(|field| self.column(field).is(name)) {
            return Err(RepositoryError::other(format!(
                "`{name}` is a column of the library and cannot be an extra field"
            )));
        }
        Ok(column)
    }

    /// Appends the conditions of a patch. The expected value can be null.
    fn expect<U: AuthUser>(
        &self,
        dialect: Dialect,
        statement: &mut Statement<U::Id>,
        patch: &UserPatch<U>,
    ) -> Result<(), RepositoryError> {
        for condition in patch.conditions() {
            let column = self.qualified(condition.field());
            let value: Value<_> = self.value(condition)?;
            let is_same = match value {
                // NULL and the empty text both mean that there is no password, and a row of the host may have either.
                Value::Text(None) if condition.field() == UserField::Password => {
                    format!("({} OR {column} = '')", dialect.is_same_text(&column))
                }
                Value::Text(_) => dialect.is_same_text(&column),
                _ => dialect.is_same(&column),
            };
            statement.push(&format!(" AND {is_same}"));
            statement.bind(value);
        }
        Ok(())
    }

    /// What the column of a changed field gets.
    fn value<Id>(&self, change: &UserChange) -> Result<Value<Id>, RepositoryError> {
        Ok(match change {
            UserChange::Name(text) | UserChange::Email(text) => text.as_str().into(),
            UserChange::Password(text) => self.password(text),
            UserChange::TwoFactorSecret(text)
            | UserChange::TwoFactorRecoveryCodes(text)
            | UserChange::Username(text) => text.as_deref().into(),
            UserChange::EmailVerifiedAt(time)
            | UserChange::TwoFactorConfirmedAt(time)
            | UserChange::PasswordConfirmedAt(time) => time.map(utc).transpose()?.into(),
        })
    }

    /// What the column of the password gets.
    fn password<Id>(&self, hash: &str) -> Value<Id> {
        match self.nullable_password && hash.is_empty() {
            true => Value::Text(None),
            false => hash.into(),
        }
    }
}

#[cfg(test)]
#[cfg(all(feature = "sqlite", feature = "postgres", feature = "mysql"))]
mod tests {
    use super::*;
    use crate::AuthUser;

    #[derive(Clone, AuthUser)]
    struct Account {
        id: i64,
        #[auth(name)]
        display_name: String,
        email: String,
        #[auth(password)]
        password_hash: String,
        email_verified_at: Option<std::time::SystemTime>,
        two_factor_secret: Option<String>,
        two_factor_recovery_codes: Option<String>,
        two_factor_confirmed_at: Option<std::time::SystemTime>,
        password_confirmed_at: Option<std::time::SystemTime>,
    }

    fn table() -> UserTable {
        UserTable::new(Account::FIELD_NAMES)
    }

    /// The texts of a statement for SQLite and MySQL, as they are rendered.
    fn texts(statement: impl Fn(Dialect) -> String) -> [String; 3] {
        [Dialect::Sqlite, Dialect::Postgres, Dialect::MySql].map(|dialect| dialect.render(statement(dialect)))
    }

    #[test]
    fn a_record_is_found_by_a_qualified_column() {
        let found =
            texts(|dialect| table().select::<i64>(dialect, UserField::Email, "a@b.co").sql().to_owned());
        assert_eq!(
            found,
            [
                r#"SELECT * FROM "users" WHERE "users"."email" = ? LIMIT 1"#,
                r#"SELECT * FROM "users" WHERE "users"."email" = $1 LIMIT 1"#,
                "SELECT * FROM `users` WHERE `users`.`email` = ? \
                 AND CAST(CONVERT(`users`.`email` USING utf8mb4) AS BINARY) <=> CAST(? AS BINARY) LIMIT 1",
            ]
        );
    }

    #[test]
    fn a_conditional_patch_is_one_update() {
        let patch = UserPatch::<Account>::new(1)
            .with(UserChange::Password("new".to_owned()))
            .with(UserChange::TwoFactorSecret(None))
            .only_if(UserChange::Password("old".to_owned()));
        let updates = texts(|dialect| table().update(dialect, &patch).unwrap().write.sql().to_owned());
        assert_eq!(
            updates,
            [
                r#"UPDATE "users" SET "password_hash" = ?, "two_factor_secret" = ? WHERE "users"."id" = ? "#
                    .to_owned()
                    + r#"AND "users"."password_hash" IS NOT DISTINCT FROM ? RETURNING *"#,
                r#"UPDATE "users" SET "password_hash" = $1, "two_factor_secret" = $2 WHERE "users"."id" = $3 "#
                    .to_owned()
                    + r#"AND "users"."password_hash" IS NOT DISTINCT FROM $4 RETURNING *"#,
                "UPDATE `users` SET `password_hash` = ?, `two_factor_secret` = ? WHERE `users`.`id` = ? \
                 AND CAST(CONVERT(`users`.`password_hash` USING utf8mb4) AS BINARY) <=> CAST(? AS BINARY)"
                    .to_owned(),
            ]
        );
    }

    #[test]
    fn a_password_that_can_be_null_is_null_or_empty_where_there_is_none() {
        let patch = UserPatch::<Account>::new(1)
            .with(UserChange::Password(String::new()))
            .only_if(UserChange::Password(String::new()));
        let table = table().with_nullable_password(true);
        let update = table.update(Dialect::Sqlite, &patch).unwrap().write;
        assert_eq!(
            update.sql(),
            r#"UPDATE "users" SET "password_hash" = ? WHERE "users"."id" = ? "#.to_owned()
                + r#"AND ("users"."password_hash" IS NOT DISTINCT FROM ? OR "users"."password_hash" = '') RETURNING *"#
        );
        let (_, values) = update.into_parts();
        assert!(matches!(values[..], [Value::Text(None), Value::Id(1), Value::Text(None)]));
    }

    #[test]
    fn a_patch_without_changes_is_a_select() {
        let patch = UserPatch::<Account>::new(1).only_if(UserChange::Password("old".to_owned()));
        let expected = r#"SELECT * FROM "users" WHERE "users"."id" = ? "#.to_owned()
            + r#"AND "users"."password_hash" IS NOT DISTINCT FROM ?"#;
        assert_eq!(table().select_if(Dialect::Sqlite, &patch).unwrap().sql(), expected);
    }

    #[test]
    fn a_new_record_has_the_hosts_own_columns_after_the_librarys() {
        let user = NewUser::new("A", "a@b.co", "hash").with_extra("plan", "free");
        let mut table = table();
        table.rename(Identifier::new("order").unwrap());
        table.rename_column(UserField::Email, Identifier::new("mail").unwrap());
        let inserts =
            texts(|dialect| table.insert::<i64>(dialect, None, &user).unwrap().write.sql().to_owned());
        let names = r#"INSERT INTO "order" ("display_name", "mail", "password_hash", "plan") "#;
        assert_eq!(
            inserts,
            [
                format!("{names}VALUES (?, ?, ?, ?) RETURNING *"),
                format!(
                    "{names}SELECT $1, $2, $3, extra.\"plan\" FROM json_populate_record(NULL::\"order\", \
                     CAST($4 AS json)) AS extra RETURNING *"
                ),
                format!("{names}VALUES (?, ?, ?, ?)").replace('"', "`"),
            ]
        );
        let with_id = table.insert(Dialect::Sqlite, Some(&1_i64), &user).unwrap();
        let sql = with_id.write.sql();
        assert!(sql.starts_with(r#"INSERT INTO "order" ("id", "display_name", "#), "{sql}");
    }

    #[test]
    fn an_extra_field_cannot_be_one_of_the_nine_columns() {
        for name in ["id", "EMAIL", "display_name", "password_hash", "two_factor_secret", "plan\") --", ""] {
            let user = NewUser::new("A", "a@b.co", "hash").with_extra(name, "x");
            assert!(table().insert::<i64>(Dialect::Sqlite, None, &user).is_err(), "{name}");
        }
    }
}
