//! The mails of the site, by what they are: notices come at any time, so the number of a mail alone says nothing.

use super::{OUTBOX, Pages};
use crate::browser::Browser;
use crate::browser::wait::until;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fs;

impl Pages {
    /// Waits for the mail with this number, from one, among those to this address whose header `X-Auth-Message` begins with this kind:
    /// `password-reset`, `security-notice; kind=PasswordChanged`.
    async fn mail(&self, to: &str, kind: &str, number: usize) -> String {
        let directory = self.0.directory().join(OUTBOX);
        let headers = [format!("To: {to}"), format!("X-Auth-Message: {kind}")];
        until(&format!("mail {number} of {kind} to {to}"), async || {
            let entries = fs::read_dir(&directory).map_err(|error| error.to_string())?;
            let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "eml"));
            // Names sort by time.
            paths.sort();
            let has = |mail: &str, header: &String| mail.lines().any(|line| line.starts_with(header));
            let mut mails = paths.iter().filter_map(|path| fs::read_to_string(path).ok());
            mails
                .by_ref()
                .filter(|mail| headers.iter().all(|header| has(mail, header)))
                .nth(number - 1)
                .ok_or_else(|| format!("there are {} mails in all", paths.len()))
        })
        .await
    }

    /// The code in such a mail to log in or to confirm something, in two groups.
    pub(super) async fn mailed_code(&self, to: &str, number: usize) -> String {
        let mail = self.mail(to, "email-login", number).await;
        let is_code = |line: &&str| !line.is_empty() && line.chars().all(|c| c == ' ' || c.is_ascii_digit());
        mail.lines().find(is_code).unwrap_or_else(|| panic!("no code in {mail}")).to_owned()
    }

    /// Follows the link in the first such mail.
    pub(super) async fn follow_mail(&self, browser: &Browser, to: &str, kind: &str) {
        let mail = self.mail(to, kind, 1).await;
        let link =
            mail.lines().find(|line| line.starts_with("http")).unwrap_or_else(|| panic!("no link in {mail}"));
        // A page of no site, as a mail program is.
        let page = format!("<title>Mail</title><a href=\"{}\">Open</a>", link.trim().replace('&', "&amp;"));
        browser.open(&format!("data:text/html;base64,{}", STANDARD.encode(page))).await;
        browser.page().follow("Open").await;
    }
}
