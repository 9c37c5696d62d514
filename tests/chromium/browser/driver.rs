//! The process that drives a browser, and how Chromium is started.

use super::directory::Directory;
use super::wait::PATIENCE;
use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;
use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

/// A ChromeDriver on a port of its own. It is killed when this is dropped, so its sessions must be closed before.
pub(crate) struct Driver {
    process: Child,
    url: String,
}

impl Driver {
    /// Starts the program `chromedriver`, or the one that `CHROMEDRIVER` names, and waits until it listens. Temporary files are
    /// in the directory.
    pub(crate) fn start(directory: &Directory) -> Self {
        let program = env::var("CHROMEDRIVER").unwrap_or_else(|_| "chromedriver".to_owned());
        // ChromeDriver takes a port that is free for IPv4 and ends if the same port is taken for IPv6.
        (0..5)
            .find_map(|_| Self::try_start(&program, directory))
            .unwrap_or_else(|| panic!("{program} ended five times before it said its port"))
    }

    /// `None` if the program ends before it listens.
    fn try_start(program: &str, directory: &Directory) -> Option<Self> {
        let mut process = Command::new(program)
            .arg("--port=0")
            // Chromium leaves files behind.
            .env("TMPDIR", directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{program} does not start ({error}); Debian has it in `chromium-driver`")
            });
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let mut driver = Self { process, url: String::new() };
        let (send, port) = mpsc::channel();
        // Reads to the end, because the driver must be able to write.
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if let Some((_, port)) = line.split_once("started successfully on port ") {
                    let _ = send.send(port.trim_end_matches('.').to_owned());
                }
            }
        });
        match port.recv_timeout(PATIENCE) {
            Ok(port) => {
                driver.url = format!("http://127.0.0.1:{port}");
                Some(driver)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("{program} does not say its port"),
        }
    }

    /// Starts a Chromium with this profile.
    pub(crate) async fn browser(&self, profile: &Directory, options: &Options) -> Client {
        ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities(profile, options))
            .connect(&self.url)
            .await
            .unwrap_or_else(|error| panic!("Chromium does not start: {error}"))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What differs between browsers.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    /// Whether pages can run scripts. The tests can run theirs in any case.
    pub(crate) javascript: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { javascript: true }
    }
}

fn capabilities(profile: &Directory, options: &Options) -> Capabilities {
    let profile = profile.path();
    let mut arguments: Vec<_> = [
        "--headless",
        // Without it, root cannot start Chromium. All pages are ours.
        "--no-sandbox",
        "--disable-gpu",
        // Only the pages of the tests use the network.
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        // Files instead of shared memory, of which containers have little.
        "--disable-dev-shm-usage",
        // What is seen does not depend on how far an animation is.
        "--force-prefers-reduced-motion",
        "--hide-scrollbars",
        "--lang=en-GB",
        "--window-size=1280,960",
    ]
    .map(str::to_owned)
    .into();
    arguments.push(format!("--user-data-dir={}", profile.join("profile").display()));
    let allowed = if options.javascript { 1 } else { 2 };
    let capabilities = json!({
        "browserName": "chrome",
        "goog:loggingPrefs": { "browser": "ALL" },
        "goog:chromeOptions": {
            "binary": env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned()),
            "args": arguments,
            "prefs": {
                // No bubbles about passwords over the page.
                "credentials_enable_service": false,
                "profile.password_manager_leak_detection": false,
                "profile.default_content_setting_values.javascript": allowed,
                "download.default_directory": profile.join("downloads"),
            },
        },
    });
    let serde_json::Value::Object(capabilities) = capabilities else {
        unreachable!("an object is written above")
    };
    capabilities
}
