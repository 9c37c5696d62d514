//! The hosts that the comparison starts: processes, which end when their values are dropped, and when this process ends.

use crate::wire::BaseUrl;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A program of this workspace that is running.
pub(crate) struct HostProcess {
    child: Child,
    pub(crate) url: BaseUrl,
}

impl HostProcess {
    /// Starts the program, which cargo has built beside this one, and waits until it listens.
    ///
    /// # Errors
    /// A sentence that says why it does not.
    pub(crate) fn start(program: &str, database_url: Option<&str>, bcrypt_cost: u32) -> Result<Self, String> {
        let path = directory()?.join(program);
        let cannot = |error| format!("cannot start {}: {error}; `cargo build` makes it", path.display());
        let mut child = Command::new(&path)
            .env("LISTEN", "127.0.0.1:0")
            .env("DATABASE_URL", database_url.unwrap_or_default())
            .env("BCRYPT_COST", bcrypt_cost.to_string())
            // The child keeps the other end of its standard input until it is dropped.
            .env("END_WITH_INPUT", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(cannot)?;
        let mut line = String::new();
        let read = child.stdout.take().map(|stdout| BufReader::new(stdout).read_line(&mut line));
        // From here on the process is ended if anything fails.
        let unknown = BaseUrl { authority: String::new(), prefix: String::new() };
        let mut host = Self { child, url: unknown };
        match read {
            Some(Ok(length)) if length > 0 => {
                host.url = BaseUrl::parse(line.trim())?;
                Ok(host)
            }
            _ => Err(format!("{program} ended before it listened")),
        }
    }

    /// The memory that is resident, in MiB.
    pub(crate) fn resident(&self) -> Result<f64, String> {
        resident(self.child.id())
    }

    /// The time that its threads have used processors, in seconds.
    pub(crate) fn processor_time(&self) -> Result<f64, String> {
        let path = format!("/proc/{}/stat", self.child.id());
        let stat = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        // The name of the program, in parentheses, may contain anything. `utime` and `stime` are fields 14 and 15.
        let fields = stat.rsplit_once(')').map(|(_, fields)| fields.split_whitespace().skip(11));
        let ticks: Option<u64> =
            fields.and_then(|fields| fields.take(2).map(|field| field.parse::<u64>().ok()).sum());
        let ticks = ticks.ok_or_else(|| format!("{path} is not as expected"))?;
        Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }
}

impl Drop for HostProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The resident memory of a process, in MiB.
///
/// # Errors
/// If there is no such process.
pub(crate) fn resident(process: u32) -> Result<f64, String> {
    let path = format!("/proc/{process}/status");
    let status = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: Option<f64> = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    kib.map(|kib| kib / 1024.0).ok_or_else(|| format!("{path} has no VmRSS"))
}

/// Where cargo has put the programs.
pub(crate) fn directory() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    own.parent().map(PathBuf::from).ok_or_else(|| "this program is in no directory".to_owned())
}
