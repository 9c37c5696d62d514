//! The sessions in memory (specification §3.8).

use super::{ALL, Models, SOME, count, together};
use crate::repository::{
    LastUse, MemorySessions, SessionKind, SessionOwner, SessionRecord, SessionRepository,
};
use futures_util::future::{BoxFuture, FutureExt};
use shuttle::future::block_on;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(super) const MODELS: Models = &[
    ("of swaps with one expectation one succeeds, and its state is stored", ALL, swaps),
    ("a session that was deleted stays away, whatever else writes it", SOME, deletion),
    ("an expired session that is prolonged is either deleted or stays", ALL, expiry),
    ("a full repository ends the sessions that were used least recently, and no more", ALL, full),
    ("the deletion of all sessions of a user leaves the one that is kept", SOME, deletion_of_all),
];

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn session(id: &str, used: u64) -> SessionRecord {
    SessionRecord::new(id, "ada", SessionKind::Bearer, "0", at(used), at(100))
}

fn with(capacity: usize, ids: &[&str]) -> MemorySessions {
    let sessions = MemorySessions::with_capacity(capacity);
    for id in ids {
        block_on(sessions.create(session(id, 1))).expect("the rows answer");
    }
    sessions
}

fn found(sessions: &MemorySessions, id: &str) -> Option<SessionRecord> {
    block_on(sessions.find(id)).expect("the rows answer")
}

fn swap(sessions: &MemorySessions, id: &str, state: &'static str) -> BoxFuture<'static, bool> {
    let (sessions, id) = (sessions.clone(), id.to_owned());
    async move { sessions.swap(&id, &"0".into(), &state.into(), at(200)).await.expect("the rows answer") }
        .boxed()
}

fn swaps() {
    let sessions = with(10, &["a"]);
    let states = ["1", "2", "3"];
    let swapped = together(states.map(|state| swap(&sessions, "a", state)));
    assert_eq!(count(&swapped, |swapped| *swapped), 1);
    let won = swapped.iter().position(|swapped| *swapped).expect("one succeeds");
    let row = found(&sessions, "a").expect("it is not deleted");
    assert_eq!((row.state.as_str(), row.expires_at), (states[won], at(200)));
}

fn deletion() {
    let sessions = with(10, &["a"]);
    let [first, second, touching] = [(); 3].map(|()| sessions.clone());
    let delete = |sessions: MemorySessions| {
        async move { sessions.delete("a").await.expect("the rows answer") }.boxed()
    };
    let touch = async move {
        touching.touch("a", &LastUse::new(at(9))).await.expect("the rows answer");
        false
    };
    let done = together([delete(first), delete(second), swap(&sessions, "a", "1"), touch.boxed()]);
    assert_eq!(count(&done[..2], |deleted| *deleted), 1, "one was told that there was a session");
    assert!(found(&sessions, "a").is_none());
    let of_user = block_on(sessions.find_by_user("ada", SessionKind::ALL)).expect("the rows answer");
    assert!(of_user.is_empty());
}

fn expiry() {
    let sessions = with(10, &["a"]);
    let deleting = sessions.clone();
    let delete = async move { deleting.delete_expired(at(100), 10).await.expect("the rows answer") == 1 };
    let done = together([swap(&sessions, "a", "1"), delete.boxed()]);
    assert_ne!(done[0], done[1]);
    assert_eq!(found(&sessions, "a").is_some(), done[0]);
}

fn full() {
    let sessions = with(2, &[]);
    together([4, 3, 2].map(|used| {
        let sessions = sessions.clone();
        async move { sessions.create(session(&used.to_string(), used)).await.expect("it is bounded") }.boxed()
    }));
    let of_user = block_on(sessions.find_by_user("ada", SessionKind::ALL)).expect("the rows answer");
    assert_eq!(of_user.len(), 2);
    assert!(found(&sessions, "4").is_some(), "the one that was used last is never the one that ends");
}

fn deletion_of_all() {
    let ids = ["a", "b", "c", "d"];
    // Enough for several maps.
    let sessions = with(1600, &ids);
    let [deleting, others] = [(); 2].map(|()| sessions.clone());
    let delete = async move {
        deleting
            .delete_all(SessionOwner::User("ada"), SessionKind::ALL, Some("a"))
            .await
            .expect("the rows answer")
            > 0
    };
    let delete_one = async move { others.delete("b").await.expect("the rows answer") };
    let swaps = ids.map(|id| swap(&sessions, id, "1"));
    let done = together([delete.boxed(), delete_one.boxed()].into_iter().chain(swaps));
    assert!(done[0] && done[2]);
    assert!(found(&sessions, "a").is_some_and(|row| row.state.as_str() == "1"));
    assert!(ids[1..].iter().all(|id| found(&sessions, id).is_none()));
}
