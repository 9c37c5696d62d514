//! Mails with reset tokens, verification links, login codes, links about a changed address, and notices: files in the data directory,
//! or sent by SMTP if a server is configured.

use crate::data_dir::DataDir;
use crate::outbox::Outbox;
use crate::problems::Problems;
use crate::settings::variable;
use axum_auth_module::delivery::{
    AccountDeletionMessage, EmailChangeMessage, EmailLoginMessage, EmailVerificationMessage,
    InvitationMessage, Notice, PasswordResetMessage, SecurityNoticeMessage,
};
use axum_auth_module::mail::{MailDelivery, Mailer};
use std::path::PathBuf;
use tokio::net::TcpListener;

/// The deliveries of the module.
pub(crate) struct Mails {
    pub(crate) password_reset: MailDelivery<PasswordResetMessage>,
    pub(crate) email_verification: MailDelivery<EmailVerificationMessage>,
    pub(crate) email_login: MailDelivery<EmailLoginMessage>,
    pub(crate) email_change: MailDelivery<EmailChangeMessage>,
    pub(crate) account_deletion: MailDelivery<AccountDeletionMessage>,
    pub(crate) security_notice: MailDelivery<SecurityNoticeMessage>,
    pub(crate) invitation: MailDelivery<InvitationMessage>,
    pub(crate) notices: MailDelivery<Notice>,
    /// The directory of the mails, if the page can show them.
    pub(crate) outbox: Option<Outbox>,
}

/// The deliveries that the environment configures, with links to the page at this site. `None` stands for a part whose error has
/// already been reported.
///
/// # Errors
/// All errors of `SMTP_URL`, `MAIL_FROM` and `OUTBOX_TOKEN`.
pub(crate) fn mails(
    data_dir: Option<&DataDir>,
    listener: Option<&TcpListener>,
    site: &str,
) -> Result<Mails, Problems> {
    let mailer = mailer(data_dir)?;
    let outbox = outbox(data_dir, listener, site)?;
    linked(&mailer, site, outbox)
}

/// The outbox, in development: mails are files, and only this machine reaches the server.
fn outbox(
    data_dir: Option<&DataDir>,
    listener: Option<&TcpListener>,
    site: &str,
) -> Result<Option<Outbox>, Problems> {
    let listening = listener.and_then(|listener| listener.local_addr().ok());
    let (Some(data_dir), Some(listening), None) = (data_dir, listening, variable("SMTP_URL")) else {
        return Ok(None);
    };
    let outbox = Outbox::in_development(data_dir.file("outbox"), listening, site, variable("OUTBOX_TOKEN"));
    outbox.map_err(|expected| Problems::one("OUTBOX_TOKEN", expected))
}

fn mailer(data_dir: Option<&DataDir>) -> Result<Mailer, Problems> {
    let from = variable("MAIL_FROM").unwrap_or_else(|| "Quickstart <quickstart@localhost>".to_owned());
    let outbox = data_dir.map_or_else(PathBuf::new, |data_dir| data_dir.file("outbox"));
    let mailer = match variable("SMTP_URL") {
        Some(url) => Mailer::smtp(url, from),
        None => {
            tracing::info!(outbox = %outbox.display(), "mails are files; SMTP_URL names a server that sends them");
            Mailer::files(outbox, from)
        }
    };
    Ok(mailer.build()?)
}

/// The links lead to views of the page at `/`. What follows `#` is for its script only: browsers do not send it, so that
/// tokens reach no log.
fn linked(mailer: &Mailer, site: &str, outbox: Option<Outbox>) -> Result<Mails, Problems> {
    let verification = "id={id}&hash={hash}&signature={signature}&expires={expires}";
    Ok(Mails {
        password_reset: mailer
            .password_reset(format!("{site}/#/reset-password?email={{email}}&token={{token}}"))?,
        email_verification: mailer.email_verification(format!("{site}/#/verify-email?{verification}"))?,
        email_login: mailer.email_login(format!("{site}/#/login?token={{token}}"))?,
        email_change: mailer.email_change(format!("{site}/#/{{page}}?token={{token}}"))?,
        account_deletion: mailer.account_deletion(format!("{site}/#/restore?token={{token}}"))?,
        invitation: mailer.invitation(format!("{site}/#/invitation?token={{token}}"))?,
        security_notice: mailer.security_notice(format!("{site}/#/secure?token={{token}}"))?,
        notices: mailer.notices(),
        outbox,
    })
}
