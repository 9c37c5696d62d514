//! `GET /outbox`: the newest mails of the data directory as JSON, for the page. Only in development: the mails contain
//! tokens.
//!
//! The page sends a word in the header `X-Outbox` that is only in the address that the quickstart prints: whoever sees the terminal
//! may see the mails. Neither the address of a client nor a header tells that. Behind a reverse proxy every client has a loopback
//! address, and proxies need not add a header.

use crate::demo_provider::is_this_machine;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// How many mails are shown.
const NEWEST: usize = 20;

/// The header with the word.
const HEADER: &str = "x-outbox";

/// The least length of a word that somebody chooses.
const LEAST: usize = 8;

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
    /// The outbox of a server that only this machine can reach, under a name for this machine. The word is `chosen`, or a random
    /// one.
    ///
    /// # Errors
    /// A sentence if the chosen word is too short or does not fit into an address, or if there are no random bytes.
    pub(crate) fn in_development(
        directory: PathBuf,
        listening: SocketAddr,
        public_url: &str,
        chosen: Option<String>,
    ) -> Result<Option<Self>, String> {
        let word = match chosen {
            Some(word) if is_word(&word) => word,
            Some(_) => {
                return Err(format!("expected {LEAST} or more ASCII letters, digits, `-` or `_`"));
            }
            None => random_word().map_err(|error| error.to_string())?,
        };
        let is_local = is_development(listening, public_url);
        Ok(is_local.then(|| Self { directory: directory.into(), word: word.into() }))
    }

    /// The address of the page with its mails. A browser does not send what follows `#`.
    pub(crate) fn address(&self, server: &str) -> String {
        format!("{server}/#outbox={}", self.word)
    }

    /// Whether a request has the word.
    fn opens(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(HEADER).map(axum::http::HeaderValue::as_bytes);
        given.is_some_and(|given| given.ct_eq(self.word.as_bytes()).into())
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

/// Whether only this machine can reach the server, under a name for this machine.
pub(crate) fn is_development(listening: SocketAddr, public_url: &str) -> bool {
    let public = public_url.parse::<axum::http::Uri>().ok();
    let names_this_machine = public.as_ref().and_then(|url| url.authority()).is_some_and(is_this_machine);
    listening.ip().is_loopback() && names_this_machine
}

fn is_word(word: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    word.len() >= LEAST && word.bytes().all(fits)
}

/// 128 random bits.
fn random_word() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// `GET /outbox`. Without the word it is unknown.
pub(crate) async fn newest(
    State(outbox): State<Outbox>,
    headers: HeaderMap,
) -> Result<Json<Vec<Mail>>, StatusCode> {
    if !outbox.opens(&headers) {
        return Err(StatusCode::NOT_FOUND);
    }
    let read = tokio::task::spawn_blocking(move || outbox.mails()).await;
    read.map_err(io::Error::other).flatten().map(Json).map_err(|error| {
        tracing::error!(%error, "the outbox cannot be read");
        StatusCode::INTERNAL_SERVER_ERROR
    })
}
