//! `password-cost`

use super::{Directory, Done, run};
use std::process::{Command, Stdio};

/// The value of a variable in the output.
fn variable(done: &Done, name: &str) -> Option<u32> {
    done.stdout.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

/// The measured milliseconds of these parameters, the last ones if they were measured more than once.
fn milliseconds(done: &Done, parameters: &str) -> Option<u64> {
    let prefix = format!("# {parameters}: ");
    done.stdout
        .lines()
        .filter_map(|line| line.strip_prefix(&*prefix)?.strip_suffix(" ms")?.parse().ok())
        .next_back()
}

#[test]
fn a_time_in_which_nothing_strong_fits_is_said_with_the_least_cost() {
    let done = run(&["password-cost", "--milliseconds", "1"]);
    // Without a terminal there is no progress bar.
    assert_eq!((done.code, &*done.stderr), (1, ""));
    assert!(done.stdout.contains("# Nothing that is strong enough takes at most 1 ms. This is the least:\n"));
    assert_eq!(variable(&done, "AUTH_BCRYPT_COST"), Some(10));
}

#[test]
fn the_cost_of_bcrypt_takes_at_most_the_target() {
    let least = run(&["password-cost", "--milliseconds", "1"]);
    let target = milliseconds(&least, "bcrypt, cost 10").unwrap() * 20;
    let done = run(&["password-cost", "--milliseconds", &target.to_string()]);
    assert_eq!((done.code, &*done.stderr), (0, ""), "{done:?}");
    let cost = variable(&done, "AUTH_BCRYPT_COST").unwrap();
    // Nobody knows how busy this machine is.
    assert!((11..=16).contains(&cost), "{done:?}");
    assert!(milliseconds(&done, &format!("bcrypt, cost {cost}")).unwrap() <= target, "{done:?}");
}

#[test]
fn argon2id_gets_the_allowed_memory_and_as_many_passes_as_fit() {
    let done = run(&["password-cost", "--argon2id", "--memory", "20", "--milliseconds", "2000"]);
    assert_eq!((done.code, &*done.stderr), (0, ""), "{done:?}");
    assert_eq!(variable(&done, "AUTH_ARGON2_MEMORY_KIB"), Some(20 * 1024));
    let passes = variable(&done, "AUTH_ARGON2_ITERATIONS").unwrap();
    assert!((2..=16).contains(&passes), "{done:?}");
    assert!(milliseconds(&done, &format!("Argon2id, 20480 KiB, {passes} passes")).unwrap() <= 2000);
    is_valid(&done);
}

#[test]
fn argon2id_has_less_memory_if_the_time_is_short() {
    let done = run(&["password-cost", "--argon2id", "--milliseconds", "1"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert_eq!(variable(&done, "AUTH_ARGON2_MEMORY_KIB"), Some(7168));
    assert_eq!(variable(&done, "AUTH_ARGON2_ITERATIONS"), Some(5));
    is_valid(&done);
}

#[test]
fn more_memory_than_threads_have_by_default_is_allowed_in_the_result() {
    let done = run(&["password-cost", "--argon2id", "--memory", "160", "--milliseconds", "60000"]);
    assert_eq!(variable(&done, "AUTH_PASSWORD_MEMORY_KIB"), Some(160 * 1024), "{done:?}");
    is_valid(&done);
}

/// Whether the output, after some secrets, is a valid configuration.
fn is_valid(done: &Done) {
    let directory = Directory::new();
    let path = directory.write(".env", &(run(&["secrets"]).stdout + &done.stdout));
    let checked = run(&["check-config", &path]);
    assert_eq!(checked.code, 0, "{checked:?}");
}

/// The program `script` of util-linux gives it a terminal.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_there_is_a_bar_that_disappears() {
    let command =
        format!("{} password-cost --milliseconds 1 > /dev/null", env!("CARGO_BIN_EXE_axum-auth-module"));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]).stdin(Stdio::null());
    let Ok(output) = script.output() else {
        return super::servers::skip("the progress bar: there is no program script");
    };
    let terminal = String::from_utf8(output.stdout).unwrap();
    assert!(terminal.contains("] bcrypt, cost 10") && terminal.ends_with("\r\u{1b}[2K"), "{terminal:?}");
}
