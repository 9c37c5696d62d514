//! A PostgreSQL or MariaDB of a test's own, which it can freeze, kill and start again.

use super::databases::{Kind, connect};
use super::servers::{free_port, skip};
use axum_auth_module::sql::Database;
use sqlx::{Connection, MySqlConnection, PgConnection};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server on a free port, with a directory that is deleted with it.
pub(crate) struct DatabaseServer {
    kind: Kind,
    port: u16,
    directory: PathBuf,
    programs: PathBuf,
    process: Option<Child>,
}

impl DatabaseServer {
    /// A server that runs. `None` if the test must be skipped because its programs are missing.
    pub(crate) async fn start(kind: Kind) -> Option<Self> {
        let Some(programs) = programs(kind) else {
            skip(&format!("all that start a {kind:?}: its programs are missing"));
            return None;
        };
        let port = free_port();
        let directory = std::env::temp_dir().join(format!("database-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let mut server = Self { kind, port, directory, programs, process: None };
        server.initialize();
        server.run().await;
        Some(server)
    }

    fn url(&self) -> String {
        match self.kind {
            Kind::Postgres => format!("postgres://postgres@127.0.0.1:{}/postgres", self.port),
            _ => format!("mysql://root@127.0.0.1:{}/test", self.port),
        }
    }

    /// A new pool of connections, with the time limit that hosts have.
    pub(crate) async fn connect(&self) -> Database {
        connect(self.kind, &self.url(), 4).await
    }

    /// Creates the tables of the library and of the host.
    pub(crate) async fn create_tables(&self) {
        super::places::create_tables(self.kind, &self.url()).await;
    }

    /// Fills the directory.
    fn initialize(&self) {
        let mut command = match self.kind {
            Kind::Postgres => {
                if is_root() {
                    run(Command::new("chown").arg("postgres").arg(&self.directory));
                }
                let mut command = self.program("initdb");
                command.args(["-U", "postgres", "-A", "trust", "--no-sync", "-D"]).arg(&self.directory);
                command
            }
            _ => {
                let mut command = self.program("mariadb-install-db");
                command.args(["--no-defaults", "--auth-root-authentication-method=normal", "--user=root"]);
                command.arg(format!("--datadir={}", self.directory.display()));
                command
            }
        };
        run(&mut command);
    }

    /// Starts it, on the same port and with what it had stored, and waits until it answers.
    pub(crate) async fn run(&mut self) {
        let port = self.port.to_string();
        let mut command = match self.kind {
            Kind::Postgres => {
                let mut command = self.program("postgres");
                command.arg("-D").arg(&self.directory).args([
                    "-p",
                    &port,
                    "-c",
                    "listen_addresses=127.0.0.1",
                ]);
                command.args(["-c", "unix_socket_directories=", "-c", "fsync=off"]);
                command
            }
            _ => {
                let mut command = self.program("mariadbd");
                command.args(["--no-defaults", "--user=root", "--bind-address=127.0.0.1", "--port", &port]);
                command.arg(format!("--datadir={}", self.directory.display()));
                command.arg(format!("--socket={}", self.directory.join("socket").display()));
                command
            }
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(command.spawn().unwrap());
        let began = Instant::now();
        while !self.answers().await {
            assert!(began.elapsed() < Duration::from_secs(60), "the server does not answer");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn answers(&self) -> bool {
        match self.kind {
            Kind::Postgres => PgConnection::connect(&self.url()).await.is_ok(),
            _ => {
                let url = self.url().replace("/test", "/mysql");
                let Ok(mut connection) = MySqlConnection::connect(&url).await else { return false };
                let create = sqlx::raw_sql("CREATE DATABASE IF NOT EXISTS test");
                create.execute(&mut connection).await.is_ok()
            }
        }
    }

    /// Its processes do nothing any more; the system still accepts connections for it.
    pub(crate) fn freeze(&self) {
        let server = self.process.as_ref().expect("the server runs").id();
        send("-STOP", server);
        // Until it has stopped, it can start another process for a connection.
        while stat(Path::new(&format!("/proc/{server}")), 0).as_deref() != Some("T") {
            std::thread::yield_now();
        }
        self.signal("-STOP");
    }

    /// Goes on after [`freeze`](Self::freeze).
    pub(crate) fn thaw(&self) {
        self.signal("-CONT");
    }

    /// Ends its processes without a goodbye.
    pub(crate) fn kill(&mut self) {
        if self.process.is_some() {
            self.signal("-KILL");
        }
        if let Some(mut process) = self.process.take() {
            process.wait().unwrap();
        }
    }

    /// Sends a signal to the server, and then to the processes that it has started for its connections.
    fn signal(&self, signal: &str) {
        let server = self.process.as_ref().expect("the server runs").id();
        send(signal, server);
        for child in children(server) {
            send(signal, child);
        }
    }

    /// One of its programs, as a user that may run it: PostgreSQL's do not run as root.
    fn program(&self, name: &str) -> Command {
        let program = match self.kind {
            Kind::Postgres => self.programs.join(name),
            _ => PathBuf::from(name),
        };
        if self.kind != Kind::Postgres || !is_root() {
            return Command::new(program);
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]).arg(program);
        command.current_dir(&self.directory);
        command
    }
}

impl Drop for DatabaseServer {
    fn drop(&mut self) {
        self.kill();
        let _left = std::fs::remove_dir_all(&self.directory);
    }
}

/// The folder of the server's programs.
fn programs(kind: Kind) -> Option<PathBuf> {
    let folders = match kind {
        Kind::Postgres => {
            let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
            versions.map(|version| version.path().join("bin")).collect()
        }
        _ => vec![PathBuf::from("/usr/sbin"), PathBuf::from("/usr/bin")],
    };
    let program = if kind == Kind::Postgres { "initdb" } else { "mariadbd" };
    folders.into_iter().find(|folder| folder.join(program).exists())
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A process that has ended meanwhile needs no signal.
fn send(signal: &str, process: u32) {
    let mut command = Command::new("kill");
    let _sent = command.args([signal, &process.to_string()]).stderr(Stdio::null()).status().unwrap();
}

/// A field of a process after its name: 0 is the state, 1 the parent.
fn stat(folder: &Path, field: usize) -> Option<String> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // The name in parentheses can contain spaces.
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(field).map(str::to_owned)
}

/// The processes whose parent is this one.
fn children(parent: u32) -> Vec<u32> {
    let is_child = |folder: &Path| stat(folder, 1) == Some(parent.to_string());
    let folders = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    let children = folders.filter(|folder| is_child(folder));
    children.filter_map(|folder| folder.file_name()?.to_str()?.parse().ok()).collect()
}
