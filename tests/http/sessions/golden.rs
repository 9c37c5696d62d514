//! The rows of the library's tables after a flow at a fixed time, column by column, as SQLite prints them.
//!
//! Hosts have such rows in their databases: a change here needs a migration, or code that reads both. Random values, and
//! those that depend on them, are replaced by their names.

use crate::support::databases::{Kind, TestDatabase, connect};
use crate::support::places::{create_tables, on_database};
use crate::support::{EMAIL, PASSWORD, forge, registration};
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::sql::Database;
use axum_auth_module::testing::MovableClock;
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection, Row, SqliteConnection};
use std::time::{Duration, UNIX_EPOCH};

/// 2026-01-01T00:00:00Z.
const TIME: Duration = Duration::from_secs(1_767_225_600);

/// The rows of a table, each with its columns as SQL literals.
async fn rows(connection: &mut SqliteConnection, table: &str, columns: &[&str]) -> Vec<String> {
    let quoted: Vec<_> = columns.iter().map(|column| format!("quote({column})")).collect();
    let sql = format!("SELECT {} FROM {table} ORDER BY 1", quoted.join(" || ' ' || "));
    let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(connection).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// The text between two others.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    text.split_once(before).unwrap().1.split_once(after).unwrap().0
}

#[tokio::test]
async fn the_rows_of_a_fixed_flow() {
    let Some(database) = TestDatabase::create(Kind::Sqlite).await else { return };
    create_tables(Kind::Sqlite, &database.url()).await;
    let clock = MovableClock::at(UNIX_EPOCH + TIME);
    let pool = connect::<Database>(Kind::Sqlite, &database.url(), 2).await;
    let app = on_database(pool, &clock, |config| config).await;
    let register = app.post("/auth/register").json(&registration(EMAIL));
    let tokens = register.header("user-agent", "Mozilla/5.0 (X11)").await.expect(201).tokens();
    app.confirm_password(&tokens.access).await;
    app.login_call(EMAIL, "wrong").await.expect(401);
    app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    app.outbox.next::<PasswordResetMessage>().await;
    app.login_call(EMAIL, PASSWORD).await.expect(200).tokens();
    // The client is remembered beside the response: the wrong password after that is one of a known client.
    app.auth.background_work_finished().await;
    app.login_call(EMAIL, "wrong").await.expect(401);
    app.auth.background_work_finished().await;
    app.advance(300);
    let refresh = app.post("/auth/refresh").json(&json!({ "refreshToken": tokens.refresh }));
    refresh.header("user-agent", "Mozilla/5.0 (X11)").await.expect(200);

    let mut connection = SqliteConnection::connect(&database.url()).await.unwrap();
    let columns = [
        "created_at",
        "id",
        "user_id",
        "kind",
        "state",
        "last_used_at",
        "expires_at",
        "client",
        "user_agent",
    ];
    let claims = forge::claims(&tokens.access);
    let (sid, generation) = (claims["sid"].as_str().unwrap(), claims["gen"].as_str().unwrap());
    // The last use is written in the background.
    let sessions = loop {
        let sessions = rows(&mut connection, "auth_sessions", &columns).await;
        if sessions.iter().any(|row| row.contains("' 1767225900000 ")) {
            break sessions;
        }
        tokio::task::yield_now().await;
    };
    let session = sessions.iter().find(|row| row.contains(sid)).unwrap();
    let mac = between(session, "\"mac\":\"", "\"");
    assert_eq!((sessions.len(), sid.len(), generation.len(), mac.len()), (2, 22, 43, 43));
    let session = session.replace(sid, "ID").replace(generation, "GEN").replace(mac, "MAC");
    assert_eq!(
        session,
        "1767225600000 'ID' '1' 'bearer' '{\"v\":1,\"realm\":\"http::support::account::Account\",\"gen\":\"GEN\",\"was\":[],\
         \"since\":1767225600,\"rot\":{\"next\":1,\"recent\":[[0,1767225900000]]},\"amr\":[\"pwd\"],\
         \"auth\":1767225600,\"ok\":[[\"pwd\",1767225600]],\"mac\":\"MAC\"}' 1767225900000 1767830700000 \
         '192.0.2.1' 'Mozilla/5.0 (X11)'"
    );

    let resets = rows(&mut connection, "password_resets", &["email", "token", "created_at"]).await;
    let [reset] = &resets[..] else { panic!("{resets:?}") };
    let hash = between(reset, "'$2b$04$", "'");
    assert_eq!(hash.len(), 53);
    let reset = reset.replace(hash, "HASH");

    // Some are written in the background.
    app.auth.background_work_finished().await;
    let store = rows(&mut connection, "auth_store", &["key", "value", "count", "ends_at"]).await;
    let (kept, store): (Vec<_>, Vec<_>) = store.into_iter().partition(|row| row.starts_with("'reset-kept:"));
    // The token that is mailed again for ten minutes, under a random nonce: `v1.`, the key's id and the ciphertext.
    let [kept] = &kept[..] else { panic!("{kept:?}") };
    assert!(kept.contains(" X'76312E") && kept.ends_with("' NULL 1767226200000"), "{kept}");
    assert_eq!(
        reset,
        "'http::support::account::Account ada@example.com' '$2b$04$HASH' '2026-01-01T00:00:00+00:00'"
    );
    assert_eq!(store, STORE);
}

/// Nothing here is random: the keys are MACs under a key that is derived from the secret of the tests.
const STORE: [&str; 11] = [
    "'known-client:6nqqGcunCZAz4jNWYyCfr0YsAvznvA8wgMeZpg-E694' X'0000000000077D90' NULL 1769817600000",
    "'limit.forgot_password_address:LrCs1jzWW8YW1Wfkbjk9dqzieWNcGPJrsHQ3cOcQX-Q' NULL 1 1767225660000",
    "'limit.forgot_password_client:B4-vk6dTlfqGeKJocMK4bCBFmT0gnh0XLtoEm3_lTak' NULL 1 1767225660000",
    "'limit.known_client_long:Z5Xcn9GgbTAKFYhkKYy8_ovkFKQL0tcr9iBPjQvaX3s' NULL 1 1767229200000",
    "'limit.login_account_and_client:FY5aA37JRlguTVUIShNZ0ThNkHO8KLNJryqbze30tmQ' NULL 1 1767225660000",
    "'limit.login_client:jnKZMrs9HcqIL0akVbRNzsvPdBws-9cWE5gMUBqJ580' NULL 2 1767225660000",
    "'limit.register:sOAzV6w15bB4sbrC5SWEBvEhDU4OJokR-h3hqLvDNMM' NULL 1 1767225660000",
    "'maintenance:lKpQqzaJeu4O0qVzI1rEwxPBdlQ1IZXnMuHOyF24hSA' X'' NULL 1767226200000",
    "'used-client:YQ_OyQtoMwY-8iUSxGoHurcl7X1Eb2iNgjO_e5kE3EQ' X'0000000000077D90' NULL 1769817600000",
    "'user-agent-seen:TuBganVnEQ3Mhql1vNuHFH6lV5C9fQhsfP6vZd1YxOM' X'0000000000077D90' NULL 1769817600000",
    "'user-agent-seen:sO-ACbVyVQBDtQ-NQoRlrnuaMGBQn3pSHqThwOjSYaA' X'0000000000077D90' NULL 1769817600000",
];
