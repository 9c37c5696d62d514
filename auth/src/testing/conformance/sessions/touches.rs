//! The last use of a session.

use super::{STARTED, SessionCases};
use crate::repository::LastUse;
use crate::testing::conformance::fresh::{at, id};
use crate::testing::conformance::suite::Checked;

/// A use by this client.
fn seen(milliseconds: u64, client: Option<&str>, user_agent: Option<&str>) -> LastUse {
    let mut seen = LastUse::new(at(milliseconds));
    (seen.client, seen.user_agent) = (client.map(str::to_owned), user_agent.map(str::to_owned));
    seen
}

pub(super) async fn a_touch_writes_the_last_use(sessions: SessionCases) -> Checked {
    let (mut own, other) = (sessions.create().await?, sessions.create().await?);
    for seen in [
        seen(STARTED + 301_000, Some("192.0.2.1"), Some("curl/8.5.0")),
        seen(STARTED + 602_000, Some("2001:db8::1"), None),
        // A clock may have been set back.
        seen(STARTED + 1_000, None, Some("it's \"mine\"")),
        seen(STARTED + 903_000, None, None),
    ] {
        sessions.touch(&own.id, &seen).await?;
        (own.last_used_at, own.client, own.user_agent) = (seen.last_used_at, seen.client, seen.user_agent);
        sessions.must_be(&own, "after a `touch`").await?;
    }
    sessions.must_be(&other, "after a `touch` of another session").await?;
    for session in [own, other] {
        sessions.delete(&session.id).await?;
    }
    Ok(())
}

pub(super) async fn a_touch_of_nothing_creates_nothing(sessions: SessionCases) -> Checked {
    let (unknown, deleted) = (id()?, sessions.create().await?.id);
    sessions.delete(&deleted).await?;
    for id in [unknown, deleted] {
        sessions.touch(&id, &seen(STARTED, Some("192.0.2.1"), None)).await?;
        sessions.must_be_none(&id, "after a `touch` of a session that does not exist").await?;
    }
    Ok(())
}
