//! Writes and reads of users, in the library's table and in a host's own.

use super::{Account, Member, Tested, new_user, on, on_each, other};
use crate::repository::RepositoryError;
use crate::repository::UserRepository;
use crate::sql::{SqlUsers, migrate};
use crate::testing::databases::Kind;
use crate::user::{UserChange, UserField, UserPatch};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

async fn accounts(tested: &Tested) -> SqlUsers<Account> {
    migrate(&tested.database).await.unwrap();
    SqlUsers::new(tested.database.clone())
}

async fn members(tested: &Tested) -> SqlUsers<Member> {
    tested.run(super::members(tested.kind)).await;
    let users = SqlUsers::new(tested.database.clone()).table("order").unwrap();
    users.column(UserField::Email, "mail").unwrap()
}

#[tokio::test]
async fn a_user_is_found_by_every_field_that_is_a_text() {
    on_each(async |tested| {
        let users = accounts(&tested).await;
        let created = users.create(new_user("a@b.co")).await.unwrap();
        assert_eq!(created.id.len(), 32);
        let by = async |field, value: &str| users.find_by_field(field, value).await.unwrap();
        assert_eq!(by(UserField::Email, "a@b.co").await.as_ref(), Some(&created));
        assert_eq!(by(UserField::Name, "Ada").await.as_ref(), Some(&created));
        assert_eq!(by(UserField::Id, &created.id).await, Some(created));
        assert_eq!(by(UserField::Email, "' OR ''='").await, None);
    })
    .await;
}

#[tokio::test]
async fn times_are_stored_in_utc_and_in_sqlite_in_the_form_of_rfc_3339() {
    on_each(async |tested| {
        let users = accounts(&tested).await;
        let id = users.create(new_user("a@b.co")).await.unwrap().id;
        let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        let patch = UserPatch::new(id.clone()).with(UserChange::EmailVerifiedAt(at(1_000_000_000)));
        users.save(patch).await.unwrap();
        let stored = match tested.kind {
            Kind::Sqlite => {
                "typeof(email_verified_at) || email_verified_at = 'text2001-09-09T01:46:40+00:00'"
            }
            Kind::Postgres => "email_verified_at = '2001-09-09 03:46:40+02'",
            Kind::MySql => "CAST(email_verified_at AS CHAR) = '2001-09-09 01:46:40.000000'",
        };
        assert_eq!(tested.count(&format!("users WHERE {stored}")).await, 1);

        let beyond = UserPatch::new(id).with(UserChange::EmailVerifiedAt(at(1 << 40)));
        assert_eq!(other(users.save(beyond).await), crate::user::TimestampOutOfRange.to_string());
    })
    .await;
}

#[tokio::test]
async fn a_patch_of_an_unknown_user_is_an_error_and_never_stale() {
    on_each(async |tested| {
        let users = accounts(&tested).await;
        let nobody = || UserPatch::new("nobody".to_owned());
        let name = UserChange::Name("Bob".to_owned());
        let patches = [
            nobody(),
            nobody().with(name.clone()),
            nobody().with(name).only_if(UserChange::Password("hash".to_owned())),
        ];
        for patch in patches {
            assert_eq!(other(users.save(patch).await), "there is no user with this id");
        }
    })
    .await;
}

#[tokio::test]
async fn a_host_can_have_its_own_table_id_type_and_columns() {
    on_each(async |tested| {
        let users = members(&tested).await;
        let new = new_user("a@b.co")
            .with_extra("plan", "pro")
            .with_extra("seats", 5)
            .with_extra("quota", 2.5)
            .with_extra("newsletter", true)
            .with_extra("tags", json!(["a", { "b": null }]));
        let first = users.create(new).await.unwrap();
        assert_eq!((first.number, first.display_name.as_str(), first.email.as_str()), (1, "Ada", "a@b.co"));
        assert_eq!(
            (first.plan.as_str(), first.seats, first.quota, first.newsletter),
            ("pro", 5, Some(2.5), true)
        );
        assert_eq!(first.tags.as_deref(), Some(r#"["a",{"b":null}]"#));

        let second = users.create(new_user("c@d.co").with_extra("quota", Value::Null)).await.unwrap();
        assert_eq!((second.number, second.plan.as_str(), second.quota), (2, "free", None));

        let patch = UserPatch::new(1).with(UserChange::Email("e@f.co".to_owned()));
        let saved = users.save(patch.only_if(UserChange::Password("hash".to_owned()))).await.unwrap();
        assert_eq!((saved.email.as_str(), saved.plan.as_str()), ("e@f.co", "pro"));
        let found = users.find_by_field(UserField::Email, "e@f.co").await.unwrap().unwrap();
        assert_eq!(found.number, 1);
        assert_eq!(users.find_by_field(UserField::Id, "2").await.unwrap().unwrap().email, "c@d.co");
        assert!(users.find_by_field(UserField::Id, "no number").await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn a_host_can_generate_the_ids_itself() {
    on_each(async |tested| {
        let users = members(&tested).await;
        let users = users.new_ids(|| 4711);
        assert_eq!(users.create(new_user("a@b.co")).await.unwrap().number, 4711);
        assert!(users.find_by_id(&4711).await.unwrap().is_some());
    })
    .await;
}

#[tokio::test]
async fn a_name_that_is_not_an_identifier_is_refused() {
    on_each(async |tested| {
        let users = members(&tested).await;
        assert!(users.clone().table("users; DROP TABLE users").is_err());
        assert!(users.clone().column(UserField::Name, "").is_err());
        let injection = new_user("a@b.co").with_extra("plan) VALUES (1); --", "x");
        assert!(other(users.create(injection).await).contains("cannot name a table or column"));
        let hijack = new_user("a@b.co").with_extra("MAIL", "x@y.co");
        assert!(other(users.create(hijack).await).contains("a column of the library"));
        assert_eq!(tested.count("\"order\"").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_missing_column_is_an_error_and_not_an_unknown_user() {
    on_each(async |tested| {
        let users = accounts(&tested).await;
        let users = users.column(UserField::Email, "emial").unwrap();
        let unknown = match tested.kind {
            Kind::Sqlite => "no such column",
            Kind::Postgres => "does not exist",
            Kind::MySql => "Unknown column",
        };
        assert!(other(users.find_by_field(UserField::Email, "emial").await).contains(unknown));
        let users = users.column(UserField::Password, "pasword").unwrap();
        let patch = UserPatch::new("1".to_owned()).with(UserChange::Name("Bob".to_owned()));
        let patch = patch.only_if(UserChange::Password("pasword".to_owned()));
        assert!(other(users.save(patch).await).contains(unknown));
    })
    .await;
}

/// PostgreSQL converts no value by itself: extra values reach columns of any type as JSON.
#[tokio::test]
async fn postgresql_converts_extra_values_to_the_types_of_their_columns() {
    on(Kind::Postgres, async |tested| {
        let users = accounts(&tested).await;
        tested.run("CREATE TYPE level AS ENUM ('low', 'high')").await;
        tested
            .run(
                "ALTER TABLE users ADD COLUMN tenant uuid, ADD COLUMN born date, ADD COLUMN level level, \
                 ADD COLUMN small smallint, ADD COLUMN price numeric(12, 2), ADD COLUMN tags text[], \
                 ADD COLUMN settings jsonb, ADD COLUMN \"größe\" int, ADD COLUMN plan text NOT NULL DEFAULT 'free'",
            )
            .await;
        let user = new_user("a@b.co")
            .with_extra("tenant", "7f9c24e5-1c1b-4f0e-9d43-2a4c8c1f0a11")
            .with_extra("born", "1815-12-10")
            .with_extra("level", "high")
            .with_extra("small", 7)
            .with_extra("price", 12.5)
            .with_extra("tags", json!(["a", "b"]))
            .with_extra("settings", json!({ "theme": { "dark": true } }));
        users.create(user).await.unwrap();
        let stored = "users WHERE tenant = '7f9c24e5-1c1b-4f0e-9d43-2a4c8c1f0a11' AND born = '1815-12-10' \
                      AND level = 'high' AND small = 7 AND price = 12.5 AND tags = '{a,b}' \
                      AND CAST(settings -> 'theme' -> 'dark' AS text) = 'true' AND plan = 'free'";
        assert_eq!(tested.count(stored).await, 1);
        let wrong = new_user("c@d.co").with_extra("small", "many");
        assert!(other(users.create(wrong).await).contains("invalid input syntax for type smallint"));
    })
    .await;
}

/// Under a collation that ignores accents, `jose@` would find `josé@`, and a changed hash could equal the expected one.
#[tokio::test]
async fn mysql_compares_texts_character_by_character() {
    on(Kind::MySql, async |tested| {
        tested.run(super::members(Kind::MySql)).await;
        tested.run("ALTER TABLE `order` CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci").await;
        let users = SqlUsers::<Member>::new(tested.database.clone()).table("order").unwrap();
        let users = users.column(UserField::Email, "mail").unwrap();
        let id = users.create(new_user("josé@b.co")).await.unwrap().number;
        for other in ["jose@b.co", "JOSÉ@b.co", "josé@b.co "] {
            assert!(users.find_by_field(UserField::Email, other).await.unwrap().is_none(), "{other}");
        }
        assert!(users.find_by_field(UserField::Email, "josé@b.co").await.unwrap().is_some());
        let patch = UserPatch::new(id).with(UserChange::Name("Bob".to_owned()));
        let stale = users.save(patch.clone().only_if(UserChange::Password("HASH".to_owned()))).await;
        assert!(matches!(stale, Err(RepositoryError::Stale)));
        users.save(patch.only_if(UserChange::Password("hash".to_owned()))).await.unwrap();
        // The unique index of such a column still refuses the other address.
        assert!(matches!(users.create(new_user("jose@b.co")).await, Err(RepositoryError::EmailTaken)));
    })
    .await;
}

/// What cannot be read is not written: otherwise the address would be taken, and nobody could log in.
#[tokio::test]
async fn a_record_that_cannot_be_read_is_not_created() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        tested.run("ALTER TABLE users DROP COLUMN password_confirmed_at").await;
        let users = SqlUsers::<Account>::new(tested.another(1).await);
        for _ in 0..2 {
            let error = other(users.create(new_user("a@b.co")).await);
            assert!(error.contains("password_confirmed_at"), "{error}");
        }
        assert_eq!(tested.count("users").await, 0);
    })
    .await;
}

/// A prepared statement is still valid after a migration of the host has added a column.
#[tokio::test]
async fn a_new_column_does_not_disturb_open_connections() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        let users = SqlUsers::<Account>::new(tested.another(1).await);
        let id = users.create(new_user("a@b.co")).await.unwrap().id;
        let patch = || UserPatch::new(id.clone()).with(UserChange::Name("Bob".to_owned()));
        users.find_by_id(&id).await.unwrap().unwrap();
        users.save(patch()).await.unwrap();
        tested.run("ALTER TABLE users ADD COLUMN plan varchar(20) NOT NULL DEFAULT 'free'").await;
        users.find_by_id(&id).await.unwrap().unwrap();
        users.save(patch()).await.unwrap();
        users.create(new_user("c@d.co")).await.unwrap();
    })
    .await;
}
