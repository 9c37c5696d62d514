//! Data that survives the end of the process.

use crate::databases::{Kind, TestDatabase};
use crate::host::{Directory, Host, PASSWORD, log, login, registration};
use crate::servers::REDIS;
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
    let before = restart(&directory, &[]).await;
    assert_eq!(fs::read(&secrets).expect("the secrets"), before);
    let mode = |path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(secrets), mode(directory.data())), (0o600, 0o700));
    assert!(log(&directory).contains("in production, set AUTH_JWT_SECRET"), "the loud line");
}

#[tokio::test]
async fn a_restart_keeps_what_is_in_a_server() {
    for kind in [Kind::Postgres, Kind::MySql] {
        let Some(database) = TestDatabase::create(kind).await else { continue };
        restart(&Directory::new(), &[("DATABASE_URL", &database.url())]).await;
    }
    let (Some(database), Some(redis)) = (TestDatabase::create(Kind::Postgres).await, REDIS.find()) else {
        return;
    };
    restart(&Directory::new(), &[("DATABASE_URL", &database.url()), ("REDIS_URL", &redis)]).await;
}

/// Kills the program in the middle, and starts it again. Returns the secrets of the first process.
async fn restart(directory: &Directory, environment: &[(&str, &str)]) -> Vec<u8> {
    let host = Host::start(directory, environment);
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    let secrets = fs::read(directory.data().join("secrets.env")).expect("the secrets");
    let ended = host.post("/auth/login", login("ada@example.com", PASSWORD)).await;
    assert_eq!(host.post_as(ended.text("accessToken"), "/auth/logout").await.status, 200);
    host.post("/auth/register", registration("grace@example.com")).await;
    for _ in 0..5 {
        assert_eq!(host.post("/auth/login", login("grace@example.com", "wrong")).await.status, 401);
    }
    assert_eq!(host.get_as("", "/healthz").await.status, 200);
    drop(host);

    let host = Host::start(directory, environment);
    assert_eq!(host.get_as(ended.text("accessToken"), "/me").await.status, 401, "it was logged out");
    let locked = host.post("/auth/login", login("grace@example.com", PASSWORD)).await;
    assert_eq!(locked.status, 429, "a restart forgets no attempt");
    assert_eq!(host.post("/auth/login", login("ada@example.com", PASSWORD)).await.status, 200);
    assert_eq!(host.get_as(registered.text("accessToken"), "/me").await.status, 200);
    secrets
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

/// Concurrent registrations; the process responds to some of them before it is killed.
const REGISTRATIONS: usize = 60;

#[tokio::test]
async fn every_account_with_a_response_survives_a_kill() {
    let directory = Directory::new();
    let trusted = [("AUTH_TRUSTED_PROXIES", "127.0.0.1")];
    // A client may not register that often, so each registration has its own client address.
    let client = |n: usize| format!("198.51.100.{n}");
    let email = |n: usize| format!("ada-{n}@example.com");

    let host = Arc::new(Host::start(&directory, &trusted));
    let responded = Arc::new(AtomicUsize::new(0));
    let mut burst = JoinSet::new();
    for n in 0..REGISTRATIONS {
        let (host, responded) = (Arc::clone(&host), Arc::clone(&responded));
        burst.spawn(async move {
            let response = host.post_from(&client(n), "/auth/register", registration(&email(n))).await;
            let created = response.is_ok_and(|response| response.status == 201);
            responded.fetch_add(usize::from(created), Ordering::Relaxed);
            created.then_some(n)
        });
    }
    while responded.load(Ordering::Relaxed) < 10 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    host.kill();
    let created: Vec<usize> = burst.join_all().await.into_iter().flatten().collect();
    assert!(created.len() < REGISTRATIONS, "the kill came after the burst");
    drop(host);

    let host = Host::start(&directory, &trusted);
    for n in created {
        let response = host.post_from(&client(n), "/auth/login", login(&email(n), PASSWORD)).await;
        assert_eq!(response.expect("a response").status, 200, "{}", email(n));
    }
}

#[tokio::test]
async fn two_processes_that_start_at_once_share_secrets_and_database() {
    for _ in 0..3 {
        let directory = Directory::new();
        let (one, other) = std::thread::scope(|scope| {
            let start = || scope.spawn(|| Host::start(&directory, &[]));
            let (one, other) = (start(), start());
            (one.join().expect("it starts"), other.join().expect("it starts"))
        });
        let registered = one.post("/auth/register", registration("ada@example.com")).await;
        // The other process finds the account in the database, and accepts a token that it has not signed.
        assert_eq!(other.get_as(registered.text("accessToken"), "/me").await.status, 200);
    }
}
