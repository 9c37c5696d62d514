//! The host's user table: its names, and the statements that read and write it.

use super::identifier::Identifier;
use super::statement::Statement;
use crate::repository::RepositoryError;
use crate::user::{AuthUser, FieldNames, NewUser, UserChange, UserField, UserPatch};
use sqlx::{Encode, Sqlite, Type};

/// The names of the table and its columns.
///
/// Statements qualify a column that they read with its table. SQLite interprets a quoted name that is not a column,
/// such as `"emial"`, as a string; the statement would find no record instead of failing.
#[derive(Clone)]
pub(super) struct UserTable {
    name: Identifier,
    fields: FieldNames,
    renamed: Vec<(UserField, Identifier)>,
}

impl UserTable {
    /// The table `users`, whose columns have the names of the host's fields.
    pub(super) const fn new(fields: FieldNames) -> Self {
        Self { name: Identifier::from_source("users"), fields, renamed: Vec::new() }
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

    /// The column of a field.
    pub(super) fn column(&self, field: UserField) -> Identifier {
        let renamed = self.renamed.iter().find(|(renamed, _)| *renamed == field);
        renamed.map_or_else(|| Identifier::from_source(self.fields.of(field)), |(_, name)| name.clone())
    }

    /// Selects the record whose field has this value.
    pub(super) fn select<'q, T>(&self, field: UserField, value: T) -> Result<Statement, RepositoryError>
    where
        T: Encode<'q, Sqlite> + Type<Sqlite>,
    {
        let mut statement =
            Statement::new(format!("SELECT * FROM {} WHERE {} = ?", self.name, self.qualified(field)));
        statement.bind(value)?;
        Ok(statement)
    }

    /// Writes the changes of a patch, if its conditions hold, and returns the record. A patch without changes reads the
    /// record under the same conditions.
    pub(super) fn update<U>(&self, patch: &UserPatch<U>) -> Result<Statement, RepositoryError>
    where
        U: AuthUser,
        U::Id: for<'q> Encode<'q, Sqlite> + Type<Sqlite>,
    {
        if patch.changes().is_empty() {
            let mut statement = self.select(UserField::Id, patch.id())?;
            self.expect(&mut statement, patch)?;
            return Ok(statement);
        }
        let mut statement = Statement::new(format!("UPDATE {}", self.name));
        let mut separator = " SET";
        for change in patch.changes() {
            statement.push(&format!("{separator} {} = ?", self.column(change.field())));
            bind_change(&mut statement, change)?;
            separator = ",";
        }
        statement.push(&format!(" WHERE {} = ?", self.qualified(UserField::Id)));
        statement.bind(patch.id())?;
        self.expect(&mut statement, patch)?;
        statement.push(" RETURNING *");
        Ok(statement)
    }

    /// Inserts a record, with this id or one that the table generates, and returns it.
    ///
    /// Fails if the name of an extra field is not allowed for a column, or is the column of one of the nine fields,
    /// which only the library writes.
    pub(super) fn insert<Id>(&self, id: Option<&Id>, user: &NewUser) -> Result<Statement, RepositoryError>
    where
        Id: for<'q> Encode<'q, Sqlite> + Type<Sqlite>,
    {
        let mut statement = Statement::new(format!("INSERT INTO {} (", self.name));
        let mut columns = Vec::new();
        if let Some(id) = id {
            columns.push(self.column(UserField::Id).to_string());
            statement.bind(id)?;
        }
        let texts = [
            (UserField::Name, &user.name),
            (UserField::Email, &user.email),
            (UserField::Password, &user.password),
        ];
        for (field, text) in texts {
            columns.push(self.column(field).to_string());
            statement.bind(text.as_str())?;
        }
        for (name, value) in &user.extra {
            columns.push(self.extra_column(name)?.to_string());
            statement.bind_json(value)?;
        }
        let placeholders = vec!["?"; columns.len()].join(", ");
        statement.push(&format!("{}) VALUES ({placeholders}) RETURNING *", columns.join(", ")));
        Ok(statement)
    }

    /// The column of a field, qualified with its table.
    fn qualified(&self, field: UserField) -> String {
        format!("{}.{}", self.name, self.column(field))
    }

    fn extra_column(&self, name: &str) -> Result<Identifier, RepositoryError> {
        let column = Identifier::new(name)?;
        if UserField::ALL.iter().any(|field| self.column(*field).is(name)) {
            return Err(RepositoryError::other(format!(
                "`{name}` is a column of the library and cannot be an extra field"
            )));
        }
        Ok(column)
    }

    /// Appends the conditions of a patch, with `IS` instead of `=` because the expected value can be null.
    fn expect<U: AuthUser>(
        &self,
        statement: &mut Statement,
        patch: &UserPatch<U>,
    ) -> Result<(), RepositoryError> {
        for condition in patch.conditions() {
            statement.push(&format!(" AND {} IS ?", self.qualified(condition.field())));
            bind_change(statement, condition)?;
        }
        Ok(())
    }
}

fn bind_change(statement: &mut Statement, change: &UserChange) -> Result<(), RepositoryError> {
    match change {
        UserChange::Name(text) | UserChange::Email(text) | UserChange::Password(text) => {
            statement.bind(text.as_str())
        }
        UserChange::TwoFactorSecret(text) | UserChange::TwoFactorRecoveryCodes(text) => {
            statement.bind(text.as_deref())
        }
        UserChange::EmailVerifiedAt(time)
        | UserChange::TwoFactorConfirmedAt(time)
        | UserChange::PasswordConfirmedAt(time) => statement.bind_time(*time),
    }
}

#[cfg(test)]
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

    #[test]
    fn a_record_is_found_by_a_qualified_column() {
        let found = table().select(UserField::Email, "a@b.co").unwrap();
        assert_eq!(found.sql(), r#"SELECT * FROM "users" WHERE "users"."email" = ?"#);
    }

    #[test]
    fn a_conditional_patch_is_one_update() {
        let patch = UserPatch::<Account>::new(1)
            .with(UserChange::Password("new".to_owned()))
            .with(UserChange::TwoFactorSecret(None))
            .only_if(UserChange::Password("old".to_owned()));
        let expected = r#"UPDATE "users" SET "password_hash" = ?, "two_factor_secret" = ? "#.to_owned()
            + r#"WHERE "users"."id" = ? AND "users"."password_hash" IS ? RETURNING *"#;
        assert_eq!(table().update(&patch).unwrap().sql(), expected);
    }

    #[test]
    fn a_patch_without_changes_is_a_select() {
        let patch = UserPatch::<Account>::new(1).only_if(UserChange::Password("old".to_owned()));
        let expected = r#"SELECT * FROM "users" WHERE "users"."id" = ? AND "users"."password_hash" IS ?"#;
        assert_eq!(table().update(&patch).unwrap().sql(), expected);
    }

    #[test]
    fn a_new_record_has_the_hosts_own_columns_after_the_librarys() {
        let user = NewUser::new("A", "a@b.co", "hash").with_extra("plan", "free");
        let mut table = table();
        table.rename(Identifier::new("order").unwrap());
        table.rename_column(UserField::Email, Identifier::new("mail").unwrap());
        let without_id = table.insert::<i64>(None, &user).unwrap();
        let expected = r#"INSERT INTO "order" ("display_name", "mail", "password_hash", "plan") "#.to_owned()
            + "VALUES (?, ?, ?, ?) RETURNING *";
        assert_eq!(without_id.sql(), expected);
        let with_id = table.insert(Some(&1_i64), &user).unwrap();
        assert!(
            with_id.sql().starts_with(r#"INSERT INTO "order" ("id", "display_name", "#),
            "{}",
            with_id.sql()
        );
    }

    #[test]
    fn an_extra_field_cannot_be_one_of_the_nine_columns() {
        for name in ["id", "EMAIL", "display_name", "password_hash", "two_factor_secret", "plan\") --", ""] {
            let user = NewUser::new("A", "a@b.co", "hash").with_extra(name, "x");
            assert!(table().insert::<i64>(None, &user).is_err(), "{name}");
        }
    }
}
