//! `GET /outbox`: the newest mails of the data directory as JSON, for the page. Only in development: the mails contain
//! tokens.
//!
//! A request needs the word that is in the printed address. A server cannot tell from a request who sends it: behind a
//! proxy, a tunnel or an SSH connection everybody has an address of this machine, and no header says so for certain.

use crate::problems::Problems;
use crate::settings::variable;
use axum::Json;
use axum::extract::State;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode};
use serde::Serialize;
use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// How many mails are shown.
const NEWEST: usize = 20;

/// The header with the word. A page of another origin cannot send it: the browser would have to ask first (CORS).
const HEADER: &str = "x-outbox";

/// How long a word from the environment must be.
const SHORTEST: usize = 32;

/// A directory of mails that the page shows to whoever has the word.
#[derive(Clone)]
pub(crate) struct Outbox {
    directory: Arc<Path>,
    word: Arc<str>,
}

/// A mail, as it is in its file.
#[derive(Serialize)]
pub(crate) struct Mail {
    name: String,
    source: String,
}

impl Outbox {
    /// The outbox of a server that only this machine can reach, under a name for this machine. Its word is `OUTBOX_TOKEN`, or
    /// a new one from the system's random number generator.
    ///
    /// # Errors
    /// If `OUTBOX_TOKEN` is not a word.
    pub(crate) fn in_development(
        directory: PathBuf,
        listening: SocketAddr,
        public_url: &str,
    ) -> Result<Option<Self>, Problems> {
        let word = word()?;
        let public = public_url.parse::<axum::http::Uri>().ok();
        let is_of_this_machine = public.and_then(|url| url.authority().map(is_this_machine)) == Some(true);
        let is_in_development = listening.ip().is_loopback() && is_of_this_machine;
        Ok(is_in_development.then(|| Self { directory: directory.into(), word: word.into() }))
    }

    /// The address of the page that opens the outbox. Browsers do not send what follows `#`, so the word is in no log.
    pub(crate) fn page(&self, public_url: &str) -> String {
        format!("{public_url}/#outbox={}", self.word)
    }

    fn is_opened_by(&self, headers: &HeaderMap) -> bool {
        let sent = headers.get(HEADER).map_or(&b""[..], |value| value.as_bytes());
        sent.ct_eq(self.word.as_bytes()).into()
    }

    /// The newest mails first. There are none before the directory exists.
    fn mails(&self) -> io::Result<Vec<Mail>> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        // Names sort by time.
        let mut names: Vec<_> =
            names.filter(|name| name.ends_with(".eml") && !name.starts_with('.')).collect();
        names.sort_unstable_by(|a, b| b.cmp(a));
        let read = |name: String| Ok(Mail { source: fs::read_to_string(self.directory.join(&name))?, name });
        names.into_iter().take(NEWEST).map(read).collect()
    }
}

/// The word: 128 random bits, unless the environment sets it.
fn word() -> Result<String, Problems> {
    let Some(word) = variable("OUTBOX_TOKEN") else {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| Problems::one("the outbox", error.to_string()))?;
        return Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
    };
    let is_of_a_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if word.len() >= SHORTEST && word.bytes().all(is_of_a_word) {
        return Ok(word);
    }
    let expected = format!("expected at least {SHORTEST} letters, digits, `-` or `_`");
    Err(Problems::one("OUTBOX_TOKEN", expected))
}

/// Whether a host is a name of this machine.
fn is_this_machine(authority: &Authority) -> bool {
    let host = authority.host().trim_matches(['[', ']']);
    let is_loopback = |address: IpAddr| address.is_loopback();
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(is_loopback)
}

/// `GET /outbox`. Without the word it is 403.
pub(crate) async fn newest(
    State(outbox): State<Outbox>,
    headers: HeaderMap,
) -> Result<Json<Vec<Mail>>, StatusCode> {
    if !outbox.is_opened_by(&headers) {
        return Err(StatusCode::FORBIDDEN);
    }
    let read = tokio::task::spawn_blocking(move || outbox.mails()).await;
    read.map_err(io::Error::other).flatten().map(Json).map_err(|error| {
        tracing::error!(%error, "the outbox cannot be read");
        StatusCode::INTERNAL_SERVER_ERROR
    })
}
