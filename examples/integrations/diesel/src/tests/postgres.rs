//! A database of a test's own.

use super::database::{self, Database};
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use std::io::Write;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const DEFAULT: &str = "postgres://postgres@127.0.0.1:5432";

/// A database with the tables of the migrations. It is deleted on drop.
pub(super) struct TestDatabase {
    server: String,
    name: String,
    pub(super) database: Database,
}

impl TestDatabase {
    /// `None` if the test must be skipped, because no server answers.
    pub(super) async fn create() -> Option<Self> {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        let server = server()?;
        let name = format!("diesel_host_{}_{}", std::process::id(), CREATED.fetch_add(1, Ordering::Relaxed));
        // One with this name can be left from a process that was killed and had this number.
        execute(&server, &format!("DROP DATABASE IF EXISTS {name}")).await.unwrap();
        execute(&server, &format!("CREATE DATABASE {name}")).await.unwrap();
        let url = format!("{server}/{name}");
        // Instances that start at once: one migrates, and the others wait for it.
        let (first, second) =
            tokio::join!(tokio::spawn(migrate(url.clone())), tokio::spawn(migrate(url.clone())));
        assert!(first.unwrap() && second.unwrap());
        let database = Database::open(&url).await.unwrap();
        Some(Self { server, name, database })
    }

    /// Runs statements on a connection of their own.
    pub(super) async fn execute(&self, sql: &str) {
        let url = format!("{}/{}", self.server, self.name);
        AsyncPgConnection::establish(&url).await.unwrap().batch_execute(sql).await.unwrap();
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        // A thread of its own, because this one belongs to the runtime of the test.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(execute(&server, &format!("DROP DATABASE {name} WITH (FORCE)")))
        });
        // The server may be gone. The next process with this number deletes the database.
        let _left = dropping.join();
    }
}

async fn migrate(url: String) -> bool {
    database::migrate(&url).await.is_ok()
}

/// Runs a statement in the server's own database.
async fn execute(server: &str, sql: &str) -> diesel::QueryResult<()> {
    let mut connection = AsyncPgConnection::establish(&format!("{server}/postgres")).await.unwrap();
    connection.batch_execute(sql).await
}

/// The URL of the server without the name of a database. `None` if none answers.
fn server() -> Option<String> {
    static SAID: Once = Once::new();
    let url = std::env::var("POSTGRES_URL").unwrap_or_else(|_unset| DEFAULT.to_owned());
    if answers(&url) {
        return Some(url.trim_end_matches('/').to_owned());
    }
    // Without the URL of the variable, which can have a password in it.
    let skipped = format!(
        "skipped tests: all that need PostgreSQL: nothing answers at $POSTGRES_URL, by default {DEFAULT}\n"
    );
    assert!(std::env::var_os("CI").is_none(), "{skipped}");
    // The test harness captures what `eprintln!` writes, but not this.
    SAID.call_once(|| std::io::stderr().write_all(skipped.as_bytes()).unwrap());
    None
}

/// Whether something listens at the host and port of a URL.
fn answers(url: &str) -> bool {
    let authority = url.split_once("://").unwrap().1.split(['/', '?']).next().unwrap();
    let address = authority.rsplit_once('@').map_or(authority, |(_, address)| address);
    let mut addresses = address.to_socket_addrs().into_iter().flatten();
    addresses.any(|address| TcpStream::connect_timeout(&address, Duration::from_secs(2)).is_ok())
}
