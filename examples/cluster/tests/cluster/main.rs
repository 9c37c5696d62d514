//! The cluster serves and ends. It needs the programs of PostgreSQL and Redis: without them the test is skipped with a line on
//! stderr, and fails if the environment variable `CI` is set. `tests/soak` looks at what happens when servers fail.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot go on has failed")]

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

/// Starts the cluster. `None`: skipped.
fn start() -> Option<(Child, Vec<String>)> {
    let mut cluster = Command::new(env!("CARGO_BIN_EXE_cluster"));
    let mut cluster = cluster.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(cluster.stdout.take().unwrap());
    let lines: Vec<_> = output.lines().take(6).map(Result::unwrap).collect();
    if lines.len() == 6 {
        return Some((cluster, lines));
    }
    let message = String::from_utf8(cluster.wait_with_output().unwrap().stderr).unwrap();
    assert!(message.starts_with("missing programs: "), "{message}");
    assert!(std::env::var_os("CI").is_none(), "tests cannot be skipped here: {message}");
    // The test harness captures what `eprintln!` writes, but not this.
    std::io::stderr().write_all(format!("skipped tests: the cluster: {message}").as_bytes()).unwrap();
    None
}

#[tokio::test]
async fn a_session_of_one_instance_is_a_session_of_the_other() {
    let Some((mut cluster, lines)) = start() else { return };
    let urls: Vec<_> =
        lines.iter().flat_map(|line| line.split(' ')).filter(|word| word.starts_with("http")).collect();
    let [address, first, second] = urls[..] else { panic!("{lines:?}") };
    let client = reqwest::Client::new();
    let password = "correct horse battery";
    let body = json!({ "name": "Ada", "email": "ada@example.com", "password": password, "passwordConfirmation": password });
    let registered = client.post(format!("{address}/auth/register")).json(&body).send().await.unwrap();
    assert_eq!(registered.status(), 201);
    let tokens: Value = registered.json().await.unwrap();
    for instance in [first, second] {
        let me = client.get(format!("{instance}/me")).bearer_auth(tokens["accessToken"].as_str().unwrap());
        assert_eq!(me.send().await.unwrap().status(), 200);
    }
    kill_process(Pid::from_child(&cluster), Signal::TERM).unwrap();
    assert!(cluster.wait().unwrap().success());
}
