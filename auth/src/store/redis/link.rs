//! The way to Redis: a connection that is replaced when it is of no more use.
//!
//! A [`ConnectionManager`] alone keeps a connection that has stopped answering because the other machine is gone, one to a
//! primary that has become a replica, and one whose login has failed: until the host is restarted.

use crate::store::attempt::Attempted;
use crate::telemetry::without_arguments;
use redis::aio::{ConnectionLike, ConnectionManager, MultiplexedConnection};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, PushInfo, PushKind, RedisError,
    RedisResult, ScriptInvocation, ServerErrorKind,
};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long connecting may take, with the login.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);
/// How long Redis may take to answer a command.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(500);
/// How long an operation may take in all, also on a [`ConnectionManager`] with other times.
pub(super) const TIMEOUT: Duration = Duration::from_secs(1);

/// Where requests go. Clones share the connection.
#[derive(Clone)]
pub(super) enum Link {
    /// Connects by itself.
    Own(Arc<Reconnecting>),
    /// The host's own connection, which reconnects as the host has configured it.
    Managed(ConnectionManager),
}

/// What is sent.
pub(super) enum Request<'a> {
    Command(Cmd),
    /// `EVALSHA`, after `SCRIPT LOAD` if Redis does not know the script.
    Script(&'a ScriptInvocation<'a>),
}

/// Connects when a request needs it and there is no usable connection.
pub(super) struct Reconnecting {
    client: Client,
    connection: Attempted<Connection, RedisError>,
}

#[derive(Clone)]
struct Connection {
    redis: MultiplexedConnection,
    /// Whether the next request needs another connection.
    is_broken: Arc<AtomicBool>,
}

impl Link {
    pub(super) fn own(client: Client) -> Self {
        Self::Own(Arc::new(Reconnecting { client, connection: Attempted::default() }))
    }

    /// The response to a request.
    pub(super) async fn query<T: FromRedisValue>(&self, request: &Request<'_>) -> Result<T, QueryError> {
        Ok(match self {
            Self::Own(redis) => redis.query(request).await?,
            Self::Managed(redis) => request.send(&mut redis.clone()).await?,
        })
    }
}

#[cfg(test)]
impl Link {
    /// Whether the next request needs another connection.
    pub(super) fn is_broken(&self) -> bool {
        match self {
            Self::Own(redis) => !redis.connection.is_kept(Connection::is_usable),
            Self::Managed(_) => false,
        }
    }
}

impl Reconnecting {
    async fn query<T: FromRedisValue>(&self, request: &Request<'_>) -> RedisResult<T> {
        let connect = || Connection::open(self.client.clone());
        let mut connection = self.connection.get(Connection::is_usable, connect).await?;
        let response = request.send(&mut connection.redis).await;
        if response.as_ref().is_err_and(is_of_the_connection) {
            connection.is_broken.store(true, Ordering::Release);
        }
        response
    }
}

impl Connection {
    async fn open(client: Client) -> RedisResult<Self> {
        let is_broken = Arc::new(AtomicBool::new(false));
        let mut config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT));
        if client.get_connection_info().redis_settings().protocol().supports_resp3() {
            // A connection that Redis closes, for example because it was idle, is replaced before a request fails on it.
            let is_broken = Arc::clone(&is_broken);
            config = config.set_push_sender(move |push: PushInfo| {
                if push.kind == PushKind::Disconnection {
                    is_broken.store(true, Ordering::Release);
                }
                Ok::<(), Infallible>(())
            });
        }
        let redis = client.get_multiplexed_async_connection_with_config(&config).await?;
        Ok(Self { redis, is_broken })
    }

    fn is_usable(&self) -> bool {
        !self.is_broken.load(Ordering::Acquire)
    }
}

impl Request<'_> {
    async fn send<T: FromRedisValue>(&self, to: &mut impl ConnectionLike) -> RedisResult<T> {
        match self {
            Self::Command(command) => command.query_async(to).await,
            Self::Script(script) => script.invoke_async(to).await,
        }
    }
}

/// Whether another connection may do better: this one does not answer, or leads to a replica.
fn is_of_the_connection(error: &RedisError) -> bool {
    match error.kind() {
        ErrorKind::Server(kind) => matches!(kind, ServerErrorKind::ReadOnly | ServerErrorKind::MasterDown),
        ErrorKind::Extension => false,
        _ => true,
    }
}

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
pub(super) enum QueryError {
    #[error("Redis did not answer within {TIMEOUT:?}")]
    TimedOut,
    /// `#[from]` would make it the source, whose text has the arguments.
    #[error("Redis: {}", without_arguments(.0))]
    Redis(RedisError),
}

impl QueryError {
    /// Whether Redis has answered the request with an error.
    pub(super) fn is_an_answer(&self) -> bool {
        matches!(self, Self::Redis(error) if matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension))
    }
}

impl From<RedisError> for QueryError {
    fn from(error: RedisError) -> Self {
        Self::Redis(error)
    }
}
