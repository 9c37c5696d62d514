//! The example programs, as they are started by hand.

use crate::browser::directory::{Directory, artefact};
use crate::browser::wait::PATIENCE;
use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

/// A running example, with a directory of its own as its working directory.
pub(crate) struct Program {
    process: Child,
    address: String,
    directory: Directory,
}

impl Program {
    /// Starts the program from the directory `PROGRAMS` with only these environment variables, on a free port, and waits for the
    /// line with its address.
    pub(crate) fn start(name: &str, environment: &[(&str, &str)]) -> Self {
        let programs = env::var_os("PROGRAMS").expect("`tests/chromium/run` sets PROGRAMS");
        let program = PathBuf::from(programs).join(name);
        let directory = Directory::for_database();
        let log = directory.path().join("stderr");
        let mut process = Command::new(&program)
            .env_clear()
            .env("ADDR", "127.0.0.1:0")
            // The least that is allowed: these tests log in often.
            .env("AUTH_BCRYPT_COST", "10")
            .envs(environment.iter().copied())
            .current_dir(directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).expect("a log"))
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let (send, line) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        let line = line.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            panic!("{name} does not say its address: {}", fs::read_to_string(&log).unwrap_or_default())
        });
        let address = line.strip_prefix("listening on ").unwrap_or_else(|| panic!("{name}: {line}"));
        Self { process, address: address.to_owned(), directory }
    }

    /// [`start`](Self::start) with variables that were made up.
    pub(crate) fn start_with(name: &str, environment: &[(String, String)]) -> Self {
        let environment: Vec<_> = environment.iter().map(|(name, value)| (&**name, &**value)).collect();
        Self::start(name, &environment)
    }

    /// Visitors open it at `localhost` and not at the IP address that it prints: browsers have passkeys for names alone.
    pub(crate) fn at_localhost(mut self) -> Self {
        self.address = self.address.replace("127.0.0.1", "localhost");
        self
    }

    /// Its address.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Its working directory.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }
}

impl Drop for Program {
    /// Ends the program. What a program has logged is kept if its test fails.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if thread::panicking() {
            let test = thread::current().name().unwrap_or("unknown").replace("::", "-");
            let _ = fs::copy(self.directory.path().join("stderr"), artefact(&format!("failures/{test}.log")));
        }
    }
}
