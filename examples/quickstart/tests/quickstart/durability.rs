//! What outlives the process, however it ends.

use crate::host::{Directory, Host, PASSWORD, log, login, registration};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

#[tokio::test]
async fn a_restart_keeps_the_accounts_the_sessions_and_the_secrets() {
    let directory = Directory::new();
    let secrets = directory.data().join("secrets.env");
    let host = Host::start(&directory, &[]);
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    let before = fs::read(&secrets).expect("the secrets");
    drop(host);

    let host = Host::start(&directory, &[]);
    assert_eq!(host.post("/auth/login", login("ada@example.com", PASSWORD)).await.status, 200);
    assert_eq!(host.get_as(registered.text("accessToken"), "/me").await.status, 200);
    assert_eq!(fs::read(&secrets).expect("the secrets"), before);
    let mode = |path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(secrets), mode(directory.data())), (0o600, 0o700));
    assert!(log(&directory).contains("in production, set AUTH_JWT_SECRET"), "the loud line");
}

#[tokio::test]
async fn the_environment_wins_over_the_file_and_three_secrets_need_none() {
    let directory = Directory::new();
    let (jwt, refresh) = ("a secret of thirty-two bytes or so", "another one of thirty-two bytes..");
    let key = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
    let all = [("AUTH_JWT_SECRET", jwt), ("AUTH_REFRESH_SECRET", refresh), ("AUTH_ENCRYPTION_KEY", key)];
    let host = Host::start(&directory, &all);
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    drop(host);
    assert!(!directory.data().join("secrets.env").exists());

    let host = Host::start(&directory, &all[..1]);
    assert_eq!(host.get_as(registered.text("accessToken"), "/me").await.status, 200, "signed with the same");
    drop(host);
    assert!(directory.data().join("secrets.env").exists());

    let host = Host::start(&directory, &[]);
    assert_eq!(host.get_as(registered.text("accessToken"), "/me").await.status, 401, "signed with another");
}

/// Registrations at once, of which the process answers some before it is killed.
const REGISTRATIONS: usize = 60;

#[tokio::test]
async fn every_account_that_was_answered_outlives_a_kill() {
    let directory = Directory::new();
    let trusted = [("AUTH_TRUSTED_PROXIES", "127.0.0.1")];
    // One client may not register that often, so each comes from an address of its own.
    let client = |n: usize| format!("198.51.100.{n}");
    let email = |n: usize| format!("ada-{n}@example.com");

    let host = Arc::new(Host::start(&directory, &trusted));
    let answered = Arc::new(AtomicUsize::new(0));
    let mut burst = JoinSet::new();
    for n in 0..REGISTRATIONS {
        let (host, answered) = (Arc::clone(&host), Arc::clone(&answered));
        burst.spawn(async move {
            let answer = host.post_from(&client(n), "/auth/register", registration(&email(n))).await;
            let created = answer.is_ok_and(|answer| answer.status == 201);
            answered.fetch_add(usize::from(created), Ordering::Relaxed);
            created.then_some(n)
        });
    }
    while answered.load(Ordering::Relaxed) < 10 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    host.kill();
    let created: Vec<usize> = burst.join_all().await.into_iter().flatten().collect();
    assert!(created.len() < REGISTRATIONS, "the kill came after the burst");
    drop(host);

    let host = Host::start(&directory, &trusted);
    for n in created {
        let answer = host.post_from(&client(n), "/auth/login", login(&email(n), PASSWORD)).await;
        assert_eq!(answer.expect("an answer").status, 200, "{}", email(n));
    }
}

#[tokio::test]
async fn two_that_start_at_once_share_what_one_of_them_makes() {
    for _ in 0..3 {
        let directory = Directory::new();
        let (one, other) = std::thread::scope(|scope| {
            let start = || scope.spawn(|| Host::start(&directory, &[]));
            let (one, other) = (start(), start());
            (one.join().expect("it starts"), other.join().expect("it starts"))
        });
        let registered = one.post("/auth/register", registration("ada@example.com")).await;
        // The other one finds the account in the database, and takes a token that it has not signed.
        assert_eq!(other.get_as(registered.text("accessToken"), "/me").await.status, 200);
    }
}
