//! A PostgreSQL of the cluster's own.

use super::process::Process;
use super::{Directory, Programs, free_port};
use crate::cluster::secret;
use axum_auth_module::BoxError;
use rustix::process::{Pid, Signal, kill_process};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgSslMode};
use sqlx::{ConnectOptions, Row};
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long it may take until it accepts connections, a recovery included.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that writes what it has committed to the disk (`fsync`), so a kill loses nothing that was answered.
pub struct Postgres {
    program: PathBuf,
    owner: Option<Owner>,
    data: PathBuf,
    log: PathBuf,
    port: u16,
    password: String,
    process: Process,
    frozen: Vec<Pid>,
}

/// The user that the server runs as, because it refuses to run as root.
#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

impl Postgres {
    /// Creates its files and starts it.
    ///
    /// # Errors
    /// If that fails. The error contains what the program has written.
    pub(crate) async fn start(programs: &Programs, directory: &Directory) -> Result<Self, BoxError> {
        let owner = if rustix::process::geteuid().is_root() { Some(unprivileged()?) } else { None };
        let home = directory.create_private("postgres")?;
        // In base64 there can be `/` and `+`, which would have to be escaped in a URL.
        let password = secret()?.replace(['/', '+', '='], "");
        let password_file = home.join("password");
        fs::write(&password_file, &password)?;
        for path in [&home, &password_file] {
            owner.map_or(Ok(()), |owner| chown(path, Some(owner.user), Some(owner.group)))?;
        }
        let data = home.join("data");
        let mut initdb = Command::new(&programs.initdb);
        initdb.args([
            "--username=postgres",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        ]);
        initdb.arg("--pgdata").arg(&data).arg("--pwfile").arg(&password_file).current_dir(&home);
        let done = as_owner(&mut initdb, owner).output()?;
        if !done.status.success() {
            return Err(format!("initdb failed:\n{}", String::from_utf8_lossy(&done.stderr)).into());
        }
        let mut server = Self {
            program: programs.postgres.clone(),
            owner,
            data,
            log: directory.path().join("postgres.log"),
            port: free_port()?,
            password,
            process: Process::default(),
            frozen: Vec::new(),
        };
        server.run().await?;
        Ok(server)
    }

    /// Starts it and waits until it accepts connections.
    ///
    /// # Errors
    /// If it does not within a minute.
    pub async fn run(&mut self) -> Result<(), BoxError> {
        let began = Instant::now();
        loop {
            // After a kill it does not start before the last process of the killed server has ended.
            if !self.process.is_running() {
                self.process = self.spawn()?;
            }
            if let Ok(Ok(_connection)) = timeout(Duration::from_secs(2), self.connect()).await {
                return Ok(());
            }
            if began.elapsed() > PATIENCE {
                let log = fs::read_to_string(&self.log).unwrap_or_default();
                return Err(format!("PostgreSQL does not start:\n{log}").into());
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn spawn(&self) -> std::io::Result<Process> {
        let mut command = Command::new(&self.program);
        command.arg("-D").arg(&self.data).arg("-p").arg(self.port.to_string());
        // The defaults that make a commit durable are written here because everything depends on them.
        for setting in [
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=on",
            "synchronous_commit=on",
            "full_page_writes=on",
            "max_connections=80",
            "shared_buffers=32MB",
        ] {
            command.args(["-c", setting]);
        }
        Process::start(as_owner(command.current_dir(&self.data), self.owner), &self.log)
    }

    /// A connection of one's own.
    ///
    /// # Errors
    /// If it does not respond.
    pub async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        let options = PgConnectOptions::new_without_pgpass();
        let options = options.host("127.0.0.1").port(self.port).username("postgres").password(&self.password);
        options.database("postgres").ssl_mode(PgSslMode::Disable).connect().await
    }

    /// What connects to it, with the password.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres:{}@127.0.0.1:{}/postgres?sslmode=disable", self.password, self.port)
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it without a goodbye. The processes that serve its connections notice that, and end too.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Stops it from doing anything: it keeps its connections and accepts new ones, and does not respond.
    ///
    /// # Errors
    /// If it does not say which processes it has.
    pub async fn freeze(&mut self) -> Result<(), BoxError> {
        let mut connection = self.connect().await?;
        // From now on there are no new processes.
        self.process.signal(Signal::STOP);
        // The process of this connection is the last.
        let all = "SELECT pid FROM pg_stat_activity ORDER BY pid = pg_backend_pid()";
        let rows = sqlx::query(all).fetch_all(&mut connection).await;
        let pids = rows.map(|rows| rows.iter().filter_map(|row| Pid::from_raw(row.get(0))).collect());
        self.frozen = pids.inspect_err(|_| self.process.signal(Signal::CONT))?;
        self.send(Signal::STOP);
        Ok(())
    }

    /// Lets it go on.
    pub fn thaw(&mut self) {
        self.send(Signal::CONT);
        self.process.signal(Signal::CONT);
        self.frozen.clear();
    }

    fn send(&self, signal: Signal) {
        for &pid in &self.frozen {
            // A connection may have ended in the meantime.
            let _ = kill_process(pid, signal);
        }
    }

    /// Ends it, and its connections.
    pub async fn end(&mut self) {
        self.process.end(Signal::INT, Duration::from_secs(20)).await;
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.thaw();
    }
}

/// The user `postgres`, or else `nobody`.
fn unprivileged() -> Result<Owner, BoxError> {
    let users = fs::read_to_string("/etc/passwd")?;
    let find = |wanted: &str| {
        users.lines().find_map(|line| {
            let mut fields = line.split(':');
            let (name, user, group) = (fields.next()?, fields.nth(1)?, fields.next()?);
            (name == wanted).then_some(Owner { user: user.parse().ok()?, group: group.parse().ok()? })
        })
    };
    let owner = find("postgres").or_else(|| find("nobody"));
    owner.ok_or_else(|| {
        "PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody`".into()
    })
}

fn as_owner(command: &mut Command, owner: Option<Owner>) -> &mut Command {
    match owner {
        Some(owner) => command.uid(owner.user).gid(owner.group),
        None => command,
    }
}
