//! What a host learns of its database at the start and at the first request.

use crate::support::account::table;
use crate::support::databases::{Kind, TestDatabase, connect, run};
use crate::support::logs::OfThisThread;
use crate::support::places::on_database;
use crate::support::{Account, EMAIL, PASSWORD, registration};
use axum_auth_module::repository::UserRepository;
use axum_auth_module::sql::{self, Database, SqlUsers, Table};
use axum_auth_module::testing::MovableClock;
use axum_auth_module::user::{NewUser, UserChange, UserPatch};
use std::time::SystemTime;

const FORGOTTEN: &str = "a table is missing: has `axum_auth_module::sql::migrate` run?";

async fn each(test: impl AsyncFn(Kind, TestDatabase)) {
    for kind in Kind::ALL {
        let Some(database) = TestDatabase::create(kind).await else { return };
        test(kind, database).await;
    }
}

/// Waiting does not help, so the response does not ask for that.
#[tokio::test]
async fn a_table_that_migrate_has_not_made_is_no_outage() {
    each(async |kind, place| {
        let log = OfThisThread::record();
        run(kind, &place.url(), table(kind)).await.unwrap();
        let pool = connect::<Database>(kind, &place.url(), 1).await;
        let app = on_database(pool.clone(), &MovableClock::new(), |config| config).await;
        let login = app.login_call(EMAIL, PASSWORD).await;
        assert!(login.headers.get("retry-after").is_none());
        login.refused(500, "internal_error");

        // With the store, but without the sessions.
        sql::migrate_only(pool.clone(), &[Table::AuthStore]).await.unwrap();
        let app = on_database(pool, &MovableClock::new(), |config| config).await;
        app.post("/auth/register").json(&registration(EMAIL)).await.refused(500, "internal_error");
        let failed: Vec<_> =
            log.lines().into_iter().filter(|line| line.contains("a request failed")).collect();
        assert_eq!(failed.len(), 2, "{failed:?}");
        assert!(failed.iter().all(|line| line.ends_with(FORGOTTEN)), "{failed:?}");
    })
    .await;
}

#[tokio::test]
async fn a_second_start_says_nothing_of_tables() {
    each(async |kind, place| {
        let pool = connect::<Database>(kind, &place.url(), 1).await;
        sql::migrate(pool.clone()).await.unwrap();
        let log = OfThisThread::record();
        sql::migrate(pool.clone()).await.unwrap();
        sql::migrate_only(pool, Table::WITHOUT_USERS).await.unwrap();
        assert_eq!(log.lines_with("already exists"), 0, "{:?}", log.lines());
    })
    .await;
}

/// An action may fill them, so it is no error.
#[tokio::test]
async fn columns_that_only_an_action_can_fill_are_named_in_the_log() {
    each(async |kind, place| {
        let log = OfThisThread::record();
        let users = async || SqlUsers::<Account>::new(connect::<Database>(kind, &place.url(), 1).await);
        run(kind, &place.url(), table(kind)).await.unwrap();
        users().await.check().await.unwrap();
        assert_eq!(log.lines_with("NOT NULL"), 0, "{:?}", log.lines());
        run(kind, &place.url(), "DROP TABLE users").await.unwrap();
        let with_terms =
            table(kind).replacen("name ", "terms integer NOT NULL, since integer NOT NULL, name ", 1);
        run(kind, &place.url(), &with_terms).await.unwrap();
        users().await.check().await.unwrap();
        assert_eq!(log.lines_with("columns=terms, since"), 1, "{:?}", log.lines());
    })
    .await;
}

/// A first sign-in by mail to an unverified address removes the password, so a host must know before it enables EMAIL_LOGIN.
#[tokio::test]
async fn users_whose_addresses_nobody_has_proven_are_counted_in_the_log() {
    each(async |kind, place| {
        let log = OfThisThread::record();
        run(kind, &place.url(), table(kind)).await.unwrap();
        let users = SqlUsers::<Account>::new(connect::<Database>(kind, &place.url(), 1).await);
        users.check().await.unwrap();
        assert_eq!(log.lines_with("nobody has proven"), 0, "{:?}", log.lines());
        for email in ["ada@example.com", "bob@example.com", "eve@example.com"] {
            let user = users.create(NewUser::new("Somebody", email, "hash")).await.unwrap();
            if email == "eve@example.com" {
                let verified = UserChange::EmailVerifiedAt(Some(SystemTime::UNIX_EPOCH));
                users.save(UserPatch::new(user.id).with(verified)).await.unwrap();
            }
        }
        users.check().await.unwrap();
        let lines = log.lines();
        let note = lines.iter().find(|line| line.contains("nobody has proven")).unwrap();
        assert!(note.contains("INFO") && note.ends_with("users=2"), "{note}");
    })
    .await;
}
