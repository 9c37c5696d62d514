//! Mails with reset tokens and verification links: files in the data directory, or sent by SMTP if a server is
//! configured.

use crate::data_dir::DataDir;
use crate::problems::Problems;
use crate::settings::variable;
use axum_auth_module::mail::{MailDelivery, MailLinks};
use std::path::PathBuf;
use tokio::net::TcpListener;

/// The delivery that the environment configures. `None` stands for a part whose error has already been reported.
///
/// # Errors
/// All errors of `SMTP_URL`, `MAIL_FROM` and `PUBLIC_URL`.
pub(crate) fn delivery(
    data_dir: Option<&DataDir>,
    listener: Option<&TcpListener>,
) -> Result<MailDelivery, Problems> {
    let listening = listener.and_then(|listener| listener.local_addr().ok());
    let own = || listening.map_or_else(|| "http://localhost".to_owned(), |addr| format!("http://{addr}"));
    let links = links(&variable("PUBLIC_URL").unwrap_or_else(own));
    let from = variable("MAIL_FROM").unwrap_or_else(|| "Quickstart <quickstart@localhost>".to_owned());
    let outbox = data_dir.map_or_else(PathBuf::new, |data_dir| data_dir.file("outbox"));
    let mail = match variable("SMTP_URL") {
        Some(url) => MailDelivery::smtp(url, from, links),
        None => {
            tracing::info!(outbox = %outbox.display(), "mails are files; SMTP_URL names a server that sends them");
            MailDelivery::files(outbox, from, links)
        }
    };
    Ok(mail.build()?)
}

/// Both links begin with the public URL. The first is the front end's page for a new password. The second is the route of
/// the module, which needs the user's access token; a front end would have a page there, too.
fn links(public_url: &str) -> MailLinks {
    let base = public_url.trim_end_matches('/');
    let verification = "{id}/{hash}?signature={signature}&expires={expires}";
    MailLinks::new()
        .reset_url(format!("{base}/reset-password?token={{token}}&email={{email}}"))
        .verification_url(format!("{base}/auth/email/verify/{verification}"))
}
