//! The host's records: read by the host's own `sqlx::FromRow`, with ids of the host's type.

use super::super::statement::Statement;
use super::connections::{Connections, On, Work};
use super::driver::{Driver, SqlId};
use super::{Database, Inner};
use crate::user::AuthUser;
use async_trait::async_trait;
use sqlx::FromRow;
use std::marker::PhantomData;
use std::sync::Arc;

/// A user that [`SqlUsers`](crate::sql::SqlUsers) can store in a database with pools of type `P`: sqlx can read the record
/// from its rows and bind the id.
///
/// It is implemented for every such user; a host only meets it in messages of the compiler.
#[diagnostic::on_unimplemented(
    message = "`SqlUsers` cannot store `{Self}` in this database",
    label = "sqlx cannot read this record, or cannot bind its id",
    note = "the pool must be one of sqlx 0.9: a host with another version of sqlx has pools of the same name and of another type",
    note = "the record must implement `sqlx::FromRow`: add it to the derives, as in `#[derive(Clone, AuthUser, sqlx::FromRow)]`",
    note = "sqlx must know the type of every field: `Uuid`, and the times of the crate `time`, each require a cargo feature of sqlx with the name of the crate; it cannot read `SystemTime` or the times of jiff, so use `chrono::DateTime<Utc>`",
    note = "an enum needs `#[derive(sqlx::Type)]`; SQLite and MySQL have no type of columns for a `Vec<String>`",
    note = "the database must know the type of the id: SQLite and PostgreSQL have no unsigned integers, so use `i64` instead of `u64` there; see `axum_auth_module::sql::UserIn`"
)]
pub trait UserIn<P>: AuthUser {
    #[doc(hidden)]
    fn records(pool: &P) -> Arc<dyn Records<Self>>;
}

/// How records of the host are read and written.
#[doc(hidden)]
#[async_trait]
pub trait Records<U>: Send + Sync {
    /// The record that a statement selects.
    async fn read(&self, read: Statement<U::Id>) -> Result<Option<U>, sqlx::Error>
    where
        U: AuthUser;

    /// Runs a statement that writes at most one record, and returns that record. If it cannot be read, nothing is written.
    async fn write(&self, write: Write<U::Id>) -> Result<Option<U>, sqlx::Error>
    where
        U: AuthUser;

    /// Runs a statement that deletes at most one record, and returns whether there was one.
    async fn delete(&self, delete: Statement<U::Id>) -> Result<bool, sqlx::Error>
    where
        U: AuthUser;

    /// Runs a statement that writes a record, reads the record, and takes the statement back.
    async fn try_write(&self, write: Write<U::Id>) -> Result<Option<U>, sqlx::Error>
    where
        U: AuthUser;
}

/// A statement that writes a record.
#[doc(hidden)]
#[derive(Clone)]
pub struct Write<Id> {
    pub(in crate::sql) write: Statement<Id>,
    /// Selects the record, on a database without `RETURNING`.
    pub(in crate::sql) read: Option<Statement<Id>>,
}

/// Generates the implementations of [`UserIn`], also for references, and for each database a trait that is empty if its cargo
/// feature is not enabled, so that [`Database`] can require all of them.
///
/// One implementation for all references would make the compiler look for `&&&…` of a pool whose type it does not know yet, as in
/// `SqlUsers::new(pool.clone())`, and it would report that instead of what is wrong with the record.
macro_rules! users_in {
    ($($feature:literal $Variant:ident $driver:ty, $IfEnabled:ident;)*) => {
        $(
            #[cfg(feature = $feature)]
            #[diagnostic::do_not_recommend]
            impl<U: $IfEnabled> UserIn<sqlx::Pool<$driver>> for U {
                fn records(pool: &sqlx::Pool<$driver>) -> Arc<dyn Records<Self>> {
                    <U as $IfEnabled>::records(Connections::new(pool.clone()))
                }
            }

            #[cfg(feature = $feature)]
            #[diagnostic::do_not_recommend]
            impl<U: UserIn<sqlx::Pool<$driver>>> UserIn<&sqlx::Pool<$driver>> for U {
                fn records(pool: &&sqlx::Pool<$driver>) -> Arc<dyn Records<Self>> {
                    <U as UserIn<sqlx::Pool<$driver>>>::records(pool)
                }
            }

            #[cfg(feature = $feature)]
            impl<U> $IfEnabled for U
            where
                U: AuthUser + for<'r> FromRow<'r, <$driver as sqlx::Database>::Row> + Unpin,
                U::Id: SqlId<$driver>,
            {
                fn records(pool: Connections<$driver>) -> Arc<dyn Records<Self>> {
                    Arc::new(pool)
                }
            }

            #[doc(hidden)]
            #[cfg(feature = $feature)]
            pub trait $IfEnabled: AuthUser {
                fn records(pool: Connections<$driver>) -> Arc<dyn Records<Self>>;
            }

            #[doc(hidden)]
            #[cfg(not(feature = $feature))]
            pub trait $IfEnabled {}

            #[cfg(not(feature = $feature))]
            impl<U> $IfEnabled for U {}
        )*

        /// For hosts that decide at run time which database they use: the record must be readable from all of them.
        #[diagnostic::do_not_recommend]
        impl<U: AuthUser $(+ $IfEnabled)*> UserIn<Database> for U {
            fn records(database: &Database) -> Arc<dyn Records<U>> {
                match database.0.clone() {
                    $(#[cfg(feature = $feature)] Inner::$Variant(pool) => <U as $IfEnabled>::records(pool),)*
                }
            }
        }

        #[diagnostic::do_not_recommend]
        impl<U: UserIn<Database>> UserIn<&Database> for U {
            fn records(database: &&Database) -> Arc<dyn Records<U>> {
                <U as UserIn<Database>>::records(database)
            }
        }
    };
}

users_in! {
    "sqlite" Sqlite sqlx::Sqlite, IfSqlite;
    "postgres" Postgres sqlx::Postgres, IfPostgres;
    "mysql" MySql sqlx::MySql, IfMySql;
}

#[async_trait]
impl<D, U> Records<U> for Connections<D>
where
    D: Driver,
    U: AuthUser + for<'r> FromRow<'r, D::Row> + Unpin,
    U::Id: SqlId<D>,
{
    async fn read(&self, read: Statement<U::Id>) -> Result<Option<U>, sqlx::Error> {
        self.fetch(read).await?.first().map(U::from_row).transpose()
    }

    async fn write(&self, write: Write<U::Id>) -> Result<Option<U>, sqlx::Error> {
        self.transaction(WriteRecord { write, record: PhantomData::<fn() -> U> }).await
    }

    async fn delete(&self, delete: Statement<U::Id>) -> Result<bool, sqlx::Error> {
        Ok(self.execute(delete).await? > 0)
    }

    async fn try_write(&self, write: Write<U::Id>) -> Result<Option<U>, sqlx::Error> {
        self.trial(WriteRecord { write, record: PhantomData::<fn() -> U> }).await
    }
}

struct WriteRecord<Id, U> {
    write: Write<Id>,
    record: PhantomData<fn() -> U>,
}

impl<D, U> Work<D> for WriteRecord<U::Id, U>
where
    D: Driver,
    U: AuthUser + for<'r> FromRow<'r, D::Row> + Unpin,
    U::Id: SqlId<D>,
{
    type Output = Option<U>;

    async fn run(&self, on: &mut On<'_, D>) -> Result<Option<U>, sqlx::Error> {
        let Write { write, read } = self.write.clone();
        let rows = match read {
            None => on.fetch(write).await?,
            Some(read) => match on.execute(write).await? {
                0 => return Ok(None),
                _ => on.fetch(read).await?,
            },
        };
        rows.first().map(U::from_row).transpose()
    }
}
