//! Which sign-ins the owner of an account is told of (specification §15.10): those from a client that the account does not know, with
//! a user agent that is new there.

use super::hooks::Notices;
use crate::clock::unix_seconds;
use crate::core::{By, Core, SignInRequest};
use crate::delivery::{SecurityNoticeKind, SecurityNoticeMessage};
use crate::error::AuthError;
use crate::store::StoreKey;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// For how long a user agent is remembered after its last sign-in.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How often its last sign-in is written.
const PRECISION: u64 = 60 * 60;
/// How many such notices an account gets on one day.
const MOST_OF_DAY: u64 = 5;

/// The notice of this sign-in, if its owner is told of it. Called before the account knows the client.
pub(super) async fn notice(
    core: &Core,
    request: &SignInRequest<'_>,
) -> Result<Option<SecurityNoticeMessage>, AuthError> {
    // A store that forgets with every restart would take each client for a new one.
    if !core.store.is_durable() || !core.config.notices.sends(SecurityNoticeKind::NewSignIn) {
        return Ok(None);
    }
    let (store, user, visitor) = (&core.store, request.user, request.visitor);
    let id = user.id_text();
    let (client, user_agent) = (visitor.address(), visitor.client.user_agent.clone());
    let is_seen = remember(core, &id, user_agent.as_deref().unwrap_or_default()).await?;
    let registered = [id.as_str(), &client.limit_key()];
    if request.sign_in.is_new_account() {
        store.claim(StoreKey::RegisteredBy, &registered, REMEMBERED).await?;
        return Ok(None);
    }
    if is_seen || core.knows(&id, client).await? {
        return Ok(None);
    }
    if store.exists(StoreKey::RegisteredBy, &registered).await? {
        store.delete(StoreKey::RegisteredBy, &registered).await?;
        return Ok(None);
    }
    let by = By::Client(client);
    let Some(notice) = Notices::notice(core, SecurityNoticeKind::NewSignIn, &**user, by, user_agent) else {
        return Ok(None);
    };
    let day = (unix_seconds(core.now()) / DAY.as_secs()).to_string();
    for number in 1..=MOST_OF_DAY {
        if store.claim(StoreKey::NewSignIn, &[&id, &day, &number.to_string()], DAY).await? {
            return Ok(Some(SecurityNoticeMessage { is_last_of_day: number == MOST_OF_DAY, ..notice }));
        }
    }
    Ok(None)
}

/// Remembers a user agent of the account. Returns whether a session of the user had it before: sessions can be older than what is
/// remembered.
async fn remember(core: &Core, user_id: &str, user_agent: &str) -> Result<bool, AuthError> {
    let of = [user_id, user_agent];
    let is_remembered = core.store.exists(StoreKey::UserAgentSeen, &of).await?;
    // Written once in an hour, however often the user signs in.
    let hour = unix_seconds(core.now()) / PRECISION;
    core.store.raise(StoreKey::UserAgentSeen, &of, hour, REMEMBERED).await?;
    if is_remembered {
        return Ok(true);
    }
    let sessions = core.sessions_of(user_id, None).await?;
    // One of them is the session that starts now.
    let have_it = sessions.iter().filter(|session| session.user_agent.as_deref() == Some(user_agent));
    Ok(have_it.count() > 1)
}
