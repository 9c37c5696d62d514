//! `GET /outbox`: the newest mails of the data directory as JSON, for the page. Only in development: the mails contain
//! tokens.

use axum::Json;
use axum::extract::State;
use axum::http::header::{FORWARDED, HOST, HeaderName, VIA};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode};
use serde::Serialize;
use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many mails are shown.
const NEWEST: usize = 20;

/// Headers that a reverse proxy adds. Behind a proxy, clients of other machines have a loopback address.
const PROXY: [HeaderName; 4] =
    [FORWARDED, VIA, HeaderName::from_static("x-forwarded-for"), HeaderName::from_static("x-forwarded-host")];

/// A directory of mails that the page shows.
#[derive(Clone)]
pub(crate) struct Outbox(Arc<Path>);

/// A mail, as it is in its file.
#[derive(Serialize)]
pub(crate) struct Mail {
    name: String,
    source: String,
}

impl Outbox {
    /// The outbox of a server that only this machine can reach, under a name for this machine.
    pub(crate) fn in_development(
        directory: PathBuf,
        listening: SocketAddr,
        public_url: &str,
    ) -> Option<Self> {
        let public = public_url.parse::<axum::http::Uri>().ok()?;
        (listening.ip().is_loopback() && public.authority().is_some_and(is_this_machine))
            .then(|| Self(directory.into()))
    }

    /// The newest mails first. There are none before the directory exists.
    fn mails(&self) -> io::Result<Vec<Mail>> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        // Names sort by time.
        let mut names: Vec<_> =
            names.filter(|name| name.ends_with(".eml") && !name.starts_with('.')).collect();
        names.sort_unstable_by(|a, b| b.cmp(a));
        let read = |name: String| Ok(Mail { source: fs::read_to_string(self.0.join(&name))?, name });
        names.into_iter().take(NEWEST).map(read).collect()
    }
}

/// Whether a host is a name of this machine.
fn is_this_machine(authority: &Authority) -> bool {
    let host = authority.host().trim_matches(['[', ']']);
    let is_loopback = |address: IpAddr| address.is_loopback();
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(is_loopback)
}

/// `GET /outbox`. It is unknown to a page whose name somebody else has pointed at this machine (DNS rebinding), and to
/// clients of a proxy.
pub(crate) async fn newest(
    State(outbox): State<Outbox>,
    headers: HeaderMap,
) -> Result<Json<Vec<Mail>>, StatusCode> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()?.parse().ok());
    if !host.as_ref().is_some_and(is_this_machine) || PROXY.iter().any(|name| headers.contains_key(name)) {
        return Err(StatusCode::NOT_FOUND);
    }
    let read = tokio::task::spawn_blocking(move || outbox.mails()).await;
    read.map_err(io::Error::other).flatten().map(Json).map_err(|error| {
        tracing::error!(%error, "the outbox cannot be read");
        StatusCode::INTERNAL_SERVER_ERROR
    })
}
