//! The walk-throughs of `docs/walk-through.md`, pasted one after the other: with bash and curl.

use crate::host::{Directory, Host};
use crate::readme::blocks;
use std::process::Command;

#[tokio::test]
async fn the_walk_throughs_return_what_they_announce() {
    let walk_through = blocks("docs/walk-through.md", "bash").concat();
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let output = Command::new("bash")
        .args(["-euc", &walk_through])
        .env("BASE", host.base())
        .env("DATA_DIR", directory.data())
        .output()
        .expect("bash is installed");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}\n{errors}");

    let answered: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("HTTP ")).collect();
    let announced: Vec<&str> = walk_through.lines().filter_map(announced).flatten().collect();
    assert_eq!(answered, announced, "{text}\n{errors}");
    let expected = [
        "201", "200", "200", "200", "200", "401", "200", "401", "409", "401", "401", "401", "401", "401",
        "429", // and the second one:
        "201", "200", "200", "200",
    ];
    assert_eq!(answered, expected);
    let retry_after =
        text.lines().find_map(|line| line.to_lowercase().strip_prefix("retry-after: ")?.parse().ok());
    assert!(retry_after.is_some_and(|seconds: u32| (1..=60).contains(&seconds)), "{text}");
}

/// The statuses that a comment of the walk-through announces for the command below it: `# 200, then 401: …`.
fn announced(line: &str) -> Option<impl Iterator<Item = &str>> {
    let (statuses, _) = line.strip_prefix("# ")?.split_once(':')?;
    Some(statuses.split([',', ' ']).filter(|word| word.len() == 3 && word.parse::<u16>().is_ok()))
}
