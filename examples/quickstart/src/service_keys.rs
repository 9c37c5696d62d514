//! The keys of tokens for other services. The example `second_service` verifies such tokens.

use crate::data_dir::DataDir;
use crate::problems::Problems;
use crate::secrets::kept_or_made;
use crate::settings::variable;
use axum_auth_module::config::{ConfigError, ServiceKeys};
use std::fs;

/// The only other service.
const AUDIENCE: &str = "billing";
const KEY: &str = "SERVICE_KEY_PEM_FILE";
const NEXT: &str = "SERVICE_NEXT_KEY_PEM_FILE";
const PREVIOUS: &str = "SERVICE_PREVIOUS_KEY_PEM_FILE";

/// The keys of the files that the environment names. Without a file for the key that signs, it is in the data directory.
///
/// # Errors
/// If a file cannot be read, or has anything else than a key. The text of the file is not in the error.
pub(crate) fn keys(data_dir: Option<&DataDir>) -> Result<ServiceKeys, Problems> {
    let in_directory = |error| Problems::one("DATA_DIR", format!("the key for services: {error}"));
    let pem = match (text(KEY)?, data_dir) {
        (Some(pem), _) => pem,
        (None, Some(data_dir)) => kept_or_made(data_dir, "service-key.pem", new_key).map_err(in_directory)?,
        // The start fails anyway. With a key the other errors are found, too.
        (None, None) => new_key().map_err(in_directory)?,
    };
    let of_file = |error: ConfigError| {
        let messages = error.problems().iter().map(|problem| problem.message.as_str());
        Problems::one(KEY, Vec::from_iter(messages).join("; "))
    };
    let mut keys = ServiceKeys::pem(&pem).map_err(of_file)?.audiences([AUDIENCE]);
    if let Some(pem) = text(NEXT)? {
        keys = keys.next(&pem);
    }
    if let Some(pem) = text(PREVIOUS)? {
        keys = keys.previous(&pem);
    }
    Ok(keys)
}

fn new_key() -> std::io::Result<String> {
    ServiceKeys::new_ed25519_pem().map_err(std::io::Error::other)
}

/// The text of the file that a variable names.
fn text(name: &'static str) -> Result<Option<String>, Problems> {
    let Some(path) = variable(name) else { return Ok(None) };
    let unreadable = |error| Problems::one(name, format!("the file cannot be read: {error}"));
    fs::read_to_string(path).map(Some).map_err(unreadable)
}
