//! Connections of a pool, which one piece of work passes on to the next.
//!
//! sqlx tests a connection whenever it is returned to its pool, with a round trip and a task of its own. If other work waits
//! for a connection at this moment, it gets this one directly instead. The host's own queries do not have to wait for long:
//! they wait at the pool, to which each connection returns after it was passed on [`MOST`] times.

use futures_util::FutureExt;
use sqlx::Pool;
use sqlx::pool::PoolConnection;
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// How often a connection is passed on before it is returned to its pool.
pub(in crate::sql) const MOST: u32 = 16;

/// A connection while some work is done on it. If the work is abandoned, it is closed and not returned to its pool.
pub(super) struct Acquired<D: sqlx::Database> {
    connection: PoolConnection<D>,
    passed_on: u32,
    /// Not while it is passed on: if nobody receives it, it is returned.
    in_use: bool,
}

impl<D: sqlx::Database> Acquired<D> {
    const fn from_pool(connection: PoolConnection<D>) -> Self {
        Self { connection, passed_on: 0, in_use: true }
    }

    pub(super) fn get(&mut self) -> &mut D::Connection {
        &mut self.connection
    }

    /// Whether other work has just succeeded on it.
    pub(super) const fn was_passed_on(&self) -> bool {
        self.passed_on > 0
    }

    /// Returns it to its pool.
    pub(super) fn release(mut self) {
        self.in_use = false;
    }
}

impl<D: sqlx::Database> Drop for Acquired<D> {
    fn drop(&mut self) {
        if self.in_use {
            self.connection.close_on_drop();
        }
    }
}

/// Work that waits for a connection. Clones share it.
pub(super) struct Waiting<D: sqlx::Database>(Arc<Mutex<VecDeque<oneshot::Sender<Acquired<D>>>>>);

/// Not derived, because that would require `D: Clone`.
impl<D: sqlx::Database> Clone for Waiting<D> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<D: sqlx::Database> Default for Waiting<D> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<D: sqlx::Database> Waiting<D> {
    /// A connection of the pool, or one that other work passes on.
    pub(super) async fn acquire(&self, pool: &Pool<D>) -> Result<Acquired<D>, sqlx::Error> {
        let mut from_pool = pin!(pool.acquire());
        if let Some(acquired) = from_pool.as_mut().now_or_never() {
            return acquired.map(Acquired::from_pool);
        }
        // It may be connecting, which must not be given up: the next one would begin again.
        if pool.size() < pool.options().get_max_connections() {
            return from_pool.await.map(Acquired::from_pool);
        }
        let receiver = self.wait();
        tokio::select! {
            biased;
            Ok(mut passed_on) = receiver => {
                passed_on.in_use = true;
                Ok(passed_on)
            }
            acquired = from_pool => acquired.map(Acquired::from_pool),
        }
    }

    /// Passes a connection on after the work has succeeded, or returns it to its pool if nobody waits.
    pub(super) fn pass_on(&self, mut connection: Acquired<D>) {
        connection.in_use = false;
        if connection.passed_on == MOST {
            return;
        }
        connection.passed_on += 1;
        while let Some(next) = self.next() {
            // Whoever has got another connection in the meantime sends it back.
            match next.send(connection) {
                Ok(()) => return,
                Err(sent_back) => connection = sent_back,
            }
        }
    }

    /// Waits behind all others. Those before it that wait no longer are removed, also while no work succeeds.
    fn wait(&self) -> oneshot::Receiver<Acquired<D>> {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while waiting.front().is_some_and(oneshot::Sender::is_closed) {
            waiting.pop_front();
        }
        waiting.push_back(sender);
        receiver
    }

    fn next(&self) -> Option<oneshot::Sender<Acquired<D>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

#[cfg(test)]
#[cfg(feature = "sqlite")]
mod tests {
    use super::*;
    use sqlx::sqlite::SqlitePoolOptions;
    use sqlx::{Executor, Row, Sqlite, SqlitePool};

    /// A pool of one connection to a database in its memory, which remembers how often it was used.
    async fn pool() -> SqlitePool {
        let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
        pool.execute("CREATE TABLE uses (at INTEGER PRIMARY KEY)").await.unwrap();
        pool
    }

    /// Uses a connection, and returns how often it has been used before.
    async fn uses(connection: &mut Acquired<Sqlite>) -> i64 {
        let row = connection.get().fetch_one("SELECT count(*) FROM uses").await.unwrap();
        connection.get().execute("INSERT INTO uses DEFAULT VALUES").await.unwrap();
        row.get(0)
    }

    #[tokio::test]
    async fn work_that_waits_gets_the_connection_of_work_that_is_done() {
        let (pool, waiting) = (pool().await, Waiting::default());
        let mut first = waiting.acquire(&pool).await.unwrap();
        assert!(!first.was_passed_on());
        assert_eq!(uses(&mut first).await, 0);
        let (mut second, mut third) = (pin!(waiting.acquire(&pool)), pin!(waiting.acquire(&pool)));
        assert!(second.as_mut().now_or_never().is_none() && third.as_mut().now_or_never().is_none());
        waiting.pass_on(first);
        let mut second = second.as_mut().now_or_never().unwrap().unwrap();
        assert!(second.was_passed_on() && third.as_mut().now_or_never().is_none());
        assert_eq!(uses(&mut second).await, 1);
        waiting.pass_on(second);
        let mut third = third.await.unwrap();
        assert_eq!(uses(&mut third).await, 2);
        // Nobody waits.
        waiting.pass_on(third);
        let mut fourth = waiting.acquire(&pool).await.unwrap();
        assert!(!fourth.was_passed_on());
        assert_eq!(uses(&mut fourth).await, 3);
    }

    #[tokio::test]
    async fn a_connection_that_nobody_receives_is_returned() {
        let (pool, waiting) = (pool().await, Waiting::default());
        for use_number in 0..5 {
            let mut first = waiting.acquire(&pool).await.unwrap();
            assert_eq!(uses(&mut first).await, use_number);
            {
                let (mut gone, mut going) = (Box::pin(waiting.acquire(&pool)), pin!(waiting.acquire(&pool)));
                assert!(gone.as_mut().now_or_never().is_none() && going.as_mut().now_or_never().is_none());
                drop(gone);
                // `going` is sent the connection, and ends before it looks.
                waiting.pass_on(first);
            }
        }
    }

    #[tokio::test]
    async fn work_that_waits_no_longer_is_forgotten() {
        let (pool, waiting) = (pool().await, Waiting::default());
        let _in_use = waiting.acquire(&pool).await.unwrap();
        for _ in 0..100 {
            assert!(Box::pin(waiting.acquire(&pool)).as_mut().now_or_never().is_none());
        }
        assert_eq!(waiting.0.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_connection_is_closed_if_the_work_on_it_is_abandoned() {
        let (pool, waiting) = (pool().await, Waiting::default());
        let first = waiting.acquire(&pool).await.unwrap();
        let mut second = pin!(waiting.acquire(&pool));
        assert!(second.as_mut().now_or_never().is_none());
        waiting.pass_on(first);
        drop(second.await.unwrap());
        let mut third = waiting.acquire(&pool).await.unwrap();
        // Another connection, with another memory.
        assert!(third.get().fetch_one("SELECT count(*) FROM uses").await.is_err());
    }

    #[tokio::test]
    async fn a_connection_returns_to_the_pool_although_work_waits_for_it() {
        let (pool, waiting) = (pool().await, Waiting::default());
        let mut connection = waiting.acquire(&pool).await.unwrap();
        let mut of_the_host = pin!(pool.acquire());
        assert!(of_the_host.as_mut().now_or_never().is_none());
        for _ in 0..MOST {
            let mut next = pin!(waiting.acquire(&pool));
            assert!(next.as_mut().now_or_never().is_none());
            waiting.pass_on(connection);
            connection = next.await.unwrap();
        }
        let mut next = pin!(waiting.acquire(&pool));
        assert!(next.as_mut().now_or_never().is_none());
        waiting.pass_on(connection);
        drop(of_the_host.await.unwrap());
        assert!(!next.await.unwrap().was_passed_on());
    }
}
