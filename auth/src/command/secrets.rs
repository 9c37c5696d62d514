//! `secrets`: new secrets in the form of an `.env` file.

use super::{Failure, Outcome, print};
use crate::config::AuthConfig;
use crate::crypto::random;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The options of `secrets`.
pub(super) struct Options {
    /// The file to create. Without one, the secrets are written to stdout.
    pub(super) file: Option<PathBuf>,
    /// Whether a pepper for passwords is among them.
    pub(super) pepper: bool,
}

const HEADER: &str = "\
# Secrets of axum-auth-module. Keep them out of version control, and apart from backups of the database.
";

pub(super) fn run(options: &Options) -> Result<Outcome, Failure> {
    let text = text(options.pepper)?;
    match &options.file {
        None => print(&text)?,
        Some(path) => {
            create(path, &text).map_err(|error| failure(path, &error))?;
            print(&format!("{} secrets are in {}\n", variables(options.pepper).count(), path.display()))?;
        }
    }
    Ok(Outcome::Fine)
}

/// The variables of the required secrets, and of the pepper.
fn variables(pepper: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    AuthConfig::options()
        .filter(move |option| option.default == "required" || (pepper && option.name == "password_pepper"))
        .filter_map(|option| Some((option.variable?, option.description)))
}

/// 32 random bytes in base64 for each variable.
pub(super) fn text(pepper: bool) -> Result<Zeroizing<String>, Failure> {
    let mut text = Zeroizing::new(HEADER.to_owned());
    for (variable, description) in variables(pepper) {
        let bytes = random::bytes::<32>().map(Zeroizing::new);
        let bytes = bytes.map_err(|error| Failure(format!("there are no random numbers: {error}")))?;
        let secret = Zeroizing::new(STANDARD.encode(bytes.as_slice()));
        text.push_str(&format!("\n# {description}\n{variable}={}\n", *secret));
    }
    Ok(text)
}

/// Creates the file, readable by this user alone. A file that exists stays as it is.
pub(super) fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).inspect_err(|_| {
        // Half of the secrets would look like all of them.
        let _left = std::fs::remove_file(path);
    })
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    Failure(match error.kind() {
        ErrorKind::AlreadyExists => {
            format!("{path} exists already, and is not changed; choose another name for the file")
        }
        _ => format!("{path} cannot be written: {error}"),
    })
}
