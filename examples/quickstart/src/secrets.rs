//! The module's three secrets, if the environment does not set them: generated once and stored in a file.

use crate::data_dir::DataDir;
use crate::settings::{is_in_file, variable};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Their environment variables.
const NAMES: [&str; 3] = ["AUTH_JWT_SECRET", "AUTH_REFRESH_SECRET", "AUTH_ENCRYPTION_KEY"];

/// Secrets by the names of their variables.
pub(crate) struct Secrets(BTreeMap<String, String>);

impl Secrets {
    /// Whether the environment sets all three, so that no file is needed.
    pub(crate) fn are_in_environment() -> bool {
        NAMES.iter().all(|name| variable(name).is_some() || is_in_file(name))
    }

    /// New secrets from the system's random number generator, 32 bytes each in base64.
    pub(crate) fn random() -> io::Result<Self> {
        let secret = |name: &str| {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes)?;
            Ok((name.to_owned(), STANDARD.encode(bytes)))
        };
        NAMES.into_iter().map(secret).collect::<io::Result<_>>().map(Self)
    }

    /// The secrets in this directory. They are generated if there are none.
    ///
    /// # Errors
    /// If the file cannot be read or written, or lacks one of the three. It is not repaired: new secrets would log out all
    /// users and make encrypted values unreadable.
    pub(crate) fn kept_in(data_dir: &DataDir) -> io::Result<Self> {
        const FILE: &str = "secrets.env";
        let text = kept_or_made(data_dir, FILE, || Ok(Self::random()?.to_text()))?;
        let secrets = Self::read(&text)?;
        tracing::warn!(
            file = %data_dir.file(FILE).display(),
            "THESE SECRETS ARE FOR TRYING THINGS OUT: in production, set {} in the environment",
            NAMES.join(", ")
        );
        Ok(secrets)
    }

    /// The secret of this variable.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }

    fn read(text: &str) -> io::Result<Self> {
        let pair = |(name, secret): (&str, &str)| (name.to_owned(), secret.to_owned());
        let secrets: BTreeMap<_, _> =
            text.lines().filter_map(|line| line.split_once('=')).map(pair).collect();
        match NAMES.into_iter().find(|name| !secrets.contains_key(*name)) {
            Some(missing) => Err(io::Error::other(format!("secrets.env lacks {missing}"))),
            None => Ok(Self(secrets)),
        }
    }

    fn to_text(&self) -> String {
        self.0.iter().map(|(name, secret)| format!("{name}={secret}\n")).collect()
    }
}

/// The text of a file in the directory, which is made and written if there is none.
///
/// # Errors
/// If the file cannot be read or written, or the text cannot be made.
pub(crate) fn kept_or_made(
    data_dir: &DataDir,
    name: &str,
    make: impl FnOnce() -> io::Result<String>,
) -> io::Result<String> {
    let _alone = data_dir.lock()?;
    let path = data_dir.file(name);
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let made = make()?;
            keep(&path, &made)?;
            Ok(made)
        }
        read => read,
    }
}

/// Writes a file atomically, readable only by this user. The caller holds the directory's lock.
fn keep(path: &Path, text: &str) -> io::Result<()> {
    let draft = path.with_extension("draft");
    // A file that is left from a crash would keep its mode.
    if let Err(error) = fs::remove_file(&draft)
        && error.kind() != ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&draft, path)
}
