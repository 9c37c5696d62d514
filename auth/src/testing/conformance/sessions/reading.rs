//! What is stored and found.

use super::{STARTED, SessionCases, must_be, session};
use crate::repository::{SessionKind, SessionOwner, SessionRecord};
use crate::testing::conformance::failures::{Operation, ensure};
use crate::testing::conformance::fresh::{TEXTS, almost, at, id, token};
use crate::testing::conformance::suite::Checked;

/// Fails unless `find` and `find_by_user` return this session, the only one of its user.
async fn is_found(sessions: &SessionCases, expected: &SessionRecord) -> Checked {
    sessions.must_be(expected, "after `create`").await?;
    let found =
        sessions.repository.find_by_user(&expected.user_id, &[expected.kind]).await.of("find_by_user")?;
    let number = found.len();
    ensure!(number == 1, "`find_by_user` finds {number} sessions of a user who has one of this kind");
    found.iter().try_for_each(|found| must_be(found, expected, "in the session that `find_by_user` returned"))
}

pub(super) async fn a_session_is_found_with_every_field(sessions: SessionCases) -> Checked {
    let texts = |text: &str| Some(text.to_owned());
    let clients = [
        (None, None),
        (texts("192.0.2.1"), texts("Mozilla/5.0 (it's \"mine\"; 100%) \\ x")),
        (texts("2001:db8::1"), None),
        (None, texts("curl/8.5.0")),
    ];
    for kind in SessionKind::ALL {
        for (client, user_agent) in clients.clone() {
            let mut session = session(&token()?, *kind)?;
            // Three times that differ from each other.
            session.last_used_at = at(STARTED + 61_000);
            (session.client, session.user_agent) = (client, user_agent);
            is_found(&sessions, &sessions.store(session.clone()).await?).await?;
            sessions.delete(&session.id).await?;
        }
    }
    Ok(())
}

pub(super) async fn an_unknown_session_is_none(sessions: SessionCases) -> Checked {
    // Some session must be there that could be found by mistake.
    let stored = sessions.create().await?;
    for unknown in [id()?.as_str(), "' OR ''='", "%", "", &stored.user_id, &stored.state] {
        ensure!(sessions.find(unknown).await?.is_none(), "`find` finds a session with the id {unknown:?}");
        let found =
            sessions.of_user(if unknown == stored.user_id { "" } else { unknown }, SessionKind::ALL).await?;
        ensure!(found.is_empty(), "`find_by_user` finds sessions of a user who has none");
    }
    sessions.delete(&stored.id).await?;
    Ok(())
}

pub(super) async fn an_expired_session_is_found(sessions: SessionCases) -> Checked {
    let mut session = session(&token()?, SessionKind::Bearer)?;
    session.created_at = at(1_000_000_000_000);
    session.last_used_at = at(1_000_000_001_000);
    session.expires_at = at(1_000_000_060_000);
    is_found(&sessions, &sessions.store(session.clone()).await?).await?;
    sessions.delete(&session.id).await?;
    Ok(())
}

pub(super) async fn sessions_are_found_by_user_and_kind(sessions: SessionCases) -> Checked {
    let (user, other) = (token()?, token()?);
    let [mut bearers, mut browsers, mut devices] = [vec![], vec![], vec![]];
    for _ in 0..2 {
        bearers.push(sessions.store(session(&user, SessionKind::Bearer)?).await?.id);
        browsers.push(sessions.store(session(&user, SessionKind::Browser)?).await?.id);
        devices.push(sessions.store(session(&user, SessionKind::Device)?).await?.id);
        sessions.store(session(&other, SessionKind::Bearer)?).await?;
    }
    for (kinds, expected) in [
        (SessionKind::ALL, [&bearers[..], &browsers, &devices].concat()),
        (&[SessionKind::Bearer], bearers.clone()),
        (&[SessionKind::Browser], browsers.clone()),
        (&[SessionKind::Device, SessionKind::Browser], [&browsers[..], &devices].concat()),
        (&[], vec![]),
    ] {
        let (mut expected, found) = (expected, sessions.of_user(&user, kinds).await?);
        expected.sort();
        ensure!(
            found == expected,
            "`find_by_user` of the kinds {kinds:?} returned {} sessions, not exactly the {} of these kinds",
            found.len(),
            expected.len()
        );
    }
    for user in [user, other] {
        sessions.delete_all(SessionOwner::User(&user), SessionKind::ALL, None).await?;
    }
    Ok(())
}

pub(super) async fn ids_are_compared_exactly(sessions: SessionCases) -> Checked {
    let mut first = session(&token()?, SessionKind::Bearer)?;
    first.id = format!("{}as", &id()?.chars().take(20).collect::<String>());
    let first = sessions.store(first).await?;
    let mut second = session(&token()?, SessionKind::Bearer)?;
    second.id = format!("{}aS", first.id.chars().take(20).collect::<String>());
    for (difference, other) in almost(&first.id) {
        ensure!(
            sessions.find(&other).await?.is_none(),
            "`find` with the id {other:?} finds the session {:?}, which differs {difference}",
            first.id
        );
        ensure!(
            !sessions.swap(&other, &first.state, "stolen", at(STARTED)).await?,
            "`swap` with the id {other:?} returned true, with a session {:?}, which differs {difference}",
            first.id
        );
        ensure!(
            !sessions.delete(&other).await?,
            "`delete` with the id {other:?} returned true, with a session {:?}, which differs {difference}",
            first.id
        );
    }
    // Two ids that differ only in case are both there.
    let second = sessions.store(second).await?;
    for session in [&first, &second] {
        sessions.must_be(session, "after a `create` of an id that differs in case").await?;
    }
    sessions.delete(&second.id).await?;
    sessions.must_be(&first, "after a `delete` of an id that differs in case").await?;
    sessions.delete(&first.id).await?;
    Ok(())
}

pub(super) async fn user_ids_are_compared_exactly(sessions: SessionCases) -> Checked {
    let own = sessions.store(session(&format!("as-{}", token()?), SessionKind::Bearer)?).await?;
    for (difference, user) in almost(&own.user_id) {
        let (user, shown) = (user.as_str(), &own.user_id);
        let found = sessions.of_user(user, SessionKind::ALL).await?;
        ensure!(
            found.is_empty(),
            "`find_by_user` of {user:?} finds a session of the user {shown:?}, whose id differs {difference}"
        );
        let others = sessions.store(session(user, SessionKind::Bearer)?).await?;
        let found = sessions.of_user(user, SessionKind::ALL).await?;
        ensure!(
            found == [others.id],
            "`find_by_user` of {user:?} does not find exactly the session of this user"
        );
        let deleted = sessions.delete_all(SessionOwner::User(user), SessionKind::ALL, None).await?;
        ensure!(
            deleted == 1,
            "`delete_all` of the user {user:?} deleted {deleted} sessions instead of 1, those of {shown:?} among them"
        );
        sessions
            .must_be(&own, &format!("after a `delete_all` of a user whose id differs {difference}"))
            .await?;
    }
    sessions.delete(&own.id).await?;
    Ok(())
}

pub(super) async fn texts_are_stored_unchanged(sessions: SessionCases) -> Checked {
    for text in TEXTS {
        let mut session = session(&format!("{text} {}", token()?), SessionKind::Bearer)?;
        session.state = (*text).into();
        is_found(&sessions, &sessions.store(session.clone()).await?).await?;
        ensure!(
            sessions.swap(&session.id, text, "state", session.expires_at).await?,
            "`swap` returned false although the state was the expected one: {text:?}"
        );
        sessions.delete(&session.id).await?;
    }
    let mut session = session(&format!("{}{}", token()?, "u".repeat(223)), SessionKind::Browser)?;
    session.state = "s".repeat(2 << 10).into();
    session.client = Some("0000:0000:0000:0000:0000:ffff:255.255.255.255".to_owned());
    session.user_agent = Some("a".repeat(256));
    is_found(&sessions, &sessions.store(session.clone()).await?).await?;
    let (mut other, new) = (session.state.as_str().to_owned(), "n".repeat(2 << 10));
    other.replace_range((2 << 10) - 1.., "x");
    ensure!(
        !sessions.swap(&session.id, &other, &new, session.expires_at).await?,
        "`swap` returned true although the state of 2 KiB differs in its last byte"
    );
    ensure!(
        sessions.swap(&session.id, &session.state, &new, session.expires_at).await?,
        "`swap` returned false although the state of 2 KiB was the expected one"
    );
    session.state = new.into();
    sessions.must_be(&session, "after a `swap`").await?;
    sessions.delete(&session.id).await?;
    Ok(())
}

pub(super) async fn times_are_stored_to_the_millisecond(sessions: SessionCases) -> Checked {
    const DAY: u64 = 86_400_000;
    for (created, used, expires) in [
        (STARTED + 789, STARTED + 790, STARTED + 791),
        (STARTED + 998, STARTED + 999, STARTED + 400 * DAY + 999),
        // Longer than a 32-bit number of seconds.
        (4_102_444_799_999, 4_102_444_800_000, 4_102_444_800_001),
        // The hours around the ends of summer times, in which local times occur twice.
        (1_792_888_200_500, 1_792_891_800_500, 1_793_511_000_500),
    ] {
        let mut session = session(&token()?, SessionKind::Bearer)?;
        (session.created_at, session.last_used_at, session.expires_at) = (at(created), at(used), at(expires));
        is_found(&sessions, &sessions.store(session.clone()).await?).await?;
        sessions.delete(&session.id).await?;
    }
    Ok(())
}
