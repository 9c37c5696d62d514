//! The session repository does the same as the one in memory, also with many connections and after a restart.

use super::on_each;
use crate::repository::{MemorySessions, Seen, SessionKind, SessionRecord, SessionRepository, Whose};
use crate::sql::{SqlSessions, Table, migrate_only};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn at(milliseconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(milliseconds)
}

fn session(id: &str, user: &str, kind: SessionKind, expires: u64) -> SessionRecord {
    SessionRecord::new(id, user, kind, "state of ‘ü’", at(1_795_000_000_123), at(expires))
}

async fn ids(sessions: &dyn SessionRepository, user: &str) -> Vec<String> {
    let found = sessions.find_by_user(user, SessionKind::ALL).await.unwrap();
    let mut ids: Vec<_> = found.into_iter().map(|session| session.id).collect();
    ids.sort();
    ids
}

async fn does_what_it_should(sessions: &dyn SessionRepository) {
    let mut first = session("1", "ada", SessionKind::Bearer, 5_000);
    first.client = Some("2001:db8::1".to_owned());
    first.user_agent = Some("A phone; it's \"mine\"".to_owned());
    sessions.create(first.clone()).await.unwrap();
    assert!(sessions.find("1").await.unwrap() == Some(first.clone()));
    assert!(sessions.find("x").await.unwrap().is_none());

    // Whatever has expired is still there.
    for (id, user, kind, expires) in [
        ("2", "ada", SessionKind::Browser, 1_000),
        ("3", "ada", SessionKind::Device, 2_000),
        ("4", "grace", SessionKind::Bearer, 3_000),
    ] {
        sessions.create(session(id, user, kind, expires)).await.unwrap();
    }
    assert_eq!(ids(sessions, "ada").await, ["1", "2", "3"]);
    assert_eq!(sessions.find_by_user("ada", &[SessionKind::Browser]).await.unwrap().len(), 1);
    assert!(sessions.find_by_user("ada", &[]).await.unwrap().is_empty());

    // A swap takes the state that it expects, and nothing else.
    assert!(!sessions.swap("1", "another", "new", at(9_000)).await.unwrap());
    assert!(!sessions.swap("x", &first.state, "new", at(9_000)).await.unwrap());
    assert!(sessions.swap("1", &first.state, "new", at(9_000)).await.unwrap());
    assert!(!sessions.swap("1", &first.state, "newer", at(9_000)).await.unwrap());
    // The same state again is a change, too: databases differ in what they count.
    assert!(sessions.swap("1", "new", "new", at(9_000)).await.unwrap());

    let mut seen = Seen::new(at(1_795_000_300_456));
    seen.client = Some("192.0.2.1".to_owned());
    sessions.touch("1", &seen).await.unwrap();
    sessions.touch("x", &seen).await.unwrap();
    let mut touched = first;
    touched.state = "new".to_owned();
    touched.expires_at = at(9_000);
    (touched.last_used_at, touched.client, touched.user_agent) = (seen.last_used_at, seen.client, None);
    assert!(sessions.find("1").await.unwrap() == Some(touched));

    assert_eq!(sessions.delete_expired(at(999), 10).await.unwrap(), 0);
    assert_eq!(sessions.delete_expired(at(2_000), 1).await.unwrap(), 1);
    assert_eq!(sessions.delete_expired(at(2_000), 10).await.unwrap(), 1);
    assert_eq!(ids(sessions, "ada").await, ["1"]);

    sessions.create(session("5", "ada", SessionKind::Bearer, 9_000)).await.unwrap();
    sessions.create(session("6", "ada", SessionKind::Device, 9_000)).await.unwrap();
    let visible = [SessionKind::Bearer, SessionKind::Browser];
    assert_eq!(sessions.delete_all(Whose::User("ada"), &visible, Some("5")).await.unwrap(), 1);
    assert_eq!(ids(sessions, "ada").await, ["5", "6"]);
    assert!(sessions.delete("5").await.unwrap());
    assert!(!sessions.delete("5").await.unwrap());
    assert_eq!(sessions.delete_all(Whose::Everybody, SessionKind::ALL, None).await.unwrap(), 2);
    assert!(ids(sessions, "grace").await.is_empty());
}

#[tokio::test]
async fn in_a_database() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::Sessions]).await.unwrap();
        does_what_it_should(&SqlSessions::new(tested.database.clone())).await;
        tested.run("ALTER TABLE auth_sessions RENAME TO staff_sessions").await;
        let renamed = SqlSessions::new(tested.database.clone()).table("staff_sessions").unwrap();
        does_what_it_should(&renamed).await;
        assert!(renamed.table("x; DROP").is_err());
    })
    .await;
}

#[tokio::test]
async fn in_memory() {
    does_what_it_should(&MemorySessions::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_thirty_concurrent_swaps_succeeds() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::Sessions]).await.unwrap();
        let sessions = SqlSessions::new(tested.database.clone());
        sessions.create(session("1", "ada", SessionKind::Bearer, 9_000)).await.unwrap();
        let mut state = "state of ‘ü’".to_owned();
        for round in 0..20 {
            let swaps = (0..30).map(|number| {
                let (sessions, expected) = (sessions.clone(), state.clone());
                tokio::spawn(async move {
                    let new = format!("{round}/{number}");
                    sessions.swap("1", &expected, &new, at(9_000)).await.unwrap().then_some(new)
                })
            });
            let swaps: Vec<_> = swaps.collect();
            let mut won = Vec::new();
            for swap in swaps {
                won.extend(swap.await.unwrap());
            }
            assert_eq!(won.len(), 1, "round {round}");
            state = won.remove(0);
        }
        // Another process finds what the first one has written.
        let restarted = SqlSessions::new(tested.another(1).await);
        assert_eq!(restarted.find("1").await.unwrap().unwrap().state, state);
    })
    .await;
}
