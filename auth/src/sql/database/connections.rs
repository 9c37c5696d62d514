//! Runs statements on a pool, each piece of work within a time limit.

use super::super::statement::Statement;
use super::acquired::{Acquired, Waiting};
use super::driver::{Driver, Failure, SqlId};
#[cfg(test)]
use super::plans::Plans;
use sqlx::{Connection, Pool, SqlSafeStr};
use std::io;
use std::time::Duration;

/// How long a request waits for a database server by default. With it, a response is there within two seconds.
#[cfg_attr(
    not(any(feature = "postgres", feature = "mysql")),
    allow(dead_code, reason = "SQLite is no server")
)]
pub(super) const TIMEOUT: Duration = Duration::from_millis(1500);

/// How often work is done if the database asks to repeat it.
const ATTEMPTS: u32 = 10;

/// A pool of connections to one kind of database.
#[doc(hidden)]
pub struct Connections<D: sqlx::Database> {
    pool: Pool<D>,
    timeout: Option<Duration>,
    waiting: Waiting<D>,
    #[cfg(test)]
    plans: Option<Plans>,
}

/// Not derived, because that would require `D: Clone`.
impl<D: sqlx::Database> Clone for Connections<D> {
    fn clone(&self) -> Self {
        Self {
            pool: self.pool.clone(),
            timeout: self.timeout,
            waiting: self.waiting.clone(),
            #[cfg(test)]
            plans: self.plans.clone(),
        }
    }
}

/// What is done on one connection. It is done again if the database asks for that, so it must have no other effects.
pub(in crate::sql) trait Work<D: Driver>: Sync {
    type Output: Send;

    fn run(&self, on: &mut On<'_, D>) -> impl Future<Output = Result<Self::Output, sqlx::Error>> + Send;

    /// Whether it only reads, so that it can be repeated although it is not known how far it came.
    fn only_reads(&self) -> bool {
        false
    }
}

/// A connection, while some work is done on it.
pub(in crate::sql) struct On<'c, D: Driver> {
    connection: &'c mut D::Connection,
    #[cfg(test)]
    plans: Option<Plans>,
}

impl<D: Driver> On<'_, D> {
    /// Runs a statement, and returns the number of rows that it has found, inserted or deleted.
    pub(in crate::sql) async fn execute<Id: SqlId<D>>(
        &mut self,
        statement: Statement<Id>,
    ) -> Result<u64, sqlx::Error> {
        #[cfg(test)]
        self.explain(&statement).await?;
        let (sql, values) = statement.into_parts();
        D::execute(self.connection, D::DIALECT.render(sql), D::arguments(values)?).await
    }

    /// Runs a statement, and returns its rows.
    pub(in crate::sql) async fn fetch<Id: SqlId<D>>(
        &mut self,
        statement: Statement<Id>,
    ) -> Result<Vec<D::Row>, sqlx::Error> {
        #[cfg(test)]
        self.explain(&statement).await?;
        let (sql, values) = statement.into_parts();
        if let Some(before) = D::BEFORE_ALL_COLUMNS.filter(|_| sql.contains('*')) {
            D::execute(self.connection, before.to_owned(), D::Arguments::default()).await?;
        }
        D::fetch(self.connection, D::DIALECT.render(sql), D::arguments(values)?).await
    }

    /// Records how the database would run the statement, if a test asks for it.
    #[cfg(test)]
    async fn explain<Id: SqlId<D>>(&mut self, statement: &Statement<Id>) -> Result<(), sqlx::Error> {
        if let Some(plans) = &self.plans {
            let (sql, values) = statement.clone().into_parts();
            let explain = format!("{}{}", D::EXPLAIN, D::DIALECT.render(sql.clone()));
            let steps = D::fetch(self.connection, explain, D::arguments(values)?).await?;
            plans.push(sql, steps.iter().map(D::step).collect());
        }
        Ok(())
    }
}

/// A statement whose effect is counted.
struct Execute<Id>(Statement<Id>);

impl<D: Driver, Id: SqlId<D>> Work<D> for Execute<Id> {
    type Output = u64;

    async fn run(&self, on: &mut On<'_, D>) -> Result<u64, sqlx::Error> {
        on.execute(self.0.clone()).await
    }
}

/// A statement that returns rows.
struct Fetch<Id>(Statement<Id>);

impl<D: Driver, Id: SqlId<D>> Work<D> for Fetch<Id> {
    type Output = Vec<D::Row>;

    async fn run(&self, on: &mut On<'_, D>) -> Result<Vec<D::Row>, sqlx::Error> {
        on.fetch(self.0.clone()).await
    }

    fn only_reads(&self) -> bool {
        self.0.only_reads()
    }
}

/// Work that happens completely or not at all.
struct InTransaction<W> {
    work: W,
    /// Whether its effects are taken back also if it succeeds.
    is_trial: bool,
}

impl<D: Driver, W: Work<D>> Work<D> for InTransaction<W> {
    type Output = W::Output;

    async fn run(&self, on: &mut On<'_, D>) -> Result<W::Output, sqlx::Error> {
        let mut transaction = on.connection.begin_with(D::BEGIN.into_sql_str()).await?;
        let within = &mut On {
            connection: &mut *transaction,
            #[cfg(test)]
            plans: on.plans.clone(),
        };
        match self.work.run(within).await {
            Ok(output) if self.is_trial => {
                transaction.rollback().await?;
                Ok(output)
            }
            Ok(output) => {
                transaction.commit().await?;
                Ok(output)
            }
            Err(error) => {
                // Locks are not held until the connection is used again. The caller gets the first error.
                let _second = transaction.rollback().await;
                Err(error)
            }
        }
    }
}

impl<D: Driver> Connections<D> {
    pub(super) fn new(pool: Pool<D>) -> Self {
        Self {
            pool,
            timeout: D::TIMEOUT,
            waiting: Waiting::default(),
            #[cfg(test)]
            plans: None,
        }
    }

    pub(super) fn timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    #[cfg(test)]
    pub(in crate::sql) fn explained(self, plans: Plans) -> Self {
        Self { plans: Some(plans), ..self }
    }

    /// The pool itself, for migrations.
    pub(in crate::sql) const fn pool(&self) -> &Pool<D> {
        &self.pool
    }

    /// Runs a statement, and returns the number of rows that it has found, inserted or deleted.
    pub(super) async fn execute<Id: SqlId<D>>(&self, statement: Statement<Id>) -> Result<u64, sqlx::Error> {
        self.run(Execute(statement)).await
    }

    /// Runs a statement, and returns its rows.
    pub(super) async fn fetch<Id: SqlId<D>>(
        &self,
        statement: Statement<Id>,
    ) -> Result<Vec<D::Row>, sqlx::Error> {
        self.run(Fetch(statement)).await
    }

    /// Does some work in a transaction: completely or not at all.
    pub(in crate::sql) async fn transaction<W: Work<D>>(&self, work: W) -> Result<W::Output, sqlx::Error> {
        self.run(InTransaction { work, is_trial: false }).await
    }

    /// Does some work and takes its effects back.
    pub(super) async fn trial<W: Work<D>>(&self, work: W) -> Result<W::Output, sqlx::Error> {
        self.run(InTransaction { work, is_trial: true }).await
    }

    /// Does some work within the time limit.
    async fn run<W: Work<D>>(&self, work: W) -> Result<W::Output, sqlx::Error> {
        match self.timeout {
            None => self.attempts(work).await,
            // The connection is closed with the request that waits for it: its server may not respond for minutes.
            Some(timeout) => {
                tokio::time::timeout(timeout, self.attempts(work)).await.unwrap_or_else(|_| Err(timed_out()))
            }
        }
    }

    /// Does some work, and again if the database asks for that.
    async fn attempts<W: Work<D>>(&self, work: W) -> Result<W::Output, sqlx::Error> {
        let mut attempt = 1;
        // A connection may have been lost since it was last used. Work that only reads can find out by itself.
        let mut may_be_lost = work.only_reads();
        loop {
            let mut connection = self.connection(may_be_lost).await?;
            let on = &mut On {
                connection: connection.get(),
                #[cfg(test)]
                plans: self.plans.clone(),
            };
            match work.run(on).await {
                Err(sqlx::Error::Database(error))
                    if attempt < ATTEMPTS && D::failure(&*error) == Failure::Repeat =>
                {
                    connection.get().clear_cached_statements().await?;
                    connection.release();
                }
                Err(_) if may_be_lost && connection.get().ping().await.is_err() => may_be_lost = false,
                Err(error) => {
                    connection.release();
                    return Err(error);
                }
                Ok(output) => {
                    self.waiting.pass_on(connection);
                    return Ok(output);
                }
            }
            attempt += 1;
        }
    }
}

impl<D: Driver> Connections<D> {
    /// A connection, which responds unless it may be lost. A pool with `test_before_acquire`, which is sqlx's default, has
    /// tested it already, at the price of a round trip for each statement.
    async fn connection(&self, may_be_lost: bool) -> Result<Acquired<D>, sqlx::Error> {
        let must_test = !may_be_lost && !self.pool.options().get_test_before_acquire();
        loop {
            let mut connection = self.waiting.acquire(&self.pool).await?;
            if !must_test || connection.was_passed_on() || connection.get().ping().await.is_ok() {
                return Ok(connection);
            }
        }
    }
}

fn timed_out() -> sqlx::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the database did not respond in time").into()
}
