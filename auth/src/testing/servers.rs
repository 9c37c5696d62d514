//! The servers that tests need: one that is running already, or one that a test starts, stops and freezes.
//!
//! The library's own tests and the HTTP tests compile this file. A test whose server is missing is skipped, with one line on
//! stderr for all tests of a program; with the environment variable `CI` it fails.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A server that runs on the machine of the tests, or elsewhere.
pub(crate) struct Server {
    pub(crate) name: &'static str,
    /// The environment variable with its URL.
    pub(crate) variable: &'static str,
    /// The URL without the variable. It has a port.
    pub(crate) url: &'static str,
}

pub(crate) const REDIS: Server =
    Server { name: "Redis", variable: "REDIS_URL", url: "redis://127.0.0.1:6379" };

pub(crate) const POSTGRES: Server =
    Server { name: "PostgreSQL", variable: "POSTGRES_URL", url: "postgres://postgres@127.0.0.1:5432" };

pub(crate) const MYSQL: Server =
    Server { name: "MySQL or MariaDB", variable: "MYSQL_URL", url: "mysql://root@127.0.0.1:3306" };

impl Server {
    /// The server's URL, or `None` if the test must be skipped because no server answers.
    pub(crate) fn find(&self) -> Option<String> {
        let url = std::env::var(self.variable).unwrap_or_else(|_| self.url.to_owned());
        if accepts_connections(&url) {
            return Some(url);
        }
        // Without the URL of the variable, which can contain a password.
        let Self { name, variable, url } = self;
        skip(&format!("all that need {name}: nothing answers at ${variable}, by default {url}"));
        None
    }
}

/// Whether something listens at the host and port of a URL.
fn accepts_connections(url: &str) -> bool {
    let (_, rest) = url.split_once("://").expect("a URL");
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let address = authority.rsplit_once('@').map_or(authority, |(_, address)| address);
    let mut addresses = address.to_socket_addrs().into_iter().flatten();
    addresses.any(|address| TcpStream::connect_timeout(&address, Duration::from_secs(2)).is_ok())
}

/// A port at which nothing listens now. It is none of those that systems give to connections and to listeners without a port of their
/// own, which another test could have taken by the time at which a server listens.
pub(crate) fn free_port() -> u16 {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    // Programs that run at once begin at different ports.
    let first = std::process::id().wrapping_mul(61);
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    std::iter::repeat_with(|| first.wrapping_add(TRIED.fetch_add(1, Ordering::Relaxed)) % 16_000)
        .filter_map(|number| u16::try_from(10_000 + number).ok())
        .find(is_free)
        .unwrap()
}

/// Says once which tests are skipped. The test harness captures what `eprintln!` writes, but not this.
pub(crate) fn skip(tests: &str) {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    assert!(std::env::var_os("CI").is_none(), "tests cannot be skipped here: {tests}");
    let mut said = SAID.lock().unwrap();
    if !said.iter().any(|earlier| earlier == tests) {
        std::io::stderr().write_all(format!("skipped tests: {tests}\n").as_bytes()).unwrap();
        said.push(tests.to_owned());
    }
}

/// How a start of a Redis has ended.
enum Launch {
    Ready,
    /// Something else listens at the port.
    PortTaken,
    /// There is no program, so the test must be skipped.
    NoProgram,
}

/// A Redis of a test's own, on a free port and with a directory that is deleted with it.
pub(crate) struct RedisServer {
    port: u16,
    directory: PathBuf,
    arguments: Vec<String>,
    process: Option<Child>,
}

impl RedisServer {
    /// A server that runs. `None` if the test must be skipped because there is no program `redis-server`.
    pub(crate) fn start(arguments: &[&str]) -> Option<Self> {
        Self::start_at(free_port(), arguments)
    }

    /// The same, with the port that is tried first. A free port can be taken by the time at which Redis listens.
    pub(crate) fn start_at(first: u16, arguments: &[&str]) -> Option<Self> {
        let mut server = Self::at(first, arguments);
        loop {
            match server.launch() {
                Launch::Ready => return Some(server),
                Launch::PortTaken => server = Self::stopped(arguments),
                Launch::NoProgram => return None,
            }
        }
    }

    /// A server that does not run yet.
    pub(crate) fn stopped(arguments: &[&str]) -> Self {
        Self::at(free_port(), arguments)
    }

    fn at(port: u16, arguments: &[&str]) -> Self {
        let directory = std::env::temp_dir().join(format!("redis-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self { port, directory, arguments, process: None }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Starts it, on the same port again and without what it had stored, and waits until it answers. Returns `false` if the
    /// test must be skipped.
    pub(crate) fn run(&mut self) -> bool {
        match self.launch() {
            Launch::Ready => true,
            Launch::PortTaken => panic!("something else listens at port {}", self.port),
            Launch::NoProgram => false,
        }
    }

    /// Starts the process and waits until it answers. If the port is taken, the process ends, and what answers there may be the
    /// server of another test: two tests would have one store. The log is the process's own.
    fn launch(&mut self) -> Launch {
        let log = self.directory.join("log");
        let _ = std::fs::remove_file(&log);
        let mut command = Command::new("redis-server");
        command.arg("--port").arg(self.port.to_string()).arg("--dir").arg(&self.directory);
        command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]).args(&self.arguments);
        command.arg("--logfile").arg(&log);
        match command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
            Ok(process) => self.process = Some(process),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                skip("all that start a Redis: there is no program redis-server");
                return Launch::NoProgram;
            }
            Err(error) => panic!("{error}"),
        }
        let (began, mut is_listening) = (Instant::now(), false);
        while !(is_listening && self.answers()) {
            assert!(began.elapsed() < Duration::from_secs(20), "redis-server does not answer");
            let process = self.process.as_mut().expect("the process was started");
            if process.try_wait().unwrap().is_some() {
                self.process = None;
                return Launch::PortTaken;
            }
            std::thread::sleep(Duration::from_millis(10));
            is_listening = std::fs::read_to_string(&log).is_ok_and(|text| text.contains("Ready to accept"));
        }
        Launch::Ready
    }

    /// Whether it answers, if only with an error.
    fn answers(&self) -> bool {
        let Ok(mut connection) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        connection.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        connection.write_all(b"PING\r\n").is_ok() && connection.read(&mut [0]).is_ok_and(|read| read == 1)
    }

    /// Ends the process without a goodbye.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// The process does nothing any more; the system still accepts connections for it.
    pub(crate) fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Goes on after [`freeze`](Self::freeze).
    pub(crate) fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let process = self.process.as_ref().expect("the server runs").id().to_string();
        assert!(Command::new("kill").args([signal, &process]).status().unwrap().success());
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
