//! An instance of the host, as a process.

use super::process::Process;
use super::{Directory, free_port};
use crate::host::variables;
use axum_auth_module::BoxError;
use rustix::process::Signal;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use std::{env, fs};
use tokio::time::{Instant, sleep};

/// How long it may take until it is ready, and until it has ended.
const PATIENCE: Duration = Duration::from_secs(60);

/// An instance. It has the same address whenever it is started again.
pub struct Instance {
    address: SocketAddr,
    environment: Vec<(&'static str, String)>,
    log: PathBuf,
    process: Process,
}

impl Instance {
    /// Starts it. It is not ready yet.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn start(
        number: u8,
        directory: &Directory,
        mut environment: Vec<(&'static str, String)>,
    ) -> Result<Self, BoxError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?));
        environment.push((variables::ADDRESS, address.to_string()));
        let log = directory.path().join(format!("instance-{number}.log"));
        let mut instance = Self { address, environment, log, process: Process::default() };
        instance.run()?;
        Ok(instance)
    }

    /// Starts it again. It is not ready yet.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(&mut self) -> Result<(), BoxError> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("instance").envs(self.environment.iter().map(|(name, value)| (name, value)));
        self.process = Process::start(&mut command, &self.log)?;
        Ok(())
    }

    /// Waits until it is ready.
    ///
    /// # Errors
    /// If it ends or is not ready within a minute. The error contains its log.
    pub async fn ready(&mut self) -> Result<(), BoxError> {
        let url = format!("http://{}/healthz", self.address);
        let began = Instant::now();
        while !reqwest::get(&url).await.is_ok_and(|response| response.status().is_success()) {
            if !self.process.is_running() || began.elapsed() > PATIENCE {
                let log = fs::read_to_string(&self.log).unwrap_or_default();
                return Err(format!("an instance does not start:\n{log}").into());
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Where the instance listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it without a goodbye.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Ends it with SIGTERM: it completes the requests in progress. Returns whether it has ended by itself.
    pub async fn end(&mut self) -> bool {
        self.process.end(Signal::TERM, PATIENCE).await
    }
}
