//! What is wrong with a host's table, and that the statements of the report mend it.

use super::{Account, Guest, Member, Tested, new_user, on, on_each};
use crate::AuthUser;
use crate::repository::UserRepository;
use crate::sql::{CheckError, Database, MigrateError, SqlUsers, Table, UserIn, migrate};
use crate::testing::databases::Kind;
use crate::user::UserField;
use chrono::{DateTime, Utc};

/// A table of users that was there before the library.
fn existing(kind: Kind) -> &'static str {
    match kind {
        Kind::Sqlite => {
            "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, password TEXT NOT NULL, \
             email_verified_at TEXT)"
        }
        Kind::Postgres => {
            "CREATE TABLE users (id bigserial PRIMARY KEY, name text NOT NULL, email text NOT NULL, \
             password text NOT NULL, email_verified_at timestamp, two_factor_secret text NOT NULL DEFAULT '')"
        }
        Kind::MySql => {
            "CREATE TABLE users (id bigint AUTO_INCREMENT PRIMARY KEY, name varchar(100) NOT NULL, \
             email varchar(200) NOT NULL, password varchar(255) NOT NULL, email_verified_at datetime(6), \
             two_factor_secret varchar(300) NOT NULL DEFAULT '')"
        }
    }
}

const ROWS: &str = "INSERT INTO users (name, email, password) VALUES ('Ada', 'Ada@Example.com', 'x'), \
                    ('Bob', ' bob@example.com', 'x'), ('Grace', 'grace@example.com', 'x')";

/// The report of the library's own table `users`.
async fn report(tested: &Tested) -> String {
    match migrate(&tested.database).await {
        Err(MigrateError::UsersDiffer(differ)) => differ.to_string(),
        other => panic!("{other:?}"),
    }
}

/// The report of an adapter.
fn differences(result: Result<(), CheckError>) -> String {
    match result {
        Err(CheckError::UsersDiffer(differ)) => differ.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Runs the statements of a report.
async fn mend(tested: &Tested, report: &str) {
    let (_, statements) = report.split_once("\n\n").unwrap();
    tested.run(statements).await;
}

#[tokio::test]
async fn an_existing_table_is_mended_by_pasting_the_report() {
    let mut reports = String::new();
    for kind in Kind::ALL {
        let Some(tested) = super::tested(kind).await else { return };
        tested.run(existing(kind)).await;
        tested.run(ROWS).await;
        let report = report(&tested).await;
        mend(&tested, &report).await;
        reports.push_str(&format!("## {kind:?}\n\n{report}\n\n"));

        // Now it is used, and that is recorded.
        migrate(&tested.database).await.unwrap();
        tested.run("UPDATE users SET email = upper(email)").await;
        migrate(&tested.database).await.unwrap();
        assert_eq!(tested.count("users").await, 3);
    }
    insta::assert_snapshot!(reports);
}

#[tokio::test]
async fn a_table_with_everything_is_used_as_it_is() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        SqlUsers::<Account>::new(tested.database.clone()).check().await.unwrap();
        for table in Table::WITHOUT_USERS.iter().map(|table| table.name()).chain(["_auth_migrations"]) {
            tested.run(&format!("DROP TABLE {table}")).await;
        }
        migrate(&tested.database).await.unwrap();
        SqlUsers::<Account>::new(tested.database.clone()).create(new_user("a@b.co")).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_table_with_other_names_is_checked_by_the_adapter() {
    on_each(async |tested| {
        tested.run(super::members(tested.kind)).await;
        let users = SqlUsers::<Member>::new(tested.database.clone()).table("order").unwrap();
        let found = differences(users.check().await);
        assert!(found.contains("mail") || found.contains("email"), "{found}");
        users.column(UserField::Email, "mail").unwrap().check().await.unwrap();
        let absent = || SqlUsers::<Member>::new(tested.database.clone());
        let found = differences(absent().check().await);
        assert!(
            found.contains("the table does not exist: `axum_auth_module::sql::migrate` creates it"),
            "{found}"
        );
        let found = differences(absent().table("nowhere").unwrap().check().await);
        assert!(found.ends_with("the table does not exist"), "{found}");
    })
    .await;
}

#[tokio::test]
async fn an_optional_password_needs_a_column_that_can_be_null() {
    on_each(async |tested| {
        let users = SqlUsers::<Guest>::new(tested.database.clone()).table("guests").unwrap();
        tested.run(&super::guests(tested.kind, "NOT NULL")).await;
        let found = differences(users.check().await);
        assert!(found.contains("is NOT NULL, but the field is optional"), "{found}");
        match tested.kind {
            // SQLite cannot change a column.
            Kind::Sqlite => {
                tested.run(&format!("DROP TABLE guests; {}", super::guests(tested.kind, "NULL"))).await;
            }
            Kind::Postgres | Kind::MySql => mend(&tested, &found).await,
        }
        users.check().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_index_must_prevent_duplicates() {
    for (kind, index, good) in [
        (Kind::Sqlite, "CREATE UNIQUE INDEX i ON users (lower(email))", true),
        (Kind::Sqlite, "CREATE UNIQUE INDEX i ON users (name, email)", false),
        (Kind::Sqlite, "CREATE UNIQUE INDEX i ON users (email) WHERE name <> ''", false),
        (Kind::Sqlite, "CREATE INDEX i ON users (email)", false),
        (Kind::Postgres, "CREATE UNIQUE INDEX i ON users (lower(email))", true),
        (Kind::Postgres, "CREATE UNIQUE INDEX i ON users (name, email)", false),
        (Kind::Postgres, "CREATE UNIQUE INDEX i ON users (email) WHERE name <> ''", false),
        (Kind::MySql, "CREATE UNIQUE INDEX i ON users (email)", true),
        (Kind::MySql, "CREATE UNIQUE INDEX i ON users (email, id)", false),
        (Kind::MySql, "CREATE INDEX i ON users (email)", false),
    ] {
        on(kind, async |tested| {
            migrate(&tested.database).await.unwrap();
            tested.run("CREATE TABLE copy AS SELECT * FROM users; DROP TABLE users; ALTER TABLE copy RENAME TO users").await;
            tested.run(index).await;
            let users = SqlUsers::<Account>::new(tested.database.clone()).new_ids(|| "1".to_owned());
            assert_eq!(users.check().await.is_ok(), good, "{index}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_database_that_does_not_respond_is_no_report() {
    on(Kind::Sqlite, async |tested| {
        let users = SqlUsers::<Account>::new(tested.database.clone());
        tested.close().await;
        assert!(matches!(users.check().await, Err(CheckError::Database(_))));
    })
    .await;
}

/// A record with this id and these fields of the host's own.
macro_rules! record {
    ($name:ident, $id:ty, $($own:tt)*) => {
        #[derive(Clone, AuthUser, sqlx::FromRow)]
        #[allow(dead_code, reason = "only sqlx uses the fields of the host's own")]
        struct $name {
            id: $id,
            name: String,
            email: String,
            password: String,
            email_verified_at: Option<DateTime<Utc>>,
            two_factor_secret: Option<String>,
            two_factor_recovery_codes: Option<String>,
            two_factor_confirmed_at: Option<DateTime<Utc>>,
            password_confirmed_at: Option<DateTime<Utc>>,
            $($own)*
        }
    };
}

record!(SmallId, i32,);
record!(LargeId, i64,);
record!(WithActive, String, #[auth(is_active)] active: bool,);
record!(WithTime, String, created_at: DateTime<Utc>,);
record!(WithRenamed, String, #[sqlx(rename = "full_plan")] plan: String,);

/// What the check says of the library's table for this record, empty and then with a row.
async fn said_of<U: AuthUser + UserIn<Database>>(tested: &Tested) -> Vec<String> {
    let users = SqlUsers::<U>::new(tested.database.clone());
    let empty = differences(users.check().await);
    assert_eq!(tested.count("users").await, 0, "the check has left a row behind");
    tested.run("INSERT INTO users (name, email, password) VALUES ('Ada', 'ada@example.com', 'x')").await;
    let with_row = differences(users.check().await);
    tested.run("DELETE FROM users").await;
    assert_eq!(empty, with_row);
    empty.lines().skip(1).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_field_without_a_column_is_found() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        let said = said_of::<WithActive>(&tested).await;
        assert_eq!(
            said,
            ["- the struct has a field for a column \"active\", which is missing: add the column, or put \
              `#[sqlx(rename = \"…\")]` or `#[sqlx(skip)]` on the field"]
        );
        tested.run("ALTER TABLE users ADD COLUMN active boolean NOT NULL DEFAULT TRUE").await;
        SqlUsers::<WithActive>::new(tested.another(1).await).check().await.unwrap();
        let renamed = said_of::<WithRenamed>(&tested).await;
        assert!(renamed.concat().contains("a column \"full_plan\""), "{renamed:?}");
        // A column that the library misses is not said to be missing twice.
        tested.run("ALTER TABLE users DROP COLUMN two_factor_secret").await;
        let once = differences(SqlUsers::<WithActive>::new(tested.another(1).await).check().await);
        assert_eq!(once.matches("- ").count(), 1, "{once}");
    })
    .await;
}

#[tokio::test]
async fn an_id_of_another_type_is_found() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        let said = said_of::<SmallId>(&tested).await;
        assert_eq!(said.len(), 1, "{said:?}");
        let begin = "- the column \"id\" cannot be decoded: mismatched types; Rust type `i32` (as SQL type";
        assert!(said[0].starts_with(begin), "{said:?}");
        assert!(said[0].ends_with("; change the type of the field or of the column"), "{said:?}");
    })
    .await;
}

/// PostgreSQL reads a 32-bit number as no 64-bit one, and a time without a zone as none with a zone.
#[tokio::test]
async fn a_column_of_postgresql_gets_the_type_of_its_field() {
    on(Kind::Postgres, async |tested| {
        migrate(&tested.database).await.unwrap();
        tested.run("ALTER TABLE users ADD COLUMN created_at timestamp NOT NULL DEFAULT now()").await;
        let said = said_of::<WithTime>(&tested).await.join("\n");
        let statement = "ALTER TABLE \"users\" ALTER COLUMN \"created_at\" TYPE timestamptz USING \"created_at\" \
                         AT TIME ZONE 'UTC';";
        assert!(said.ends_with(statement), "{said}");
        tested.run(statement).await;
        SqlUsers::<WithTime>::new(tested.another(1).await).check().await.unwrap();

        tested.run("ALTER TABLE users DROP COLUMN id; ALTER TABLE users ADD COLUMN id serial PRIMARY KEY").await;
        let users = SqlUsers::<LargeId>::new(tested.another(1).await);
        let said = differences(users.check().await);
        let statement = "ALTER TABLE \"users\" ALTER COLUMN \"id\" TYPE bigint;";
        assert!(said.contains("Rust type `i64`") && said.ends_with(statement), "{said}");
        tested.run(statement).await;
        SqlUsers::<LargeId>::new(tested.another(1).await).check().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_column_must_have_room_for_a_hash() {
    for (kind, short) in [
        (Kind::Sqlite, None),
        (Kind::Postgres, Some("ALTER COLUMN password TYPE varchar(60)")),
        (Kind::Postgres, Some("ALTER COLUMN password TYPE char(127)")),
        (Kind::MySql, Some("MODIFY password char(60) NOT NULL")),
        (Kind::MySql, Some("MODIFY password varchar(100)")),
    ] {
        on(kind, async |tested| {
            migrate(&tested.database).await.unwrap();
            let users = async || SqlUsers::<Account>::new(tested.another(1).await).check().await;
            let Some(short) = short else { return users().await.unwrap() };
            tested.run(&format!("ALTER TABLE users {short}")).await;
            let said = differences(users().await);
            assert!(said.contains("the column \"password\" has room for "), "{said}");
            mend(&tested, &said).await;
            users().await.unwrap();
        })
        .await;
    }
}

/// Such a table of MySQL cannot take a user back, so it is read only if it has a row.
#[tokio::test]
async fn a_table_outside_of_transactions_gets_no_user() {
    on(Kind::MySql, async |tested| {
        migrate(&tested.database).await.unwrap();
        tested.run("ALTER TABLE users ENGINE = MyISAM").await;
        let users = SqlUsers::<SmallId>::new(tested.another(1).await);
        users.check().await.unwrap();
        assert_eq!(tested.count("users").await, 0);
        tested.run("INSERT INTO users (name, email, password) VALUES ('Ada', 'ada@example.com', 'x')").await;
        assert!(differences(users.check().await).contains("mismatched types"));
    })
    .await;
}

/// The host's own columns refuse a user without them, so an empty table is not read.
#[tokio::test]
async fn a_column_that_only_an_action_can_fill_is_no_difference() {
    on_each(async |tested| {
        tested.run(&super::members(tested.kind).replace("seats", "terms INTEGER NOT NULL, seats")).await;
        let users = SqlUsers::<Member>::new(tested.database.clone()).table("order").unwrap();
        users.column(UserField::Email, "mail").unwrap().check().await.unwrap();
        assert_eq!(tested.count("\"order\"").await, 0);
    })
    .await;
}
