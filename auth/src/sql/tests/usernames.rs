//! Records with a user name: what the table needs, and which violation is which.

use super::{Tested, guests, on_each};
use crate::AuthUser;
use crate::repository::{RepositoryError, UserRepository};
use crate::sql::{CheckError, Database, SqlUsers, UserIn};
use crate::testing::conformance;
use crate::testing::databases::Kind;
use crate::user::{NewUser, UserChange, UserField, UserPatch};
use chrono::{DateTime, Utc};

/// Records with a user name of this type, in a column with another name than the field.
macro_rules! records {
    ($($(#[$doc:meta])* $Record:ident: $username:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, AuthUser, sqlx::FromRow)]
        struct $Record {
            id: i64,
            name: String,
            email: String,
            password: String,
            email_verified_at: Option<DateTime<Utc>>,
            two_factor_secret: Option<String>,
            two_factor_recovery_codes: Option<String>,
            two_factor_confirmed_at: Option<DateTime<Utc>>,
            password_confirmed_at: Option<DateTime<Utc>>,
            #[auth(username)]
            #[sqlx(rename = "handle")]
            username: $username,
        }
    )*};
}

records! {
    /// A host whose users can have a user name.
    Named: Option<String>;
    /// A host in which every user has a user name.
    Titled: String;
}

/// The adapter of a table to which the host has not yet added the column.
async fn adapter<U: AuthUser + UserIn<Database>>(tested: &Tested) -> SqlUsers<U> {
    tested.run(&guests(tested.kind, "NOT NULL")).await;
    let users = SqlUsers::new(tested.database.clone()).table("guests").unwrap();
    users.column(UserField::Username, "handle").unwrap()
}

/// Adds the column as the report of the adapter says.
async fn mend(tested: &Tested, users: &SqlUsers<Named>) -> String {
    let report = match users.check().await {
        Err(CheckError::UsersDiffer(differ)) => differ.to_string(),
        other => panic!("{other:?}"),
    };
    let (_, statements) = report.split_once("\n\n").unwrap();
    tested.run(statements).await;
    users.check().await.unwrap();
    report
}

#[tokio::test]
async fn a_table_without_the_column_is_mended_by_pasting_the_report() {
    let mut reports = String::new();
    for kind in Kind::ALL {
        let Some(tested) = super::tested(kind).await else { return };
        let users = adapter::<Named>(&tested).await;
        tested.run("INSERT INTO guests (name, email, password) VALUES ('Ada', 'ada@example.com', 'x')").await;
        reports.push_str(&format!("## {kind:?}\n\n{}\n\n", mend(&tested, &users).await));
        let ada = users.find_by_field(UserField::Email, "ada@example.com").await.unwrap().unwrap();
        assert_eq!(ada.username, None);
    }
    insta::assert_snapshot!(reports);
}

/// The column alone is not enough, and neither is an index over another column as well.
#[tokio::test]
async fn without_a_unique_index_of_its_own_the_check_fails() {
    on_each(async |tested| {
        let users = adapter::<Named>(&tested).await;
        let column = if tested.kind == Kind::MySql { "varchar(32)" } else { "text" };
        tested.run(&format!("ALTER TABLE guests ADD COLUMN handle {column}")).await;
        for index in
            ["CREATE INDEX plain ON guests (handle)", "CREATE UNIQUE INDEX two ON guests (handle, id)"]
        {
            tested.run(index).await;
            let report = users.check().await.err().unwrap().to_string();
            assert!(report.contains("no unique index has") && report.contains("handle"), "{report}");
            assert!(report.contains("the same user name twice"), "{report}");
        }
        tested.run("CREATE UNIQUE INDEX one ON guests (handle)").await;
        users.check().await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn users_who_can_have_a_user_name() {
    on_each(async |tested| {
        let users = adapter::<Named>(&tested).await;
        mend(&tested, &users).await;
        conformance::users(users).await.unwrap();
        assert!(tested.count("guests WHERE handle IS NULL").await > 0);
        assert_eq!(tested.count("guests WHERE handle = ''").await, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn users_of_whom_each_has_a_user_name() {
    on_each(async |tested| {
        let users = adapter::<Titled>(&tested).await;
        let missing = users.check().await.err().unwrap().to_string();
        assert!(missing.contains("handle") && missing.contains("is missing"), "{missing}");
        let column = if tested.kind == Kind::MySql { "varchar(32)" } else { "text" };
        tested.run(&format!("ALTER TABLE guests ADD COLUMN handle {column} NOT NULL DEFAULT ''")).await;
        tested.run("CREATE UNIQUE INDEX names ON guests (handle)").await;
        users.check().await.unwrap();
        conformance::users(users).await.unwrap();
    })
    .await;
}

/// Whichever index a database looks at first.
#[tokio::test]
async fn the_address_is_reported_first_whichever_index_is_older() {
    on_each(async |tested| {
        let users = adapter::<Named>(&tested).await;
        mend(&tested, &users).await;
        // From now on the index of the address is the younger one.
        let email =
            if tested.kind == Kind::MySql { "ALTER TABLE guests DROP INDEX email" } else { "SELECT 1" };
        tested.run(email).await;
        tested.run("CREATE UNIQUE INDEX youngest ON guests (email)").await;
        let new = |email: &str, username: &str| NewUser::new("Ada", email, "x").with_username(username);
        users.create(new("ada@example.com", "ada")).await.unwrap();
        let eve = users.create(new("eve@example.com", "eve")).await.unwrap();
        let both = users.create(new("ada@example.com", "ada")).await.err().unwrap();
        assert!(matches!(both, RepositoryError::EmailTaken), "{both:?}");
        let taken = |change: UserChange| UserPatch::new(eve.id).with(change);
        let name = UserChange::Username(Some("ada".to_owned()));
        let both = taken(name.clone()).with(UserChange::Email("ada@example.com".to_owned()));
        let refused = users.save(both).await.err().unwrap();
        assert!(matches!(refused, RepositoryError::EmailTaken), "{refused:?}");
        let refused = users.save(taken(name)).await.err().unwrap();
        assert!(matches!(refused, RepositoryError::UsernameTaken), "{refused:?}");
        let refused = users.create(new("grace@example.com", "ada")).await.err().unwrap();
        assert!(matches!(refused, RepositoryError::UsernameTaken), "{refused:?}");
    })
    .await;
}

/// A record without a user name has no column for one, and none that is written for it.
#[tokio::test]
async fn a_record_without_a_user_name_takes_none() {
    on_each(async |tested| {
        tested.run(&guests(tested.kind, "NULL")).await;
        let users = SqlUsers::<super::Guest>::new(tested.database.clone()).table("guests").unwrap();
        let refused = users.create(NewUser::new("Ada", "ada@example.com", "x").with_username("ada")).await;
        let refused = format!("{:?}", refused.err().unwrap());
        assert!(refused.contains("the user record has no user name"), "{refused:?}");
        assert_eq!(tested.count("guests").await, 0);
    })
    .await;
}
