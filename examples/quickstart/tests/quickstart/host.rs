//! Starts the program, stops it in several ways, and speaks to it.

use crate::outbox::parameter;
use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// How long the program may take to start, to end, or to send a mail.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The password of every account in these tests.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// An empty directory for one test, removed with its contents when the test ends.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("quickstart-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // In memory, if the machine has such a place: a database waits for the disk with each write, and on a disk that is busy with
        // something else that can take longer than an operation of the store may.
        let memory = PathBuf::from("/dev/shm");
        let path = if memory.is_dir() { memory } else { std::env::temp_dir() }.join(name);
        fs::create_dir(&path).expect("a directory that was not there");
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// What all starts have written to standard error.
    pub(crate) fn logs(&self) -> String {
        let entries =
            fs::read_dir(&self.0).expect("the directory").map(|entry| entry.expect("an entry").path());
        let is_log = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("stderr-"))
        };
        entries.filter(is_log).map(|path| fs::read_to_string(path).expect("text")).collect()
    }

    /// The data directory, which the program creates.
    pub(crate) fn data(&self) -> PathBuf {
        self.file("data")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The program with only these environment variables, and its standard error in a file of the directory.
pub(crate) fn command(directory: &Directory, environment: &[(&str, &str)]) -> Command {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let log = directory.file(&format!("stderr-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
    let mut command = Command::new(env!("CARGO_BIN_EXE_quickstart"));
    command
        .env_clear()
        .env("ADDR", "127.0.0.1:0")
        .env("DATA_DIR", directory.data())
        .env("AUTH_BCRYPT_COST", "10")
        .envs(environment.iter().copied())
        .current_dir(&directory.0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(File::create(log).expect("a log"));
    command
}

/// The program, running. Dropping it is `kill -9`.
pub(crate) struct Host {
    child: Child,
    base: String,
    lines: Mutex<mpsc::Receiver<String>>,
    client: reqwest::Client,
}

impl Host {
    /// Starts the program and waits for the line with its address.
    pub(crate) fn start(directory: &Directory, environment: &[(&str, &str)]) -> Self {
        let mut child = command(directory, environment).spawn().expect("the program starts");
        let stdout = child.stdout.take().expect("piped");
        let (send, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        let mut host =
            Self { child, base: String::new(), lines: Mutex::new(lines), client: reqwest::Client::new() };
        let line = host.next_line();
        let base = line.strip_prefix("listening on ");
        host.base = base.unwrap_or_else(|| panic!("it did not start: {line:?}")).to_owned();
        host
    }

    /// The next line on standard output.
    pub(crate) fn next_line(&self) -> String {
        let lines = self.lines.lock().expect("no panic");
        lines.recv_timeout(PATIENCE).expect("a line on standard output")
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Where its page is, as links in mails and providers know it.
    pub(crate) fn page(&self) -> String {
        self.base.replace("127.0.0.1", "localhost")
    }

    /// `kill -9`, at once. Dropping the host does the same and waits for the end.
    pub(crate) fn kill(&self) {
        kill_process(Pid::from_child(&self.child), Signal::KILL).expect("it was running");
    }

    /// Sends the signal and returns the program's exit status.
    pub(crate) fn end_by(&mut self, signal: Signal) -> ExitStatus {
        kill_process(Pid::from_child(&self.child), signal).expect("it was running");
        end_of(&mut self.child)
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Response {
        self.send(self.client.post(self.url(path)).json(&body)).await.expect("a response")
    }

    pub(crate) async fn post_as(&self, token: &str, path: &str) -> Response {
        self.send(self.client.post(self.url(path)).bearer_auth(token)).await.expect("a response")
    }

    pub(crate) async fn get_as(&self, token: &str, path: &str) -> Response {
        self.send(self.client.get(self.url(path)).bearer_auth(token)).await.expect("a response")
    }

    /// Any request with a body, as the user of this access token.
    pub(crate) async fn call_as(&self, token: &str, method: Method, path: &str, body: Value) -> Response {
        let request = self.client.request(method, self.url(path)).bearer_auth(token).json(&body);
        self.send(request).await.expect("a response")
    }

    /// Requests what the page requests for the link of a verification mail, as the user of this access token.
    pub(crate) async fn follow_as(&self, token: &str, link: &str) -> Response {
        let [id, hash, signature, expires] =
            ["id", "hash", "signature", "expires"].map(|name| parameter(link, name));
        let route = format!("/auth/email/verify/{id}/{hash}?signature={signature}&expires={expires}");
        self.get_as(token, &route).await
    }

    /// Status, body, and all headers of a response except the date.
    pub(crate) async fn seen(&self, method: &Method, path: &str, token: Option<&str>) -> String {
        let request = self.client.request(method.clone(), self.url(path));
        let request = token.into_iter().fold(request, reqwest::RequestBuilder::bearer_auth);
        let response = request.send().await.expect("a response");
        let mut headers = response.headers().clone();
        headers.remove("date");
        format!("{} {headers:?} {}", response.status(), response.text().await.expect("text"))
    }

    /// Posts like a proxy of the client with this address. An error if the connection breaks.
    pub(crate) async fn post_from(&self, client: &str, path: &str, body: Value) -> reqwest::Result<Response> {
        let request = self.client.post(self.url(path)).header("x-forwarded-for", client);
        self.send(request.json(&body)).await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> reqwest::Result<Response> {
        let response = request.send().await?;
        let retry_after = response.headers().get("retry-after");
        let retry_after =
            retry_after.map(|seconds| seconds.to_str().unwrap().parse().expect("whole seconds"));
        let status = response.status().as_u16();
        let body = serde_json::from_slice(&response.bytes().await?).unwrap_or_default();
        Ok(Response { status, retry_after, body })
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A response of the program.
#[derive(Debug, PartialEq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<u32>,
    /// The body, or null if it is not JSON.
    pub(crate) body: Value,
}

impl Response {
    /// A string of the body. Panics if it is missing.
    pub(crate) fn text(&self, field: &str) -> &str {
        self.body[field].as_str().unwrap_or_else(|| panic!("no {field} in {self:?}"))
    }
}

/// The exit status of a program that must end by itself.
pub(crate) fn end_of(child: &mut Child) -> ExitStatus {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    panic!("the program did not end");
}

/// Everything that the programs of this directory have written to standard error.
pub(crate) fn log(directory: &Directory) -> String {
    let entries =
        fs::read_dir(&directory.0).expect("the directory").map(|entry| entry.expect("an entry").path());
    let is_log =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("stderr-"));
    entries.filter(is_log).map(|path| fs::read_to_string(path).expect("text")).collect()
}

/// The body of a registration.
pub(crate) fn registration(email: &str) -> Value {
    serde_json::json!({
        "name": "Ada", "email": email, "password": PASSWORD, "passwordConfirmation": PASSWORD,
    })
}

/// The body of a login.
pub(crate) fn login(email: &str, password: &str) -> Value {
    serde_json::json!({ "email": email, "password": password })
}

/// A path in the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A file of the repository.
pub(crate) fn repository_file(path: &str) -> String {
    let path = repository(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
