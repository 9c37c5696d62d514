//! Where reset tokens go in this example: into files, one for each address. A host in production sends mails, for example
//! with `axum_auth_module::mail::Mailer`.

use axum_auth_module::delivery::{Delivers, PasswordResetMessage};
use axum_auth_module::{BoxError, async_trait};
use std::path::{Path, PathBuf};

/// A directory with the newest reset token of each address, in a file that is named after the address.
pub(super) struct Outbox(PathBuf);

impl Outbox {
    pub(super) fn new(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }
}

/// The file with the reset token of an address. Addresses of this example contain no `/`.
pub fn file(directory: &Path, email: &str) -> PathBuf {
    directory.join(email.replace('/', "_"))
}

#[async_trait]
impl Delivers<PasswordResetMessage> for Outbox {
    async fn deliver(&self, reset: PasswordResetMessage) -> Result<(), BoxError> {
        let file = file(&self.0, &reset.email);
        let mut part = file.clone().into_os_string();
        part.push(format!(".{}.part", std::process::id()));
        // Under its name when it is complete.
        std::fs::write(&part, reset.token)?;
        Ok(std::fs::rename(part, file)?)
    }
}
