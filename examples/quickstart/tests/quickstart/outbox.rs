//! The mails that the program writes into its data directory.

use crate::host::{Directory, PATIENCE};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The mails so far, oldest first.
pub(crate) fn mails(directory: &Directory) -> Vec<PathBuf> {
    // The directory does not exist before the first mail.
    let entries = fs::read_dir(directory.data().join("outbox")).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut mails: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "eml")).collect();
    mails.sort();
    mails
}

/// The mail with this number, from one. Mails are written after the response, so this waits.
pub(crate) async fn mail(directory: &Directory, number: usize) -> String {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(path) = mails(directory).get(number - 1) {
            return fs::read_to_string(path).expect("text");
        }
        assert!(Instant::now() < deadline, "there is no mail {number}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The first mail that is this one, by its header: `password-reset; kind=Requested`. This waits, too.
pub(crate) async fn mail_that_is(directory: &Directory, label: &str) -> String {
    let deadline = Instant::now() + PATIENCE;
    let header = format!("\r\nX-Auth-Message: {label}\r\n");
    loop {
        let texts = mails(directory).into_iter().map(|path| fs::read_to_string(path).expect("text"));
        if let Some(mail) = texts.into_iter().find(|text| text.contains(&header)) {
            return mail;
        }
        assert!(Instant::now() < deadline, "there is no mail {label}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The link of a mail, which is on its own line in the plain text part.
pub(crate) fn link(mail: &str) -> &str {
    mail.lines().find(|line| line.starts_with("http")).unwrap_or_else(|| panic!("no link in {mail}"))
}

/// A parameter of a link's query.
pub(crate) fn parameter<'a>(link: &'a str, name: &str) -> &'a str {
    let (_, query) = link.split_once('?').expect("a query");
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).unwrap_or_else(|| panic!("no {name} in {link}")).1
}
