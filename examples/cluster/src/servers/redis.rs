//! A Redis of the cluster's own.

use super::process::Process;
use super::{Directory, Programs, free_port};
use crate::cluster::secret;
use axum_auth_module::BoxError;
use rustix::process::Signal;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

/// How long it may take until it responds, reading its file included.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that has every write on its disk before it responds (`appendfsync always`): used codes stay used after a
/// power failure, too. It costs one `fsync` for all commands that arrive at the same time. With `everysec` the process can
/// be killed without a loss as well, but a power failure loses the last second.
pub struct Redis {
    program: PathBuf,
    config: PathBuf,
    log: PathBuf,
    port: u16,
    password: String,
    process: Process,
}

impl Redis {
    /// Writes its configuration and starts it.
    ///
    /// # Errors
    /// If that fails.
    pub(crate) async fn start(programs: &Programs, directory: &Directory) -> Result<Self, BoxError> {
        let home = directory.create_private("redis")?;
        let port = free_port()?;
        let password = secret()?.replace(['/', '+', '='], "");
        let config = home.join("redis.conf");
        let settings = format!(
            "bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir {}\nsave \"\"\nappendonly yes\nappendfsync always\n\
             maxmemory 256mb\nmaxmemory-policy noeviction\n",
            home.display()
        );
        fs::write(&config, settings)?;
        let log = directory.path().join("redis.log");
        let program = programs.redis_server.clone();
        let mut server = Self { program, config, log, port, password, process: Process::default() };
        server.run().await?;
        Ok(server)
    }

    /// Starts it and waits until it responds.
    ///
    /// # Errors
    /// If it does not within a minute.
    pub async fn run(&mut self) -> Result<(), BoxError> {
        self.process = Process::start(Command::new(&self.program).arg(&self.config), &self.log)?;
        let began = Instant::now();
        while !matches!(timeout(Duration::from_secs(1), self.responds()).await, Ok(Ok(true))) {
            if !self.process.is_running() || began.elapsed() > PATIENCE {
                let log = fs::read_to_string(&self.log).unwrap_or_default();
                return Err(format!("Redis does not start:\n{log}").into());
            }
            sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Whether it has read its file, and executes commands.
    async fn responds(&self) -> io::Result<bool> {
        let mut connection = TcpStream::connect(("127.0.0.1", self.port)).await?;
        connection.write_all(format!("AUTH {}\r\nPING\r\nQUIT\r\n", self.password).as_bytes()).await?;
        let mut response = String::new();
        connection.read_to_string(&mut response).await?;
        Ok(response.contains("+PONG"))
    }

    /// What connects to it, with the password.
    pub(crate) fn url(&self) -> String {
        format!("redis://:{}@127.0.0.1:{}", self.password, self.port)
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it without a goodbye.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Stops it from doing anything: it keeps its connections, and does not respond.
    pub fn freeze(&mut self) {
        self.process.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn thaw(&mut self) {
        self.process.signal(Signal::CONT);
    }

    /// Ends it.
    pub async fn end(&mut self) {
        self.process.end(Signal::TERM, Duration::from_secs(20)).await;
    }
}
