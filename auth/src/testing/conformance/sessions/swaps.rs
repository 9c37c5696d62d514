//! Compare and swap of a session's state.

use super::{ENDS, SessionCases, session};
use crate::repository::SessionKind;
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::fresh::{almost, at, id, token};
use crate::testing::conformance::suite::Checked;

pub(super) async fn a_swap_writes_the_state_and_the_end(sessions: SessionCases) -> Checked {
    let mut own = session(&token()?, SessionKind::Browser)?;
    (own.client, own.user_agent) = (Some("192.0.2.1".to_owned()), Some("curl/8.5.0".to_owned()));
    let (mut own, other) = (sessions.store(own).await?, sessions.create().await?);
    // The end may move in both directions.
    for (state, end) in [("later", at(ENDS + 7_000)), ("earlier", at(ENDS - 8_000))] {
        ensure!(
            sessions.swap(&own.id, &own.state, state, end).await?,
            "`swap` returned false although the state was the expected one"
        );
        (own.state, own.expires_at) = (state.into(), end);
        sessions.must_be(&own, "after a `swap`").await?;
    }
    sessions.must_be(&other, "after a `swap` of another session").await?;
    for session in [own, other] {
        sessions.delete(&session.id).await?;
    }
    Ok(())
}

pub(super) async fn a_swap_requires_the_expected_state(sessions: SessionCases) -> Checked {
    let session = sessions.create().await?;
    for expected in ["", "another state", "%", "' OR ''='"] {
        ensure!(
            !sessions.swap(&session.id, expected, "new", at(ENDS + 1_000)).await?,
            "`swap` returned true although the state was not the expected one"
        );
        sessions.must_be(&session, "after a `swap` that returned false").await?;
    }
    let unknown = id()?;
    for expected in [session.state.as_str(), ""] {
        ensure!(
            !sessions.swap(&unknown, expected, "new", at(ENDS)).await?,
            "`swap` of a session that does not exist returned true"
        );
    }
    sessions.must_be_none(&unknown, "after a `swap` of a session that does not exist").await?;
    // A state that was replaced is not expected again.
    ensure!(
        sessions.swap(&session.id, &session.state, "new", at(ENDS)).await?,
        "`swap` returned false although the state was the expected one"
    );
    ensure!(
        !sessions.swap(&session.id, &session.state, "newer", at(ENDS)).await?,
        "`swap` returned true for a state that had been replaced"
    );
    sessions.delete(&session.id).await?;
    ensure!(
        !sessions.swap(&session.id, "new", "newer", at(ENDS)).await?,
        "`swap` of a session that was deleted returned true"
    );
    sessions.must_be_none(&session.id, "after a `swap` of a session that was deleted").await
}

pub(super) async fn a_swap_to_the_same_state_succeeds(sessions: SessionCases) -> Checked {
    let session = sessions.create().await?;
    for _ in 0..2 {
        ensure!(
            sessions.swap(&session.id, &session.state, &session.state, session.expires_at).await?,
            "`swap` of a state to the same state and the same end returned false"
        );
    }
    sessions.must_be(&session, "after a `swap` that changes nothing").await?;
    sessions.delete(&session.id).await?;
    Ok(())
}

pub(super) async fn states_are_compared_exactly(sessions: SessionCases) -> Checked {
    let session = sessions.create().await?;
    for (difference, other) in almost(&session.state) {
        ensure!(
            !sessions.swap(&session.id, &other, "new", at(ENDS)).await?,
            "`swap` returned true although the stored state differs {difference} from the expected one"
        );
    }
    sessions.must_be(&session, "after a `swap` that returned false").await?;
    sessions.delete(&session.id).await?;
    Ok(())
}
