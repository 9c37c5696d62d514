//! `check-database`, on every database.

use super::databases::{Kind, TestDatabase, run as run_sql};
use super::{Directory, command, finish, run};

/// What a command says about a database after this SQL.
async fn checked(kind: Kind, sql: &str, arguments: &[&str]) -> Option<(i32, String)> {
    let database = TestDatabase::create(kind).await?;
    run_sql(kind, &database.url(), sql).await.unwrap();
    Some(check(&database, arguments))
}

fn check(database: &TestDatabase, arguments: &[&str]) -> (i32, String) {
    let url = database.url();
    let done = run(&[&["check-database", &url], arguments].concat());
    assert_eq!(done.stderr, "");
    (done.code, done.stdout)
}

/// A table that lacks some columns, some of which have other names.
const MEMBERS: &str = "CREATE TABLE members (
    number integer PRIMARY KEY, full_name varchar(100) NOT NULL, mail varchar(200) NOT NULL, hash varchar(200) NOT NULL
)";
const NAMES: [&str; 10] = [
    "--table",
    "members",
    "--column",
    "id=number",
    "--column",
    "name=full_name",
    "--column",
    "email=mail",
    "--column",
    "password=hash",
];

#[tokio::test]
async fn the_output_is_sql_that_adds_what_is_missing() {
    for kind in Kind::ALL {
        let Some(database) = TestDatabase::create(kind).await else { continue };
        run_sql(kind, &database.url(), MEMBERS).await.unwrap();
        run_sql(kind, &database.url(), "INSERT INTO members VALUES (1, 'Ada', 'Ada@Example.com', 'x')")
            .await
            .unwrap();
        let arguments = [&NAMES[..], &["--new-ids"]].concat();
        let (code, stdout) = check(&database, &arguments);
        assert_eq!(code, 1, "{stdout}");
        assert_eq!(stdout.matches("ADD COLUMN").count(), 5, "{stdout}");
        assert!(stdout.contains("-- - 1 address has capitals"), "{stdout}");
        // The whole output, with its comments.
        run_sql(kind, &database.url(), &stdout).await.unwrap();
        let (code, stdout) = check(&database, &arguments);
        assert_eq!(code, 0, "{stdout}");
        let name = if kind == Kind::MySql { "members" } else { "\"members\"" };
        assert!(stdout.contains(name) && stdout.contains("has everything"), "{stdout}");
    }
}

#[tokio::test]
async fn ids_must_come_from_the_table_or_from_the_host() {
    let Some((code, stdout)) = checked(Kind::Postgres, MEMBERS, &NAMES).await else { return };
    assert_eq!(code, 1);
    assert!(stdout.contains("-- - the column \"number\" has no default"), "{stdout}");
    let (_, stdout) = checked(Kind::Postgres, MEMBERS, &[&NAMES[..], &["--new-ids"]].concat()).await.unwrap();
    assert!(!stdout.contains("has no default"), "{stdout}");
}

#[tokio::test]
async fn a_table_that_does_not_exist_is_named() {
    for kind in Kind::ALL {
        let Some((code, stdout)) = checked(kind, "SELECT 1", &[]).await else { continue };
        assert_eq!(code, 1);
        assert!(
            stdout.contains("-- - the table does not exist: `axum_auth_module::sql::migrate` creates it"),
            "{stdout}"
        );
        assert!(stdout.contains("--table NAME, --column FIELD=NAME"), "{stdout}");
    }
}

#[tokio::test]
async fn the_address_can_be_in_the_environment() {
    let database = TestDatabase::create(Kind::Sqlite).await.unwrap();
    run_sql(Kind::Sqlite, &database.url(), MEMBERS).await.unwrap();
    let mut command = command(&["check-database", "--table", "members"]);
    command.env("DATABASE_URL", database.url());
    let done = finish(command);
    assert_eq!((done.code, &*done.stderr), (1, ""));
    assert!(done.stdout.contains("-- - the column \"email\" is missing"), "{done:?}");
}

#[test]
fn a_file_that_does_not_exist_is_not_created() {
    let directory = Directory::new();
    let path = directory.file("users.db");
    let done = run(&["check-database", &format!("sqlite:{path}?mode=rwc")]);
    assert_eq!((done.code, &*done.stdout), (2, ""));
    assert!(done.stderr.starts_with("the database cannot be opened: "), "{done:?}");
    assert!(!std::fs::exists(&path).unwrap());
}

#[test]
fn what_cannot_be_opened_is_said_without_the_password() {
    for (arguments, message) in [
        (&["check-database"][..], "which database?"),
        (&["check-database", "oracle://me:hunter2@host/x"], "the address of a database begins with sqlite:"),
        (&["check-database", "users.db"], "the address of a database begins with sqlite:"),
        (&["check-database", "postgres://me:hunter2@127.0.0.1:1/x"], "the database cannot be opened: "),
        (&["check-database", "postgres://me:hunter2@127.0.0.1:port/x"], "the database cannot be opened: "),
        (&["check-database", "mysql://me:hunter2@127.0.0.1:1/x"], "the database cannot be opened: "),
        (&["check-database", "mysql://a", "mysql://me:hunter2@b"], "there is an argument too many"),
        (&["check-database", "sqlite:x", "--table", "a;b"], "\"a;b\" cannot name a table or column"),
        (&["check-database", "sqlite:x", "--column", "id=a b"], "\"a b\" cannot name a table or column"),
    ] {
        let done = run(arguments);
        assert_eq!((done.code, &*done.stdout), (2, ""), "{arguments:?}");
        assert!(
            done.stderr.starts_with(message) && !done.stderr.contains("hunter2"),
            "{arguments:?}: {}",
            done.stderr
        );
    }
}
