//! Into a directory.

use super::{ADA, SENDER, Seen, Stopped, TOKEN, reset, verify};
use crate::mail::Mailer;
use std::fs;
use std::path::{Path, PathBuf};

/// The directory of one test, which is deleted after it. The mailer creates it.
struct Outbox(PathBuf);

impl Outbox {
    fn new() -> Self {
        let name = format!("auth-mail-{}", crate::crypto::random::id().unwrap());
        Self(std::env::temp_dir().join(name))
    }

    fn mailer(&self) -> Mailer {
        Mailer::files(self.0.join("a/b"), SENDER).clock(Stopped).build().unwrap()
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> =
            fs::read_dir(self.0.join("a/b")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn each_mail_is_one_file_that_parses_back() {
    let outbox = Outbox::new();
    let mail = outbox.mailer();
    reset(&mail, ADA, "Ada").await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    verify(&mail, ADA, "7").await.unwrap();

    let files = outbox.files();
    assert!(
        files.iter().all(|file| file.extension().is_some_and(|extension| extension == "eml")),
        "{files:?}"
    );
    let [first, second] = &files[..] else { panic!("{files:?}") };
    let first = Seen::read(&fs::read(first).unwrap());
    assert_eq!(first.header("To"), [ADA]);
    assert!(first.text.contains(TOKEN) && first.html.contains(TOKEN));
    assert!(Seen::read(&fs::read(second).unwrap()).text.contains("/verify/7/ab12"));
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_reads_them() {
    let outbox = Outbox::new();
    reset(&outbox.mailer(), ADA, "Ada").await.unwrap();
    assert_eq!(mode(&outbox.files()[0]), 0o600);
    assert_eq!(mode(&outbox.0.join("a/b")), 0o700);
}

#[tokio::test]
async fn a_directory_that_cannot_be_is_an_error() {
    let outbox = Outbox::new();
    fs::write(&outbox.0, "a file").unwrap();
    let error = reset(&outbox.mailer(), ADA, "Ada").await.unwrap_err();
    assert!(error.to_string().starts_with("the mail could not be written"), "{error}");
    fs::remove_file(&outbox.0).unwrap();
}

#[tokio::test]
async fn a_directory_that_was_emptied_is_made_again() {
    let outbox = Outbox::new();
    let mail = outbox.mailer();
    reset(&mail, ADA, "Ada").await.unwrap();
    fs::remove_dir_all(&outbox.0).unwrap();
    reset(&mail, ADA, "Ada").await.unwrap();
    assert_eq!(outbox.files().len(), 1);
}
