//! SessionCases that end.

use super::{SessionCases, session};
use crate::crypto::random;
use crate::repository::{SessionKind, SessionOwner, SessionRecord};
use crate::testing::conformance::failures::{Broken, Operation, ensure};
use crate::testing::conformance::fresh::{at, id, token};
use crate::testing::conformance::suite::Checked;

pub(super) async fn a_deleted_session_is_gone(sessions: SessionCases) -> Checked {
    let (own, other) = (sessions.create().await?, sessions.create().await?);
    ensure!(sessions.delete(&own.id).await?, "`delete` of a session returned false");
    sessions.must_be_none(&own.id, "after a `delete`").await?;
    let found = sessions.of_user(&own.user_id, SessionKind::ALL).await?;
    ensure!(found.is_empty(), "after a `delete`, `find_by_user` finds the session");
    ensure!(!sessions.delete(&own.id).await?, "a second `delete` of a session returned true");
    ensure!(!sessions.delete(&id()?).await?, "`delete` of a session that does not exist returned true");
    sessions.must_be(&other, "after a `delete` of another session").await?;
    sessions.delete(&other.id).await?;
    Ok(())
}

/// Deletes sessions of a user, and checks which are left.
async fn deletes(
    sessions: &SessionCases,
    user: &str,
    (kinds, except): (&[SessionKind], Option<&str>),
    gone: usize,
    left: &[&SessionRecord],
) -> Checked {
    let call = format!(
        "`delete_all` of the kinds {kinds:?}{}",
        if except.is_some() { " with one exception" } else { "" }
    );
    let deleted = sessions.delete_all(SessionOwner::User(user), kinds, except).await?;
    let found = sessions.of_user(user, SessionKind::ALL).await?;
    let mut expected: Vec<_> = left.iter().map(|session| session.id.clone()).collect();
    expected.sort();
    ensure!(
        found == expected,
        "{call} left {} sessions of the user, not exactly the {} that must stay",
        found.len(),
        expected.len()
    );
    ensure!(deleted == gone as u64, "{call} deleted {gone} sessions and returned {deleted}");
    Ok(())
}

pub(super) async fn all_sessions_of_a_user_are_deleted(sessions: SessionCases) -> Checked {
    let user = token()?;
    let mut own = Vec::new();
    for kind in [SessionKind::Bearer, SessionKind::Bearer, SessionKind::Browser, SessionKind::Device] {
        own.push(sessions.store(session(&user, kind)?).await?);
    }
    let [one, two, browser, device] = &own[..] else { return Ok(()) };
    let other = sessions.create().await?;

    deletes(&sessions, &user, (&[], None), 0, &[one, two, browser, device]).await?;
    // An exception that is another user's, or nobody's, is none.
    deletes(&sessions, &user, (&[SessionKind::Device], Some(&other.id)), 1, &[one, two, browser]).await?;
    let visible = [SessionKind::Bearer, SessionKind::Browser];
    deletes(&sessions, &user, (&visible, Some(&one.id)), 2, &[one]).await?;
    deletes(&sessions, &user, (&[SessionKind::Browser], None), 0, &[one]).await?;
    deletes(&sessions, &user, (&visible, Some(&one.id)), 0, &[one]).await?;
    deletes(&sessions, &user, (SessionKind::ALL, None), 1, &[]).await?;
    sessions.must_be_none(&one.id, "after a `delete_all`").await?;
    sessions.must_be(&other, "after a `delete_all` of another user").await?;
    sessions.delete(&other.id).await?;
    Ok(())
}

/// Times in the 1970s, so that only sessions of this suite are expired. The day is random, so that what a stopped run has
/// left counts little.
pub(super) async fn expired_sessions_are_deleted(sessions: SessionCases) -> Checked {
    let random = random::bytes::<4>().map_err(|error| Broken::new(error.to_string()))?;
    let now = 100_000_000_000 + 1_000 * u64::from(u32::from_be_bytes(random) >> 12);
    let user = token()?;
    let mut stored = Vec::new();
    for end in [now - 2_000, now - 1_000, now, now + 1_000] {
        let mut session = session(&user, SessionKind::Device)?;
        session.expires_at = at(end);
        stored.push(sessions.store(session).await?.id);
    }
    let live = stored.pop().unwrap_or_default();
    let delete =
        async |at_most| sessions.repository.delete_expired(at(now), at_most).await.of("delete_expired");

    let none = delete(0).await?;
    ensure!(none == 0, "`delete_expired` of at most 0 sessions returned {none}");
    let deleted = delete(1).await?;
    let left = sessions.of_user(&user, SessionKind::ALL).await?.len();
    ensure!(
        deleted == 1,
        "`delete_expired` of at most 1 session returned {deleted}, with at least 3 that were expired"
    );
    ensure!(left >= 3, "`delete_expired` of at most 1 session deleted {}", 4 - left);
    while delete(1_000).await? > 0 {}
    let left = sessions.of_user(&user, SessionKind::ALL).await?;
    ensure!(left.contains(&live), "`delete_expired` deleted a session that ends a second after `now`");
    let expired = left.len() - 1;
    ensure!(
        expired == 0,
        "`delete_expired` returned 0 and left {expired} sessions with `expires_at` up to and including `now`"
    );
    sessions.delete(&live).await?;
    Ok(())
}
