//! How `SqlSessions` on PostgreSQL behaves with many rows; the figures are in `tests/benches/scale/README.md`.
//!
//! ```sh
//! cargo bench --manifest-path tests/benches/Cargo.toml --bench scale -- 10000000
//! ```
//!
//! It needs PostgreSQL (at `POSTGRES_URL`, or its default local address) and some gigabytes, and deletes its database.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program to measure with"
)]

#[path = "../../../auth/src/testing/databases.rs"]
#[expect(dead_code, reason = "only PostgreSQL is measured")]
mod databases;
#[path = "../../../auth/src/testing/servers.rs"]
#[expect(dead_code, reason = "tests start servers, too")]
mod servers;

use axum_auth_module::repository::{SessionKind, SessionRepository};
use axum_auth_module::sql::{SqlSessions, migrate};
use databases::{Kind, TestDatabase};
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, PgPool};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How many sessions each user has.
const PER_USER: u64 = 3;
/// As many requests at once as a host with a pool of this size has.
const CONNECTIONS: u32 = 8;
/// Measured calls.
const CALLS: u64 = 20_000;
/// How many sessions have expired already.
const EXPIRED: u64 = 20_000;

#[tokio::main]
async fn main() {
    // `cargo bench` adds `--bench`.
    let rows = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(1_000_000);
    println!(
        "| rows | session check p50 | p99 | find_by_user p50 | p99 | pass of 1000 | on disk | bytes per row |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for rows in [1_000, rows] {
        measure(rows).await;
    }
}

async fn measure(rows: u64) {
    let place = TestDatabase::create(Kind::Postgres).await.expect("PostgreSQL");
    let options = PgPoolOptions::new().max_connections(CONNECTIONS).test_before_acquire(false);
    let pool = options.connect(&place.url()).await.unwrap();
    migrate(&pool).await.unwrap();
    let expired = EXPIRED.min(rows / 10);
    fill(&pool, rows, expired).await;
    let sessions = Arc::new(SqlSessions::new(&pool));

    let check = {
        let sessions = Arc::clone(&sessions);
        times(move |number| {
            let (sessions, id) = (Arc::clone(&sessions), id(random(number) % rows));
            async move { assert!(sessions.find(&id).await.unwrap().is_some()) }
        })
        .await
    };
    let by_user = {
        let sessions = Arc::clone(&sessions);
        times(move |number| {
            let (sessions, user) =
                (Arc::clone(&sessions), format!("user-{}", random(number) % (rows / PER_USER)));
            async move {
                let kinds = &[SessionKind::Bearer, SessionKind::Browser];
                assert_eq!(sessions.find_by_user(&user, kinds).await.unwrap().len() as u64, PER_USER);
            }
        })
        .await
    };
    let mut passes = Vec::new();
    while {
        let began = Instant::now();
        let deleted = sessions.delete_expired(SystemTime::now(), 1000).await.unwrap();
        passes.push(began.elapsed());
        deleted == 1000
    } {}
    passes.sort();
    let size: i64 = scalar(&pool, "SELECT pg_total_relation_size('auth_sessions')").await;
    println!(
        "| {rows} | {:?} | {:?} | {:?} | {:?} | {:?} | {} MB | {} |",
        at(&check, 50),
        at(&check, 99),
        at(&by_user, 50),
        at(&by_user, 99),
        at(&passes, 50),
        size / 1_000_000,
        size / i64::try_from(rows).unwrap()
    );
    pool.close().await;
}

/// Inserts the rows without the indexes and then builds these, which takes minutes instead of hours.
async fn fill(pool: &PgPool, rows: u64, expired: u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    // As long as the state of a session that was refreshed and confirmed.
    let state = "x".repeat(320);
    let day = 86_400_000;
    for sql in [
        "ALTER TABLE auth_sessions DROP CONSTRAINT auth_sessions_pkey".to_owned(),
        "DROP INDEX auth_sessions_by_user".to_owned(),
        "DROP INDEX auth_sessions_by_end".to_owned(),
        format!(
            "INSERT INTO auth_sessions SELECT left(encode(sha256(CAST(n::text AS bytea)), 'hex'), 22), 'user-' || n / {PER_USER}, 'bearer', '{state}', \
             {now}, {now}, CASE WHEN n < {expired} THEN {now} - n ELSE {now} + 7 * {day} - n % {day} END, \
             '192.0.2.' || n % 256, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' \
             FROM generate_series(0, {rows} - 1) AS n"
        ),
        "ALTER TABLE auth_sessions ADD PRIMARY KEY (id)".to_owned(),
        "CREATE INDEX auth_sessions_by_user ON auth_sessions (user_id, kind)".to_owned(),
        "CREATE INDEX auth_sessions_by_end ON auth_sessions (expires_at)".to_owned(),
        "VACUUM ANALYZE auth_sessions".to_owned(),
    ] {
        sqlx::query(AssertSqlSafe(sql)).execute(pool).await.unwrap();
    }
}

async fn scalar(pool: &PgPool, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(pool).await.unwrap()
}

/// The id of a row, as the database has made it.
fn id(number: u64) -> String {
    let hash = <sha2::Sha256 as sha2::Digest>::digest(number.to_string());
    hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>().chars().take(22).collect()
}

/// Numbers without an order (splitmix64).
fn random(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The sorted times of many calls, as many at once as there are connections. The first tenth warms up.
async fn times<F>(call: impl Fn(u64) -> F + Clone + Send + 'static) -> Vec<Duration>
where
    F: Future<Output = ()> + Send + 'static,
{
    let tasks = (0..u64::from(CONNECTIONS)).map(|task| {
        let call = call.clone();
        tokio::spawn(async move {
            let mut times = Vec::new();
            for number in 0..CALLS / u64::from(CONNECTIONS) {
                let began = Instant::now();
                call((task << 32) | number).await;
                times.push(began.elapsed());
            }
            times.split_off(times.len() / 10)
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    times.sort();
    times
}

/// The percentile of sorted times, in whole microseconds.
fn at(sorted: &[Duration], percent: usize) -> Duration {
    let time = sorted[(sorted.len() - 1) * percent / 100];
    Duration::from_micros(time.as_micros().try_into().unwrap())
}
