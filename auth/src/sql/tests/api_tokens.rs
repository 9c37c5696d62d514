//! What another process finds, a table of another name, and none.

use super::{on_each, other};
use crate::repository::{ApiTokenRecord, ApiTokenRepository};
use crate::sql::{SqlApiTokens, Table, migrate_only};
use crate::testing::databases::Kind;
use std::time::{Duration, SystemTime};

const USER: &str = "default ada";

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000 + seconds)
}

fn token(id: &str, user: &str) -> ApiTokenRecord {
    let mut token = ApiTokenRecord::new(id, user, [7; 32], at(0), at(60));
    token.name = "Nightly backup".to_owned();
    token.scopes = ["orders:read", "orders:write"].map(str::to_owned).to_vec();
    token.last_four = "9uKd".to_owned();
    token
}

#[tokio::test]
async fn another_process_finds_what_the_first_one_has_written() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthApiTokens]).await.unwrap();
        let mut stored = token("1", USER);
        let tokens = SqlApiTokens::new(tested.database.clone());
        assert!(tokens.insert(stored.clone()).await.unwrap());
        let restarted = SqlApiTokens::new(tested.another(1).await);
        assert!(restarted.find_by_id("1").await.unwrap().as_ref() == Some(&stored));
        assert!(!restarted.insert(token("1", "default bob")).await.unwrap());
        assert!(restarted.record_use("1", at(0), at(9)).await.unwrap());
        assert!(!tokens.record_use("1", at(8), at(10)).await.unwrap());
        stored.last_used_at = Some(at(9));

        tested.run("ALTER TABLE auth_api_tokens RENAME TO staff_api_tokens").await;
        let renamed = restarted.table("staff_api_tokens").unwrap();
        assert!(renamed.find_by_user(USER).await.unwrap() == [stored]);
        assert!(!renamed.insert(token("1", USER)).await.unwrap());
        assert_eq!(renamed.delete_expired(at(60), 9).await.unwrap(), 1);
        assert!(renamed.table("x; DROP").is_err());
    })
    .await;
}

/// [`ApiTokenRecord::new`] has no scopes: such a token may do nothing.
#[tokio::test]
async fn a_token_without_scopes_has_none() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthApiTokens]).await.unwrap();
        let tokens = SqlApiTokens::new(tested.database.clone());
        let stored = ApiTokenRecord::new("1", USER, [7; 32], at(0), at(60));
        assert!(tokens.insert(stored.clone()).await.unwrap());
        assert!(tokens.find_by_id("1").await.unwrap() == Some(stored));
    })
    .await;
}

/// A user id that is cut off could be that of somebody else, for whom the token would act.
#[tokio::test]
async fn what_is_too_long_is_never_cut_off() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthApiTokens]).await.unwrap();
        let tokens = SqlApiTokens::new(tested.database.clone());
        let (long, cut) = ("a".repeat(513), "a".repeat(512));
        let stored = tokens.insert(token("1", &long)).await.is_ok();
        assert!(tokens.find_by_user(&cut).await.unwrap().is_empty());
        assert_eq!(tokens.find_by_user(&long).await.unwrap().len(), usize::from(stored));
        assert!(tokens.insert(token("2", &cut)).await.unwrap());
        // An id that is cut off would be found with another one.
        let (long, cut) = ("i".repeat(65), "i".repeat(64));
        let stored = tokens.insert(token(&long, USER)).await.is_ok();
        assert!(tokens.find_by_id(&cut).await.unwrap().is_none());
        assert_eq!(tokens.find_by_id(&long).await.unwrap().is_some(), stored);
        assert!(tokens.insert(token(&cut, USER)).await.unwrap());
        // And a scope could become another one.
        let mut scoped = token("3", USER);
        scoped.scopes = (0..65).map(|number| format!("{}{number:02}", "s".repeat(62))).collect();
        let stored = tokens.insert(scoped.clone()).await.is_ok();
        assert!(tokens.find_by_id("3").await.unwrap() == stored.then_some(scoped));
    })
    .await;
}

/// On MySQL, the type of the column makes every hash 32 bytes long.
#[tokio::test]
async fn a_row_that_the_library_has_not_written_is_an_error() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthApiTokens]).await.unwrap();
        let tokens = SqlApiTokens::new(tested.database.clone());
        tokens.insert(token("1", USER)).await.unwrap();
        let hash = match tested.kind {
            Kind::Sqlite => "x'0707'",
            Kind::Postgres => "decode('0707', 'hex')",
            Kind::MySql => return,
        };
        tested.run(&format!("UPDATE auth_api_tokens SET secret_hash = {hash}")).await;
        other(tokens.find_by_id("1").await);
        other(tokens.find_by_user(USER).await);
    })
    .await;
}

#[tokio::test]
async fn a_missing_table_is_an_error() {
    on_each(async |tested| {
        let tokens = SqlApiTokens::new(tested.database.clone());
        for error in [
            other(tokens.insert(token("1", USER)).await),
            other(tokens.find_by_id("1").await),
            other(tokens.find_by_user(USER).await),
            other(tokens.record_use("1", at(0), at(60)).await),
            other(tokens.delete(USER, "1").await),
            other(tokens.delete_all(USER).await),
            other(tokens.delete_expired(at(0), 9).await),
        ] {
            assert!(error.contains("auth_api_tokens"), "{error}");
        }
    })
    .await;
}
