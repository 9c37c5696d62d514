//! Connections that the pool does not test: each read is one round trip, and a connection that has ended in the meantime is no
//! failure.

use super::{Inner, Kind, PATIENT, Tested, on};
use crate::repository::{SessionKind, SessionRecord, SessionRepository};
use crate::sql::database::MOST;
use crate::sql::statement::Statement;
use crate::sql::{Database, SqlSessions, Table, migrate_only};
use sqlx::mysql::{MySqlConnectOptions, MySqlPoolOptions};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast;

/// How often the round trips are counted.
const TIMES: usize = 5;

fn session(id: usize) -> SessionRecord {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000);
    SessionRecord::new(id.to_string(), "ada", SessionKind::Bearer, "state", time, time)
}

/// A pool of one connection to the database of a test, through a proxy.
async fn pool(tested: &Tested, proxy: &Proxy, tests_connections: bool) -> Database {
    let (url, port) = (tested.place.url(), proxy.address.port());
    let database: Database = match tested.kind {
        Kind::Postgres => {
            let options = url.parse::<PgConnectOptions>().unwrap().port(port);
            let pool = PgPoolOptions::new().max_connections(1).test_before_acquire(tests_connections);
            pool.connect_with(options).await.unwrap().into()
        }
        Kind::MySql => {
            let options = url.parse::<MySqlConnectOptions>().unwrap().port(port);
            let pool = MySqlPoolOptions::new().max_connections(1).test_before_acquire(tests_connections);
            pool.connect_with(options).await.unwrap().into()
        }
        Kind::Sqlite => panic!("not over a network"),
    };
    database.timeout(PATIENT)
}

/// Passes everything on to the server, and counts what clients send.
struct Proxy {
    address: SocketAddr,
    sent: Arc<AtomicUsize>,
    connections: broadcast::Sender<Vec<u8>>,
}

impl Proxy {
    async fn start(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, sent) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let (connections, _) = broadcast::channel::<Vec<u8>>(1);
        let (counter, closing) = (Arc::clone(&sent), connections.clone());
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let upstream = TcpStream::connect(&server).await.unwrap();
                client.set_nodelay(true).unwrap();
                upstream.set_nodelay(true).unwrap();
                let (counter, mut closed) = (Arc::clone(&counter), closing.subscribe());
                tokio::spawn(async move {
                    let farewell = tokio::select! {
                        () = pass_on(&mut client, upstream, &counter) => return,
                        farewell = closed.recv() => farewell.unwrap_or_default(),
                    };
                    client.write_all(&farewell).await.unwrap();
                });
            }
        });
        Self { address, sent, connections }
    }

    /// Sends a last message to all clients and closes their connections.
    async fn close_connections(&self, farewell: &[u8]) {
        let _nobody = self.connections.send(farewell.to_owned());
        tokio::task::yield_now().await;
    }

    fn take_sent(&self) -> usize {
        self.sent.swap(0, Ordering::SeqCst)
    }
}

async fn pass_on(client: &mut TcpStream, mut server: TcpStream, sent: &AtomicUsize) {
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.split(), server.split());
    let requests = async {
        let mut buffer = [0; 1 << 14];
        while let Ok(read @ 1..) = from_client.read(&mut buffer).await {
            sent.fetch_add(1, Ordering::SeqCst);
            to_server.write_all(&buffer[..read]).await.unwrap();
        }
    };
    tokio::select! {
        () = requests => {}
        _ = tokio::io::copy(&mut from_server, &mut to_client) => {}
    }
}

async fn on_each_server<F: Future<Output = ()>>(test: impl Fn(Arc<Tested>, Proxy) -> F) {
    for kind in [Kind::Postgres, Kind::MySql] {
        on(kind, async |tested| {
            migrate_only(&tested.database, &[Table::AuthSessions]).await.unwrap();
            let server = match &tested.database.0 {
                Inner::Postgres(pool) => {
                    let options = pool.pool().connect_options();
                    format!("{}:{}", options.get_host(), options.get_port())
                }
                Inner::MySql(pool) => {
                    let options = pool.pool().connect_options();
                    format!("{}:{}", options.get_host(), options.get_port())
                }
                Inner::Sqlite(_) => panic!("not over a network"),
            };
            test(tested, Proxy::start(server).await).await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_read_is_one_round_trip_unless_the_pool_tests_its_connections() {
    on_each_server(async |tested, proxy| {
        for (tests_connections, round_trips) in [(false, 1), (true, 2)] {
            let database = pool(&tested, &proxy, tests_connections).await;
            let sessions = SqlSessions::new(database.clone());
            // The statement is prepared.
            sessions.find("1").await.unwrap();
            for _ in 0..TIMES {
                is_returned(&database).await;
                proxy.take_sent();
                sessions.find("1").await.unwrap();
                assert_eq!(proxy.take_sent(), round_trips, "{:?} {tests_connections}", tested.kind);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn reads_that_wait_pass_their_connection_on_without_a_test() {
    on_each_server(async |tested, proxy| {
        let database = pool(&tested, &proxy, false).await;
        let sessions = SqlSessions::new(database.clone());
        sessions.find("1").await.unwrap();
        is_returned(&database).await;
        proxy.take_sent();
        let reads = 4 * MOST as usize;
        futures_util::future::join_all((0..reads).map(|_| sessions.find("1"))).await;
        is_returned(&database).await;
        let tests = proxy.take_sent() - reads;
        assert!((1..=4).contains(&tests), "{:?}: {tests} tests for {reads} reads", tested.kind);
    })
    .await;
}

/// Waits until the pool has its connection back. sqlx tests it at this moment, too, but no request waits for that.
async fn is_returned(database: &Database) {
    let idle = || match &database.0 {
        Inner::Sqlite(pool) => pool.pool().num_idle(),
        Inner::Postgres(pool) => pool.pool().num_idle(),
        Inner::MySql(pool) => pool.pool().num_idle(),
    };
    while idle() == 0 {
        tokio::task::yield_now().await;
    }
}

/// How a connection ends that nobody uses.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Without a message, as by a firewall.
    Closed,
    /// With the server's message that the connection was idle for too long.
    Idle,
    /// By a command of an administrator.
    Killed,
}

impl End {
    async fn of_all_connections(self, tested: &Tested, proxy: &Proxy) {
        match (self, tested.kind) {
            (Self::Closed, _) => proxy.close_connections(&[]).await,
            // An ErrorResponse of `idle_session_timeout`.
            (Self::Idle, Kind::Postgres) => {
                proxy.close_connections(b"E\0\0\0\x1dSFATAL\0VFATAL\0C57P05\0M-\0\0").await;
            }
            // An ERR_Packet of MySQL 8, error 4031; MariaDB only closes the connection.
            (Self::Idle, _) => proxy.close_connections(b"\x0a\0\0\0\xff\xbf\x0f#HY000-").await,
            (Self::Killed, _) => kill_all_connections(tested).await,
        }
    }
}

/// Ends all connections to the database of a test, and waits until they are gone.
async fn kill_all_connections(tested: &Tested) {
    let (others, kill) = match tested.kind {
        Kind::Postgres => (
            "SELECT pid::bigint AS id FROM pg_stat_activity WHERE datname = current_database() \
             AND pid <> pg_backend_pid()",
            "SELECT pg_terminate_backend",
        ),
        Kind::MySql => (
            "SELECT CAST(id AS signed) AS id FROM information_schema.processlist WHERE db = database() \
             AND id <> connection_id()",
            "KILL",
        ),
        Kind::Sqlite => panic!("not over a network"),
    };
    let administrator = tested.another(1).await;
    loop {
        let others = administrator.fetch(Statement::<String>::new(others)).await.unwrap();
        if others.is_empty() {
            return;
        }
        for other in others {
            let kill = format!("{kill} ({})", other.get::<i64>("id").unwrap());
            // It may be gone already.
            let _gone = administrator.execute(Statement::<String>::new(kill)).await;
        }
    }
}

#[tokio::test]
async fn a_connection_that_has_ended_in_the_meantime_is_no_failure() {
    on_each_server(async |tested, proxy| {
        for tests_connections in [false, true] {
            let database = pool(&tested, &proxy, tests_connections).await;
            let sessions = SqlSessions::new(database.clone());
            for end in [End::Closed, End::Idle, End::Killed].repeat(2) {
                let case = format!("{:?} {tests_connections} {end:?}", tested.kind);
                is_returned(&database).await;
                end.of_all_connections(&tested, &proxy).await;
                sessions.create(session(1)).await.expect(&case);
                is_returned(&database).await;
                end.of_all_connections(&tested, &proxy).await;
                assert!(sessions.find("1").await.expect(&case) == Some(session(1)), "{case}");
                is_returned(&database).await;
                end.of_all_connections(&tested, &proxy).await;
                assert!(sessions.delete("1").await.expect(&case), "{case}");
            }
        }
    })
    .await;
}
