//! The way into a directory, for development: each mail is one `.eml` file, which mail programs open.

use super::error::MailError;
use super::message::Email;
use crate::crypto::random;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A directory for mails.
pub(super) struct Files(PathBuf);

impl Files {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self(directory)
    }

    /// Writes a mail, off the async threads.
    pub(super) async fn write(&self, mail: Email) -> Result<(), MailError> {
        let directory = self.0.clone();
        let written = tokio::task::spawn_blocking(move || write(&directory, &mail.bytes)).await;
        Ok(written.map_err(io::Error::other)??)
    }
}

/// Writes under another name first: who waits for `.eml` files never reads half of one. Names sort by time.
fn write(directory: &Path, mail: &[u8]) -> io::Result<()> {
    directory_builder().create(directory)?;
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let name = format!("{time}-{}", random::id().map_err(io::Error::other)?);
    let partial = directory.join(format!(".{name}.partial"));
    let written = new_file(&partial)
        .and_then(|mut file| file.write_all(mail))
        .and_then(|()| fs::rename(&partial, directory.join(format!("{name}.eml"))));
    if written.is_err() {
        // It may not even be there.
        let _ = fs::remove_file(&partial);
    }
    written
}

/// Makes a directory and those above it, for its owner alone.
fn directory_builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Makes a file that only its owner can read: there is a token in it.
fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
