//! The mails that the examples write into files, and what people do with them.

use super::Program;
use crate::browser::Browser;
use crate::browser::wait::until;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fs;

impl Program {
    /// Waits until the program has sent this number of mails, and returns the last one. The directory is below the program's
    /// working directory.
    pub(crate) async fn mail(&self, outbox: &str, number: usize) -> String {
        let directory = self.directory().join(outbox);
        until(&format!("mail {number}"), async || {
            let entries = fs::read_dir(&directory).map_err(|error| error.to_string())?;
            let mut mails: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
            mails.retain(|path| path.extension().is_some_and(|extension| extension == "eml"));
            // Names sort by time.
            mails.sort();
            let mail = mails.get(number - 1).ok_or_else(|| format!("there are {}", mails.len()))?;
            fs::read_to_string(mail).map_err(|error| error.to_string())
        })
        .await
    }

    /// Waits until the program has sent this number of mails, and follows the link of the last one.
    pub(crate) async fn follow_mail(&self, browser: &Browser, outbox: &str, number: usize) {
        let mail = self.mail(outbox, number).await;
        let link =
            mail.lines().find(|line| line.starts_with("http")).unwrap_or_else(|| panic!("no link in {mail}"));
        // The program names the address that it listens on, which can be visited by another name.
        let path = link.trim().splitn(4, '/').nth(3).unwrap_or_default();
        let link = format!("{}/{path}", self.address());
        // A page of no site, as a mail program is.
        let page = format!("<title>Mail</title><a href=\"{}\">Open</a>", link.trim().replace('&', "&amp;"));
        browser.open(&format!("data:text/html;base64,{}", STANDARD.encode(page))).await;
        browser.page().follow("Open").await;
    }
}
