//! Locking an account down with the link in a notice. No HTTP.

use super::entries::{Answered, Entries, SecureToken};
use crate::client::ClientInfo;
use crate::config::{Limit, Settings};
use crate::core::{Core, LockDown, Recovered};
use crate::delivery::SecurityNoticeKind;
use crate::error::AuthError;
use crate::posture::Deviation;

/// Lock downs by the links in notices, with the rules, limits and events of the route.
#[derive(Clone)]
pub struct SecurityNoticesService {
    core: Core,
}

impl SecurityNoticesService {
    pub(super) fn new(core: &Core) -> Self {
        Self { core: core.clone() }
    }

    /// How the options and the store of the feature deviate from ASVS.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        let mut found = of_settings(&self.core.config);
        if !self.core.store.is_durable() {
            let message = "nobody is told of new sign-ins, and after a restart the link of a notice undoes only what came after its event";
            found.push(Deviation::new("store", &["6.3.7"], message));
        }
        found
    }

    /// Locks the account down of which a notice has told its owner (specification §9.35). If the account has another address by now
    /// and the previous one can take it back, it gets the previous one. After a lock down, an earlier notice changes nothing.
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`], also after a reset with a mail to the address of the notice; [`AuthError::ExpiredMailToken`];
    /// [`AuthError::TooManyAttempts`].
    pub async fn secure(&self, token: &str, client: impl Into<ClientInfo>) -> Result<(), AuthError> {
        let (core, client) = (&self.core, client.into());
        core.count_call(&[Limit::MailTokens], "", client.address).await?;
        let flow = core.flows.open_mailed::<SecureToken>(token)?;
        let user = core.users.find_by_id(&flow.content.sub).await?;
        user.filter(|user| user.is_active()).ok_or(AuthError::InvalidMailToken)?;
        core.flows.must_last(&flow)?;
        match Entries::of(core, &flow.content.sub).answer_to(&flow.content).await? {
            Answered::ByLockDown => return Ok(()),
            Answered::ByReset => return Err(AuthError::InvalidMailToken),
            Answered::No => {}
        }
        let service = self.clone();
        self.core.run_to_completion(async move { service.lock_down(&flow.content, &client).await }).await
    }

    /// Each step can be repeated: that it is done is recorded at the end.
    async fn lock_down(&self, notice: &SecureToken, client: &ClientInfo) -> Result<(), AuthError> {
        let (core, id) = (&self.core, notice.sub.as_str());
        let order = LockDown::since(notice.since(), client.address);
        if self.has_left(notice).await? {
            self.take_back(notice, &order, client).await?;
        } else {
            core.lock_down(id, &order).await?;
            // Until now a session could have changed the address.
            match self.has_left(notice).await? {
                true => self.take_back(notice, &order, client).await?,
                false => core.finish_lock_down(id).await?,
            }
        }
        core.recovered(id, &notice.email, Recovered::LockDown).await
    }

    /// Whether the account has another address than that of the notice.
    async fn has_left(&self, notice: &SecureToken) -> Result<bool, AuthError> {
        let now = self.core.users.find_by_id(&notice.sub).await?.ok_or(AuthError::InvalidMailToken)?;
        Ok(!now.email().eq_ignore_ascii_case(&notice.email))
    }

    /// Gives the account back to the address that can take it back. Without one it is locked down and nobody gets a mail: the address
    /// that it has may be a thief's. The response does not tell.
    async fn take_back(
        &self,
        notice: &SecureToken,
        order: &LockDown,
        client: &ClientInfo,
    ) -> Result<(), AuthError> {
        match self.core.take_back(&notice.sub, order, client).await {
            None => self.core.lock_down(&notice.sub, order).await,
            Some(Err(AuthError::EmailTaken)) => Ok(()),
            Some(taken_back) => taken_back,
        }
    }
}

/// How the options of the feature deviate from ASVS.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    let off = SecurityNoticeKind::ALL.iter().filter(|kind| !settings.notices.sends(**kind));
    let off: Vec<_> = off.map(|kind| kind.value()).collect();
    match off.is_empty() {
        true => Vec::new(),
        false => {
            let message = format!("the owners of accounts are not told of: {}", off.join(", "));
            vec![Deviation::new("notices", &["6.3.7"], message)]
        }
    }
}
