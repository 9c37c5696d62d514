//! A process that can be killed and frozen.

use rustix::process::{Pid, Signal, kill_process};
use std::fs::OpenOptions;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// A process that is killed when it is dropped. It goes on if this program itself is killed with SIGKILL.
#[derive(Default)]
pub(super) struct Process(Option<Child>);

impl Process {
    /// Starts it, with a group of its own: Ctrl-C in the terminal does not reach it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(super) fn start(command: &mut Command, log: &Path) -> io::Result<Self> {
        let log = OpenOptions::new().create(true).append(true).open(log)?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
        Ok(Self(Some(command.spawn()?)))
    }

    pub(super) fn is_running(&mut self) -> bool {
        self.0.as_mut().is_some_and(|child| child.try_wait().is_ok_and(|status| status.is_none()))
    }

    /// Sends a signal, unless it has ended.
    pub(super) fn signal(&mut self, signal: Signal) {
        if self.is_running()
            && let Some(child) = &self.0
        {
            // It may have ended in the meantime.
            let _ = kill_process(Pid::from_child(child), signal);
        }
    }

    /// Ends it without a goodbye.
    pub(super) fn kill(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Asks it to end, and kills it if it takes too long. Returns whether it has ended by itself.
    pub(super) async fn end(&mut self, signal: Signal, patience: Duration) -> bool {
        self.signal(signal);
        let began = Instant::now();
        while self.is_running() {
            if began.elapsed() > patience {
                self.kill();
                return false;
            }
            sleep(Duration::from_millis(10)).await;
        }
        self.0 = None;
        true
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
