//! The program, and the mails that it writes.

use std::env::temp_dir;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long a mail may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The running program with an empty data directory, which is removed in the end.
pub(crate) struct Site {
    child: Child,
    pub(crate) url: String,
    data: PathBuf,
}

impl Site {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// With these variables. A restart is without them.
    pub(crate) fn start_with(environment: &[(&str, &str)]) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("pages-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // In memory, if the machine has such a place: a database waits for the disk with each write, and on a disk that is busy with
        // something else that can take longer than an operation of the store may.
        let memory = PathBuf::from("/dev/shm");
        let data = if memory.is_dir() { memory } else { temp_dir() }.join(name);
        let (child, url) = spawn(&data, environment);
        Self { child, url, data }
    }

    /// Stops the program and starts it again with the same data, at another port.
    pub(crate) fn restart(&mut self) {
        self.stop();
        (self.child, self.url) = spawn(&self.data, &[]);
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The link in the mail of this kind with this number, from one: `password-reset`, `security-notice; kind=PasswordChanged`.
    pub(crate) async fn link(&self, kind: &str, number: usize) -> String {
        let mail = self.mail(kind, number).await;
        let link = mail.lines().find(|line| line.starts_with("http")).expect("a link");
        link.strip_prefix(&self.url).expect("a link to this site").to_owned()
    }

    /// The code in the mail with a code with this number, as it is in the mail: in two groups.
    pub(crate) async fn code(&self, number: usize) -> String {
        let mail = self.mail("email-login", number).await;
        assert!(!mail.contains("http"), "the mail has a link: {mail}");
        let is_code = |line: &&str| !line.is_empty() && line.chars().all(|c| c == ' ' || c.is_ascii_digit());
        mail.lines().find(is_code).expect("a code").to_owned()
    }

    /// The mail of this kind with this number, from one. What a mail is says its header `X-Auth-Message`. Mails are written after the
    /// response, so this waits.
    pub(crate) async fn mail(&self, kind: &str, number: usize) -> String {
        let header = format!("X-Auth-Message: {kind}");
        let deadline = Instant::now() + PATIENCE;
        loop {
            let entries = fs::read_dir(self.data.join("outbox")).into_iter().flatten();
            let paths = entries.map(|entry| entry.expect("an entry").path());
            let mut mails: Vec<_> =
                paths.filter(|path| path.extension().is_some_and(|extension| extension == "eml")).collect();
            // Names sort by time.
            mails.sort();
            let texts = mails.iter().map(|path| fs::read_to_string(path).expect("text"));
            let mut of_kind = texts.filter(|mail| mail.lines().any(|line| line.starts_with(&header)));
            if let Some(mail) = of_kind.nth(number - 1) {
                return decoded(mail);
            }
            assert!(Instant::now() < deadline, "there is no mail {number} of {kind}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop();
        let _ = fs::remove_dir_all(&self.data);
    }
}

/// The mail without quoted-printable, in which a mail is with lines that are too long for mails.
fn decoded(mail: String) -> String {
    match mail.contains("Content-Transfer-Encoding: quoted-printable") {
        true => mail.replace("=\r\n", "").replace("=3D", "="),
        false => mail,
    }
}

/// The program with these variables, and its address.
fn spawn(data: &Path, environment: &[(&str, &str)]) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pages"))
        .env_clear()
        .env("ADDR", "127.0.0.1:0")
        .env("DATA_DIR", data)
        .env("AUTH_BCRYPT_COST", "10")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    let url = line.trim_end().strip_prefix("listening on ").expect("its address").to_owned();
    (child, url)
}
