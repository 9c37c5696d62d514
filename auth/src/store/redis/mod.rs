//! The ephemeral store over Redis.

mod eviction;
mod link;
#[cfg(test)]
mod tests;

use super::{EphemeralStore, SharedStore, Slot, Window};
use crate::error::BoxError;
use async_trait::async_trait;
use eviction::Eviction;
use link::{Link, QueryError, Request, TIMEOUT};
use redis::aio::ConnectionManager;
use redis::{Client, Cmd, FromRedisValue, ProtocolVersion, Script, ScriptInvocation};
use std::sync::Arc;
use std::time::Duration;

/// An [`EphemeralStore`] in Redis 6 or later, or Valkey, which all instances of a host share (cargo feature `redis`;
/// specification §21.6). Sessions need a database besides it, for example `SqlSessions`.
///
/// ```
/// use axum_auth_module::store::{InvalidRedisUrl, RedisStore};
///
/// fn store() -> Result<RedisStore, InvalidRedisUrl> {
///     Ok(RedisStore::connect("redis://127.0.0.1:6379")?.prefix("my-app:"))
/// }
/// ```
///
/// **Availability.** The store connects with the first operation, and again whenever the connection is lost: a host starts
/// without Redis. While Redis does not answer, every operation fails after a second at most, usually half a second, and
/// what needs the store is a 503 response. Checking an access token and refreshing a session need only the session
/// repository.
///
/// **One primary.** Use one Redis server, with or without replicas that can take its place, under an address that always
/// leads to the primary. The store never reads from replicas. It does not speak the protocol of Redis Cluster: a `MOVED`
/// is an error, hence 503. A replica that takes over may lack the last writes, because replication is asynchronous: then a
/// code that was used in the last moments can be used once more, and the last attempts are not counted.
///
/// **Persistence.** Redis forgets what it has not written to its disk. Without persistence, a restart forgets attempt
/// counters and used codes, as it does with [`MemoryStore`](super::MemoryStore). With `appendonly yes` and
/// `appendfsync everysec`, it forgets at most about the last second. Sessions are not in this store.
///
/// **Eviction.** `maxmemory-policy` must be `noeviction`, and the memory large enough. With another policy, Redis deletes
/// attempt counters and used codes before they expire as soon as its memory is full, and somebody can fill it. The store
/// logs a warning at the first connection if the policy is another one.
///
/// **Clocks.** Entries expire, and windows begin and end, by the clock of Redis alone; that of the instances does not matter
/// here. Their tokens allow the clocks to differ by 60 seconds. A movable clock in a test does not move Redis's.
///
/// **TLS.** `rediss://` works if your own `Cargo.toml` enables a TLS feature of the crate `redis` 1, for example
/// `tokio-rustls-comp`.
///
/// Clones share the connection. The cargo feature adds 42 crates to a build, without C.
#[derive(Clone)]
pub struct RedisStore {
    link: Link,
    prefix: Arc<str>,
    scripts: Arc<Scripts>,
    eviction: Arc<Eviction>,
}

struct Scripts {
    swap: Script,
    count: Script,
    give_back: Script,
}

/// The URL of a Redis server that [`RedisStore::connect`] does not accept. The text does not contain the URL.
#[derive(Debug, thiserror::Error)]
#[error("the URL of Redis is invalid ({reason}); it has the form redis://user:password@host:port/database")]
pub struct InvalidRedisUrl {
    reason: String,
}

impl RedisStore {
    /// A store in the Redis server with this URL, for example `redis://:password@redis.internal:6379/0`, or
    /// `redis+unix:///run/redis.sock`. This does not connect yet, and can be called outside of a runtime.
    ///
    /// # Errors
    /// If the URL is malformed, or has the scheme `rediss` in a build without TLS.
    pub fn connect(url: &str) -> Result<Self, InvalidRedisUrl> {
        Ok(Self::over(Link::own(client(url)?)))
    }

    /// A store over the host's own connection, which reconnects as the host has configured it. An operation that takes
    /// longer than a second fails here too.
    ///
    /// [`connect`](Self::connect) also replaces connections that a `ConnectionManager` keeps: one that no longer answers,
    /// one to a primary that has become a replica, and one whose login has failed.
    #[must_use]
    pub fn from_manager(manager: ConnectionManager) -> Self {
        Self::over(Link::Managed(manager))
    }

    fn over(link: Link) -> Self {
        let scripts = Scripts {
            swap: Script::new(include_str!("swap.lua")),
            count: Script::new(include_str!("count.lua")),
            give_back: Script::new(include_str!("give_back.lua")),
        };
        Self { link, prefix: "auth:".into(), scripts: Arc::new(scripts), eviction: Arc::default() }
    }

    /// What all keys begin with. Default: `auth:`. Modules with different secrets or realms need no different prefixes.
    #[must_use]
    pub fn prefix(mut self, prefix: &str) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Values and counters have different keys, so that no operation finds the other kind.
    fn value(&self, key: &str) -> String {
        format!("{}v:{key}", self.prefix)
    }

    fn counter(&self, key: &str) -> String {
        format!("{}c:{key}", self.prefix)
    }

    async fn command<T: FromRedisValue>(&self, command: Cmd) -> Result<T, BoxError> {
        self.query(Request::Command(command)).await
    }

    async fn script<T: FromRedisValue>(&self, script: &ScriptInvocation<'_>) -> Result<T, BoxError> {
        self.query(Request::Script(script)).await
    }

    async fn query<T: FromRedisValue>(&self, request: Request<'_>) -> Result<T, BoxError> {
        let answer = tokio::time::timeout(TIMEOUT, async {
            self.eviction.read(&self.link).await?;
            self.link.query(&request).await
        });
        Ok(answer.await.map_err(|_elapsed| QueryError::TimedOut)??)
    }
}

/// The client for a URL. Over RESP3, unless the URL asks for RESP2, it notices a connection that Redis closes.
fn client(url: &str) -> Result<Client, InvalidRedisUrl> {
    let invalid = |error: redis::RedisError| {
        let text = error.to_string();
        // The detail can be a part of the URL.
        let reason = text.split(" - ").next().unwrap_or_default().to_owned();
        InvalidRedisUrl { reason }
    };
    let client = Client::open(url).map_err(invalid)?;
    if url.contains("protocol=") {
        return Ok(client);
    }
    let server = client.get_connection_info().clone();
    let settings = server.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
    Client::open(server.set_redis_settings(settings)).map_err(invalid)
}

/// The longest time to live: 1000 years. Redis refuses times beyond the range of its clock.
const LONGEST: u128 = 1000 * 365 * 24 * 3600 * 1000;

/// A time to live in milliseconds, rounded up: only [`Duration::ZERO`] is 0.
fn milliseconds(ttl: Duration) -> u64 {
    let milliseconds = ttl.as_nanos().div_ceil(1_000_000).min(LONGEST);
    milliseconds.try_into().unwrap_or(u64::MAX)
}

#[diagnostic::do_not_recommend]
impl SharedStore for RedisStore {}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EphemeralStore for RedisStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        self.command(Cmd::get(self.value(key))).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        let key = self.value(key);
        self.command(match milliseconds(ttl) {
            0 => Cmd::del(key),
            ttl => redis::cmd("SET").arg(key).arg(value).arg("PX").arg(ttl).take(),
        })
        .await
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        let presence = if expected.is_some() { "present" } else { "absent" };
        let mut swap = self.scripts.swap.key(self.value(key));
        swap.arg(presence).arg(expected.unwrap_or_default()).arg(value).arg(milliseconds(ttl));
        self.script(&swap).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        self.command(Cmd::del(&[self.value(key), self.counter(key)])).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        let mut count = self.scripts.count.key(self.counter(key));
        count.arg(limit).arg(milliseconds(window));
        let (is_taken, number): (bool, i64) = self.script(&count).await?;
        // Negative only if somebody has removed the counter's expiry.
        let number = number.try_into().unwrap_or_default();
        if is_taken {
            return Ok(Slot::Taken { window: Window::new(number) });
        }
        Ok(Slot::Full { retry_after: Duration::from_millis(number) })
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        let mut give_back = self.scripts.give_back.key(self.counter(key));
        give_back.arg(window.get());
        self.script(&give_back).await
    }

    fn warnings(&self) -> Vec<String> {
        let failover = "a replica of Redis that takes over may lack the last writes: a code that was used just before can \
                        then be used once more";
        std::iter::once(failover.to_owned()).chain(self.eviction.warning()).collect()
    }
}
