//! Several operations at the same time.

use super::{ENDS, STARTED, SessionCases, session};
use crate::repository::{LastUse, SessionKind, SessionOwner};
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::fresh::{at, token};
use crate::testing::conformance::race::{ROUNDS, TASKS, both, race};
use crate::testing::conformance::suite::Checked;
use std::time::Duration;

/// How often two operations meet.
const MEETINGS: usize = 20;

pub(super) async fn one_of_a_hundred_swaps_succeeds(sessions: SessionCases) -> Checked {
    let mut session = sessions.create().await?;
    for round in 0..ROUNDS {
        let swaps = race(TASKS, |number| {
            let (sessions, id, expected) = (sessions.clone(), session.id.clone(), session.state.clone());
            async move {
                let (state, end) = (format!("{round}/{number}"), at(ENDS + 1_000 * number as u64));
                Ok(sessions.swap(&id, &expected, &state, end).await?.then_some((state, end)))
            }
        });
        let mut swapped: Vec<_> = swaps.await?.into_iter().flatten().collect();
        let number = swapped.len();
        let Some((state, end)) = swapped.pop().filter(|_| number == 1) else {
            return Err(Broken::new(format!(
                "{number} of {TASKS} concurrent calls of `swap` with one expected state returned true"
            )));
        };
        (session.state, session.expires_at) = (state.into(), end);
        sessions.must_be(&session, "after the `swap` that returned true").await?;
    }
    sessions.delete(&session.id).await?;
    Ok(())
}

pub(super) async fn a_swap_does_not_restore_a_deleted_session(sessions: SessionCases) -> Checked {
    for _ in 0..MEETINGS {
        let session = sessions.create().await?;
        let (swapping, deleting, id) = (sessions.clone(), sessions.clone(), session.id.clone());
        let swap = async move { swapping.swap(&session.id, &session.state, "new", at(ENDS)).await };
        let (_, deleted) =
            both(swap, async move { deleting.delete(&id).await.map(|deleted| (deleted, id)) }).await?;
        let (deleted, id) = deleted;
        ensure!(deleted, "`delete` of a session that was being swapped returned false");
        sessions.must_be_none(&id, "after a `delete` and a `swap` at the same time").await?;
    }
    Ok(())
}

pub(super) async fn a_touch_does_not_restore_a_deleted_session(sessions: SessionCases) -> Checked {
    for _ in 0..MEETINGS {
        let id = sessions.create().await?.id;
        let (touching, deleting, touched, own) = (sessions.clone(), sessions.clone(), id.clone(), id.clone());
        let touch = async move { touching.touch(&touched, &LastUse::new(at(STARTED + 1_000))).await };
        both(touch, async move { deleting.delete(&own).await }).await?;
        sessions.must_be_none(&id, "after a `delete` and a `touch` at the same time").await?;
    }
    Ok(())
}

pub(super) async fn a_touch_does_not_undo_a_swap(sessions: SessionCases) -> Checked {
    let mut session = sessions.create().await?;
    for round in 0..MEETINGS {
        let (swapping, touching, touched, before) =
            (sessions.clone(), sessions.clone(), session.id.clone(), session.clone());
        session.state = format!("round {round}").into();
        session.expires_at += Duration::from_secs(1);
        session.last_used_at += Duration::from_secs(1);
        let (state, end, seen) =
            (session.state.clone(), session.expires_at, LastUse::new(session.last_used_at));
        let swap = async move { swapping.swap(&before.id, &before.state, &state, end).await };
        let (swapped, ()) = both(swap, async move { touching.touch(&touched, &seen).await }).await?;
        ensure!(swapped, "`swap` returned false although only a `touch` ran at the same time");
        sessions.must_be(&session, "after a `swap` and a `touch` at the same time").await?;
    }
    sessions.delete(&session.id).await?;
    Ok(())
}

pub(super) async fn a_hundred_new_sessions_are_stored(sessions: SessionCases) -> Checked {
    let user = token()?;
    let mut created = race(TASKS, |_| {
        let (sessions, user) = (sessions.clone(), user.clone());
        async move { Ok(sessions.store(session(&user, SessionKind::Bearer)?).await?.id) }
    })
    .await?;
    created.sort();
    let found = sessions.of_user(&user, SessionKind::ALL).await?;
    ensure!(found == created, "`find_by_user` finds {} of {TASKS} sessions", found.len());
    let deleted = sessions.delete_all(SessionOwner::User(&user), SessionKind::ALL, None).await?;
    ensure!(deleted == TASKS as u64, "`delete_all` of {TASKS} sessions returned {deleted}");
    Ok(())
}
