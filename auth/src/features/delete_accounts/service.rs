//! Scheduling and cancelling the deletion of an account. No HTTP.

use super::DELETE;
use super::entries::{MailedToken, Rows, number_of};
use crate::actions::{ActionError, BoundAction, DeletesUsers, typed};
use crate::client::{ClientAddress, ClientInfo};
use crate::clock::whole_milliseconds;
use crate::config::Settings;
use crate::core::{ActingSession, By, Ceremonies, Core, Identity};
use crate::delivery::{AccountDeletionKind, AccountDeletionMessage, Delivers};
use crate::error::AuthError;
use crate::events::{EventKind, SessionEnd};
use crate::posture::Deviation;
use crate::repository::DeletionRecord;
use crate::user::{AuthUser, User, UserId, UserRecord};
use crate::watch::watch_action;
use async_trait::async_trait;
use humantime::format_rfc3339_millis;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How long after the due time the token of a mail is still read. The deletion itself ends it.
const AFTER_DUE: Duration = Duration::from_secs(24 * 60 * 60);
/// A longer grace deviates from the month of Art. 12(3) GDPR.
const LONGEST_USUAL_GRACE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// `DeletesUsers` without the type of the user record.
#[async_trait]
pub(super) trait Deletes: Send + Sync + 'static {
    async fn delete(&self, core: &Core, user: &dyn UserRecord) -> Result<(), ActionError>;
}

#[async_trait]
impl<U: AuthUser> Deletes for BoundAction<dyn DeletesUsers<U>, U> {
    async fn delete(&self, core: &Core, user: &dyn UserRecord) -> Result<(), ActionError> {
        let context = core.action_context(&self.users, ClientAddress::UNKNOWN);
        watch_action("DeletesUsers", self.action.delete(typed(user)?, &context)).await
    }
}

/// What the host supplies.
#[derive(Clone)]
pub(super) struct Parts {
    pub(super) deletions: Rows,
    pub(super) deletes_users: Arc<dyn Deletes>,
    pub(super) delivery: Arc<dyn Delivers<AccountDeletionMessage>>,
}

/// Deletions of accounts, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct DeleteAccountsService {
    pub(super) core: Core,
    pub(super) parts: Parts,
}

/// A deletion that the user has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScheduledDeletion {
    /// From when on the account can be deleted.
    pub deletes_at: SystemTime,
}

impl DeleteAccountsService {
    pub(super) fn new(core: &Core, parts: Parts) -> Self {
        Self { core: core.clone(), parts }
    }

    /// Schedules the deletion of the user's account, and ends every session (specification §9.60). If a deletion is pending already, its
    /// time stays. With a grace of zero, and no address that can take the account back, the user is deleted before this returns.
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`]; those of the repositories and the store.
    pub async fn schedule(
        &self,
        who: &Identity,
        client: impl Into<ClientInfo>,
    ) -> Result<ScheduledDeletion, AuthError> {
        let client = client.into();
        let acting = self.core.begin(&DELETE, who, client.address).await?;
        let service = self.clone();
        self.core
            .run_to_completion(async move {
                let user = User::clone(&acting.who().user);
                service.write(&user, Some(&acting), &client, client.address.into()).await
            })
            .await
            .map(|deletes_at| ScheduledDeletion { deletes_at })
    }

    pub(super) async fn schedule_by_administrator(&self, user: &User) -> Result<SystemTime, AuthError> {
        let (service, user) = (self.clone(), User::clone(user));
        let write = async move {
            let nobody = ClientInfo::from(ClientAddress::UNKNOWN);
            service.write(&user, None, &nobody, By::Administrator).await
        };
        self.core.run_to_completion(write).await
    }

    /// Writes the row and then ends the sessions: a session that begins meanwhile finds the row.
    async fn write(
        &self,
        user: &User,
        acting: Option<&ActingSession>,
        client: &ClientInfo,
        by: By,
    ) -> Result<SystemTime, AuthError> {
        let (core, id) = (&self.core, user.id_text());
        if let Some(acting) = acting {
            acting.check_alive().await?;
        }
        let reverted_by = core.can_take_back(&id).await?;
        let earliest = core.now() + core.config.deletion.grace;
        let due_at = reverted_by.as_ref().map_or(earliest, |(_, until)| earliest.max(*until));
        let due_at = whole_milliseconds(due_at);
        let existing = self.parts.deletions.schedule(core, &id, due_at).await?;
        let is_new = existing.is_none();
        let deletion = existing.unwrap_or_else(|| DeletionRecord::new(core.realm(), &id, due_at));
        // What ends the session from here on may have looked for a deletion before there was one.
        if let Some(acting) = acting
            && let Err(ended) = acting.check_alive().await
        {
            if is_new {
                self.parts.deletions.cancel(core, &deletion).await?;
            }
            return Err(ended);
        }
        let both = [Ceremonies::OfCredentials, Ceremonies::OfMailbox];
        let ceremonies = core.end_ceremonies(&both, &id).await;
        core.end_sessions(&id, None, SessionEnd::DeletionScheduled, by).await?;
        ceremonies?;
        if is_new && acting.is_some() && self.find(&id).await?.is_none() {
            // A lock down has cancelled it meanwhile.
            return Err(AuthError::Unauthenticated);
        }
        if is_new {
            let scheduled = EventKind::DeletionScheduled { due_at: text_of(&deletion) };
            core.events.emit_by(scheduled, Some(id.clone()), by).await;
            if due_at > core.now() {
                self.tell(user, &deletion, AccountDeletionKind::Scheduled, client).await?;
            } else {
                // A failure is logged, and the next pass deletes the user.
                self.delete_due(Some(&id)).await?;
            }
        }
        Ok(deletion.due_at)
    }

    /// Cancels this deletion, unless an instance is deleting the user already, and tells the user. Returns whether it was pending.
    pub(super) async fn cancel(
        &self,
        user: &User,
        deletion: &DeletionRecord,
        client: &ClientInfo,
        by: By,
    ) -> Result<bool, AuthError> {
        let (core, id) = (&self.core, user.id_text());
        if !self.parts.deletions.cancel(core, deletion).await? {
            return Ok(false);
        }
        let cancelled = EventKind::DeletionCancelled { due_at: text_of(deletion) };
        core.events.emit_by(cancelled, Some(id), by).await;
        self.tell(user, deletion, AccountDeletionKind::Cancelled, client).await?;
        Ok(true)
    }

    pub(super) async fn cancel_by_administrator(&self, user: &User) -> Result<bool, AuthError> {
        let Some(deletion) = self.find(&user.id_text()).await? else { return Ok(false) };
        let nobody = ClientInfo::from(ClientAddress::UNKNOWN);
        self.cancel(user, &deletion, &nobody, By::Administrator).await
    }

    pub(super) async fn deletion_of(&self, user_id: &impl UserId) -> Result<Option<SystemTime>, AuthError> {
        Ok(self.find(&user_id.to_text()).await?.map(|deletion| deletion.due_at))
    }

    pub(super) async fn find(&self, user_id: &str) -> Result<Option<DeletionRecord>, AuthError> {
        self.parts.deletions.find(&self.core, user_id).await
    }

    /// Has the user told: at the address of the account, if it is verified, and at the address that can take the account back.
    pub(super) async fn tell(
        &self,
        user: &User,
        deletion: &DeletionRecord,
        kind: AccountDeletionKind,
        client: &ClientInfo,
    ) -> Result<(), AuthError> {
        let (core, id) = (&self.core, user.id_text());
        if !user.is_active() {
            return Ok(());
        }
        let own = user.email_verified_at().map(|_| user.email().to_owned());
        let previous = core.can_take_back(&id).await?.map(|(email, _)| email);
        let (token, expires_at) = match kind {
            AccountDeletionKind::Scheduled => {
                let content = MailedToken { sub: id, due: number_of(deletion) };
                let rest = deletion.due_at.duration_since(core.now()).unwrap_or_default();
                let flow = core.flows.begin(content, rest + AFTER_DUE)?;
                (Some(core.flows.token(&flow)?), deletion.due_at)
            }
            AccountDeletionKind::Cancelled | AccountDeletionKind::Done => (None, core.now()),
        };
        for email in own.into_iter().chain(previous) {
            let message = AccountDeletionMessage {
                email,
                kind,
                token: token.clone(),
                client: client.address.ip(),
                user_agent: client.user_agent.as_deref().map(str::to_owned),
                at: core.now(),
                deletes_at: deletion.due_at,
                expires_at,
                language: core.language_of_owner(&**user),
            };
            core.deliver(&self.parts.delivery, message);
        }
        Ok(())
    }

    /// How the options of the feature deviate.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        of_settings(&self.core.config)
    }
}

/// The time of a deletion, which tells it from others of the account.
pub(super) fn text_of(deletion: &DeletionRecord) -> String {
    format_rfc3339_millis(deletion.due_at).to_string()
}

/// How the options of the feature deviate from ASVS.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    let message =
        "a user who has asked for the deletion waits for it longer than a month (Art. 12(3) and 17 GDPR)";
    let is_long = settings.deletion.grace > LONGEST_USUAL_GRACE;
    is_long.then(|| Deviation::new("deletion.grace", &["14.2.7"], message)).into_iter().collect()
}
