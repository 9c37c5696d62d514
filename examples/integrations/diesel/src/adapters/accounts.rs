//! The users.

use crate::database::{Database, failure};
use crate::schema::accounts;
use axum_auth_module::repository::{RepositoryError, UserRepository};
use axum_auth_module::user::{NewUser, UserChange, UserField, UserPatch};
use axum_auth_module::{AuthUser, async_trait};
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::result::Error;
use diesel_async::RunQueryDsl;

/// A row of the table `accounts`. `plan` is the host's own.
#[derive(Clone, AuthUser, Queryable, Selectable)]
#[diesel(table_name = accounts, check_for_backend(Pg))]
pub(crate) struct Account {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) password: String,
    pub(crate) email_verified_at: Option<DateTime<Utc>>,
    pub(crate) two_factor_secret: Option<String>,
    pub(crate) two_factor_recovery_codes: Option<String>,
    pub(crate) two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub(crate) password_confirmed_at: Option<DateTime<Utc>>,
    pub(crate) plan: String,
}

/// The columns that a patch writes: `None` is a column that keeps its value, and `Some(None)` one that becomes null.
#[derive(Default, AsChangeset)]
#[diesel(table_name = accounts)]
struct Changes {
    name: Option<String>,
    email: Option<String>,
    password: Option<String>,
    email_verified_at: Option<Option<DateTime<Utc>>>,
    two_factor_secret: Option<Option<String>>,
    two_factor_recovery_codes: Option<Option<String>>,
    two_factor_confirmed_at: Option<Option<DateTime<Utc>>>,
    password_confirmed_at: Option<Option<DateTime<Utc>>>,
}

impl Changes {
    fn of(changes: &[UserChange]) -> Result<Self, RepositoryError> {
        let mut columns = Self::default();
        for change in changes {
            match change.clone() {
                UserChange::Name(name) => columns.name = Some(name),
                UserChange::Email(email) => columns.email = Some(email),
                UserChange::Password(hash) => columns.password = Some(hash),
                UserChange::EmailVerifiedAt(at) => columns.email_verified_at = Some(at.map(Into::into)),
                UserChange::TwoFactorSecret(secret) => columns.two_factor_secret = Some(secret),
                UserChange::TwoFactorRecoveryCodes(codes) => columns.two_factor_recovery_codes = Some(codes),
                UserChange::TwoFactorConfirmedAt(at) => {
                    columns.two_factor_confirmed_at = Some(at.map(Into::into));
                }
                UserChange::PasswordConfirmedAt(at) => {
                    columns.password_confirmed_at = Some(at.map(Into::into));
                }
                _ => return Err(unknown_field()),
            }
        }
        Ok(columns)
    }
}

/// The users in the table `accounts`.
#[derive(Clone)]
pub(crate) struct Accounts(Database);

impl Accounts {
    pub(crate) fn new(database: &Database) -> Self {
        Self(database.clone())
    }
}

#[async_trait]
impl UserRepository for Accounts {
    type User = Account;

    async fn find_by_id(&self, id: &i64) -> Result<Option<Account>, RepositoryError> {
        let account = accounts::table.find(*id).select(Account::as_select());
        account.first(&mut self.0.connection().await?).await.optional().map_err(failure)
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        // The library asks for nothing else, unless the record has a user name.
        if field != UserField::Email {
            return Err(unknown_field());
        }
        let account = accounts::table.filter(accounts::email.eq(value)).select(Account::as_select());
        account.first(&mut self.0.connection().await?).await.optional().map_err(failure)
    }

    async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
        let columns = (
            accounts::name.eq(user.name),
            accounts::email.eq(user.email),
            accounts::password.eq(user.password),
        );
        let insert = diesel::insert_into(accounts::table).values(columns).returning(Account::as_select());
        insert.get_result(&mut self.0.connection().await?).await.map_err(not_written)
    }

    /// One `UPDATE`, which checks the conditions and writes the columns: nothing can happen in between.
    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        // The first assignment changes nothing: a patch without changes is a statement, too.
        let columns = (accounts::plan.eq(accounts::plan), Changes::of(patch.changes())?);
        let mut update = diesel::update(accounts::table.find(*patch.id())).set(columns).into_boxed::<Pg>();
        for condition in patch.conditions() {
            // In SQL, `= NULL` is never true: columns that can be null are compared with `IS NOT DISTINCT FROM`.
            update = match condition.clone() {
                UserChange::Name(name) => update.filter(accounts::name.eq(name)),
                UserChange::Email(email) => update.filter(accounts::email.eq(email)),
                UserChange::Password(hash) => update.filter(accounts::password.eq(hash)),
                UserChange::EmailVerifiedAt(at) => update
                    .filter(accounts::email_verified_at.is_not_distinct_from(at.map(DateTime::<Utc>::from))),
                UserChange::TwoFactorSecret(secret) => {
                    update.filter(accounts::two_factor_secret.is_not_distinct_from(secret))
                }
                UserChange::TwoFactorRecoveryCodes(codes) => {
                    update.filter(accounts::two_factor_recovery_codes.is_not_distinct_from(codes))
                }
                UserChange::TwoFactorConfirmedAt(at) => update.filter(
                    accounts::two_factor_confirmed_at.is_not_distinct_from(at.map(DateTime::<Utc>::from)),
                ),
                UserChange::PasswordConfirmedAt(at) => update.filter(
                    accounts::password_confirmed_at.is_not_distinct_from(at.map(DateTime::<Utc>::from)),
                ),
                _ => return Err(unknown_field()),
            };
        }
        let update = update.returning(Account::as_select());
        let saved =
            update.get_result(&mut self.0.connection().await?).await.optional().map_err(not_written)?;
        match saved {
            Some(saved) => Ok(saved),
            None if self.find_by_id(patch.id()).await?.is_some() => Err(RepositoryError::Stale),
            None => Err(RepositoryError::other("no account has this id")),
        }
    }
}

fn unknown_field() -> RepositoryError {
    RepositoryError::other("a field that this adapter does not know")
}

/// The error of a write. The unique index on the address says that another account has it.
fn not_written(error: Error) -> RepositoryError {
    match error {
        Error::DatabaseError(_, violated) if violated.constraint_name() == Some("accounts_email_key") => {
            RepositoryError::EmailTaken
        }
        error => failure(error),
    }
}
