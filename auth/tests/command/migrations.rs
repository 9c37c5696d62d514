//! `migrations`: what it writes makes the tables.

use super::databases::{Kind, TestDatabase, run as run_sql};
use super::run;

const NAMES: [(Kind, &str); 3] =
    [(Kind::Sqlite, "sqlite"), (Kind::Postgres, "postgres"), (Kind::MySql, "mysql")];

#[tokio::test]
async fn the_sql_makes_every_table() {
    for (kind, name) in NAMES {
        let Some(database) = TestDatabase::create(kind).await else { continue };
        let done = run(&["migrations", name]);
        assert_eq!((done.code, &*done.stderr), (0, ""), "{name}");
        run_sql(kind, &database.url(), &done.stdout).await.unwrap();
        let tables = [
            "users",
            "password_resets",
            "auth_sessions",
            "auth_store",
            "auth_audit",
            "auth_passkeys",
            "auth_identities",
            "auth_deletions",
            "auth_api_tokens",
        ];
        for table in tables {
            run_sql(kind, &database.url(), &format!("SELECT 1 FROM {table}")).await.unwrap();
        }
    }
}

#[test]
fn it_writes_what_is_asked_for() {
    let all = run(&["migrations", "sqlite"]).stdout;
    let headings: Vec<_> = all.lines().filter(|line| line.starts_with("-- version ")).collect();
    assert_eq!(
        headings[..9],
        [
            "-- version 1: users",
            "-- version 2: password_resets",
            "-- version 3: auth_sessions",
            "-- version 4: auth_store",
            "-- version 5: auth_audit",
            "-- version 6: auth_passkeys",
            "-- version 7: auth_identities",
            "-- version 8: auth_deletions",
            "-- version 9: auth_api_tokens",
        ]
    );
    let later = run(&["migrations", "sqlite", "--after", "4"]).stdout;
    assert!(later.starts_with("-- version 5: auth_audit\n") && all.ends_with(&later), "{later}");
    let sessions = run(&["migrations", "sqlite", "--table", "auth_sessions", "--table", "auth_store"]).stdout;
    assert!(sessions.starts_with("-- version 3: auth_sessions\n"), "{sessions}");
    assert!(sessions.contains("CREATE TABLE auth_store") && !sessions.contains("users ("), "{sessions}");
    let none = run(&["migrations", "sqlite", "--after", "1000000"]).stdout;
    assert_eq!(none, "-- no migration has a version above 1000000\n");
}

#[test]
fn what_it_does_not_know_is_an_error() {
    for (arguments, message) in [
        (&["migrations"][..], "for which database? Say `sqlite`, `postgres` or `mysql`\n"),
        (&["migrations", "oracle"], "for which database? Say `sqlite`, `postgres` or `mysql`\n"),
        (
            &["migrations", "mysql", "--table", "sessions"],
            "the library has no table `sessions`; its tables are users, password_resets, auth_sessions, auth_store, auth_audit, auth_passkeys, auth_identities, auth_deletions, auth_api_tokens\n",
        ),
    ] {
        let done = run(arguments);
        assert_eq!((done.code, &*done.stdout, &*done.stderr), (2, "", message), "{arguments:?}");
    }
}
