//! The case that must have the repository for itself.

use super::{SessionCases, session};
use crate::repository::{SessionKind, SessionOwner};
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::fresh::token;
use crate::testing::conformance::suite::{Case, Checked};

pub(super) fn cases() -> Vec<Case<SessionCases>> {
    vec![Case {
        name: "everybodys_sessions_are_deleted",
        requirement: "`delete_all` of everybody deletes the sessions of these kinds, of all users, except the one with \
                      the id `except`, and returns their number.",
        run: |sessions| Box::pin(everybodys_sessions_are_deleted(sessions)),
    }]
}

async fn everybodys_sessions_are_deleted(sessions: SessionCases) -> Checked {
    sessions.delete_all(SessionOwner::Everybody, SessionKind::ALL, None).await?;
    let mut bearers = Vec::new();
    for _ in 0..3 {
        bearers.push(sessions.create().await?);
    }
    let browser = sessions.store(session(&token()?, SessionKind::Browser)?).await?;
    let none = sessions.delete_all(SessionOwner::Everybody, &[], None).await?;
    ensure!(none == 0, "`delete_all` of everybody without kinds returned {none} instead of 0");
    let kept = bearers.first().map(|session| session.id.clone());
    let deleted =
        sessions.delete_all(SessionOwner::Everybody, &[SessionKind::Bearer], kept.as_deref()).await?;
    ensure!(deleted == 2, "`delete_all` of everybody returned {deleted} instead of 2");
    for session in bearers {
        if kept.as_ref() == Some(&session.id) {
            let place = "after a `delete_all` of everybody with the session as its exception";
            sessions.must_be(&session, place).await?;
        } else {
            sessions.must_be_none(&session.id, "after a `delete_all` of everybody").await?;
        }
    }
    sessions.must_be(&browser, "after a `delete_all` of everybody of another kind").await?;
    let deleted = sessions.delete_all(SessionOwner::Everybody, SessionKind::ALL, None).await?;
    ensure!(deleted == 2, "`delete_all` of everybody returned {deleted} instead of 2");
    sessions.must_be_none(&browser.id, "after a `delete_all` of everybody").await
}
