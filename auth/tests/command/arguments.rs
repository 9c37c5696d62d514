//! Arguments, help and exit codes.

use super::{command, finish, run};
use std::ffi::OsStr;
use std::process::Stdio;

#[test]
fn help_is_on_stdout_and_names_every_command() {
    for argument in ["--help", "-h"] {
        let done = run(&[argument]);
        assert_eq!((done.code, &*done.stderr), (0, ""));
        for name in ["init", "secrets", "check-config", "check-database", "migrations", "password-cost"] {
            assert!(done.stdout.contains(&format!("\n  {name}  ")), "{}", done.stdout);
            let help = run(&[name, argument]);
            assert_eq!((help.code, &*help.stderr), (0, ""));
            assert!(help.stdout.contains(&format!("usage: axum-auth-module {name}")), "{}", help.stdout);
        }
    }
    let version = run(&["--version"]);
    assert_eq!(version.stdout, format!("axum-auth-module {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_help_of_a_command_names_every_option_of_the_summary() {
    let all = run(&["--help"]).stdout;
    let usages = all
        .lines()
        .filter_map(|line| line.trim_start_matches("usage:").trim().strip_prefix("axum-auth-module "));
    let mut commands = 0;
    for usage in usages {
        let name = usage.split(' ').next().unwrap();
        let help = run(&[name, "--help"]).stdout;
        assert!(help.contains(usage), "{usage}\n{help}");
        for option in usage.split(['[', ' ', ']']).filter(|word| word.starts_with("--")) {
            assert!(help.contains(&format!("\n  {option} ")), "{option}\n{help}");
        }
        commands += 1;
    }
    assert_eq!(commands, 6);
}

#[test]
fn no_arguments_are_an_error_with_the_help() {
    let done = run(&[]);
    assert_eq!((done.code, &*done.stdout), (2, ""));
    assert_eq!(done.stderr.trim_end(), run(&["--help"]).stdout.trim_end());
}

#[test]
fn wrong_arguments_are_named_and_nothing_is_done() {
    for (arguments, message) in [
        (&["secret"][..], "there is no command `secret`; did you mean `secrets`?"),
        (&["migrate"], "there is no command `migrate`\n"),
        (&["--quiet"], "there is no option `--quiet`"),
        (&["secrets", "--out", "x"], "there is no option `--out`"),
        (&["secrets", "x"], "there is an argument too many"),
        (&["secrets", "--file"], "missing argument for option '--file'"),
        (&["secrets", "--pepper=1"], "unexpected argument for option '--pepper'"),
        (&["check-config", "a", "b"], "there is an argument too many"),
        (&["check-database", "sqlite::memory:", "--column", "mail"], "`--column` needs `FIELD=NAME`"),
        (
            &["check-database", "sqlite::memory:", "--column", "mail=email"],
            "there is no field `mail`; the nine are id, name, email, password, email_verified_at, two_factor_secret, \
             two_factor_recovery_codes, two_factor_confirmed_at, password_confirmed_at",
        ),
        (&["password-cost", "--milliseconds", "0"], "`--milliseconds` needs a number from 1 to 60000"),
        (&["password-cost", "--milliseconds", "a lot"], "`--milliseconds` needs a number from 1 to 60000"),
        (&["password-cost", "--argon2id", "--memory", "6"], "`--memory` needs a number from 7 to 1024"),
        (&["password-cost", "--memory", "64"], "`--memory` is for Argon2id: add `--argon2id`"),
    ] {
        let done = run(arguments);
        assert_eq!((done.code, &*done.stdout), (2, ""), "{arguments:?}");
        assert!(done.stderr.starts_with(message), "{arguments:?}: {}", done.stderr);
    }
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_unicode_is_an_error() {
    let mut command = command(&["check-config"]);
    command.arg::<&OsStr>(std::os::unix::ffi::OsStrExt::from_bytes(b"\xff"));
    let done = finish(command);
    assert_eq!(done.code, 2, "{done:?}");
}

#[test]
fn a_reader_that_has_gone_away_is_no_failure() {
    let mut command = command(&["secrets"]);
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(process.stdout.take());
    let output = process.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}
