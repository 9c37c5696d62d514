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

/// A pool from which [`SqlUsers`](crate::sql::SqlUsers) can read records of type `U`: a pool of a database for which the
/// record implements `sqlx::FromRow` and sqlx can bind its id.
pub trait UserPool<U: AuthUser>: Into<Database> {
    #[doc(hidden)]
    fn records(&self) -> Arc<dyn Records<U>>;
}

/// How records of the host are read and written.
#[doc(hidden)]
#[async_trait]
pub trait Records<U: AuthUser>: Send + Sync {
    /// The record that a statement selects.
    async fn read(&self, read: Statement<U::Id>) -> Result<Option<U>, sqlx::Error>;

    /// Runs a statement that writes at most one record, and returns that record. If it cannot be read, nothing is written.
    async fn write(&self, write: Write<U::Id>) -> Result<Option<U>, sqlx::Error>;
}

/// A statement that writes a record.
#[doc(hidden)]
#[derive(Clone)]
pub struct Write<Id> {
    pub(in crate::sql) write: Statement<Id>,
    /// Selects the record, on a database without `RETURNING`.
    pub(in crate::sql) read: Option<Statement<Id>>,
}

/// Generates, for each database, the trait of the users that can be stored in it. Its name is in the compiler's messages.
/// It is empty if the database's cargo feature is not enabled, so that [`Database`] can require all of them.
macro_rules! users_in {
    ($($feature:literal $UserIn:ident $Variant:ident $driver:ty;)*) => {
        $(
            #[doc(hidden)]
            #[cfg(feature = $feature)]
            pub trait $UserIn: AuthUser {
                fn records(pool: Connections<$driver>) -> Arc<dyn Records<Self>>;
            }

            #[cfg(feature = $feature)]
            impl<U> $UserIn for U
            where
                U: AuthUser + for<'r> FromRow<'r, <$driver as sqlx::Database>::Row> + Unpin,
                U::Id: SqlId<$driver>,
            {
                fn records(pool: Connections<$driver>) -> Arc<dyn Records<Self>> {
                    Arc::new(pool)
                }
            }

            #[cfg(feature = $feature)]
            impl<U: $UserIn> UserPool<U> for sqlx::Pool<$driver> {
                fn records(&self) -> Arc<dyn Records<U>> {
                    U::records(Connections::new(self.clone()))
                }
            }

            #[doc(hidden)]
            #[cfg(not(feature = $feature))]
            pub trait $UserIn {}

            #[cfg(not(feature = $feature))]
            impl<U> $UserIn for U {}
        )*

        /// For hosts that decide at run time which database they use: the record must be readable from all of them.
        impl<U: AuthUser $(+ $UserIn)*> UserPool<U> for Database {
            fn records(&self) -> Arc<dyn Records<U>> {
                match self.0.clone() {
                    $(#[cfg(feature = $feature)] Inner::$Variant(pool) => <U as $UserIn>::records(pool),)*
                }
            }
        }
    };
}

users_in! {
    "sqlite" UserInSqlite Sqlite sqlx::Sqlite;
    "postgres" UserInPostgres Postgres sqlx::Postgres;
    "mysql" UserInMySql MySql sqlx::MySql;
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
