//! `secrets`

use super::{Directory, run};
use std::collections::BTreeSet;
use std::fs;

/// The variables of a text in the form of an `.env` file.
fn variables(text: &str) -> Vec<(&str, &str)> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once('=').unwrap()).collect()
}

#[test]
fn the_three_required_secrets_are_on_stdout_and_are_new_each_time() {
    let (one, other) = (run(&["secrets"]), run(&["secrets"]));
    assert_eq!((one.code, &*one.stderr), (0, ""));
    let (one, other) = (variables(&one.stdout), variables(&other.stdout));
    let names: Vec<_> = one.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["AUTH_JWT_SECRET", "AUTH_REFRESH_SECRET", "AUTH_ENCRYPTION_KEY"]);
    let secrets: BTreeSet<_> = one.iter().chain(&other).map(|(_, secret)| *secret).collect();
    assert_eq!(secrets.len(), 6);
    // 32 bytes in base64.
    assert!(secrets.iter().all(|secret| secret.len() == 44 && secret.ends_with('=')));
}

#[test]
fn a_file_is_created_for_this_user_alone_and_is_a_valid_configuration() {
    let directory = Directory::new();
    let path = directory.file("secrets.env");
    let done = run(&["secrets", "--file", &path, "--pepper"]);
    assert_eq!((done.code, &*done.stderr), (0, ""));
    assert_eq!(done.stdout, format!("4 secrets are in {path}\n"));
    #[cfg(unix)]
    {
        let permissions = fs::metadata(&path).unwrap().permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&permissions) & 0o777, 0o600);
    }
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(variables(&text).last().unwrap().0, "AUTH_PASSWORD_PEPPER");
    let checked = run(&["check-config", &path]);
    assert!(checked.code == 0 && checked.stdout.starts_with("The configuration is valid.\n"), "{checked:?}");
    for (_, secret) in variables(&text) {
        assert!(!checked.stdout.contains(secret));
    }
}

#[test]
fn a_file_that_exists_is_not_changed() {
    let directory = Directory::new();
    let path = directory.write(".env", "PORT=3000\n");
    let done = run(&["secrets", "--file", &path]);
    assert_eq!((done.code, &*done.stdout), (2, ""));
    assert!(done.stderr.starts_with(&format!("{path} exists already, and is not changed")), "{done:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "PORT=3000\n");
}

#[cfg(unix)]
#[test]
fn a_link_to_nowhere_is_not_followed() {
    let directory = Directory::new();
    let (link, target) = (directory.file("link"), directory.file("elsewhere"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert_eq!(run(&["secrets", "--file", &link]).code, 2);
    assert!(!fs::exists(&target).unwrap());
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_without_secrets() {
    let directory = Directory::new();
    let done = run(&["secrets", "--file", &directory.file("missing/secrets.env")]);
    assert_eq!((done.code, &*done.stdout), (2, ""));
    assert!(done.stderr.contains("cannot be written") && !done.stderr.contains("AUTH_"), "{done:?}");
}
