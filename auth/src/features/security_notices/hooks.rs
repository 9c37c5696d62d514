//! Of what the owner of an account is told, and how notices take part in the rest of the module.

use super::LIFETIME;
use super::entries::{Entries, SecureToken};
use super::sign_ins;
use crate::client::ClientAddress;
use crate::clock::unix_milliseconds;
use crate::core::{By, Core, Hooks, Recovered, SignInRequest};
use crate::delivery::{Delivers, SecurityNoticeKind, SecurityNoticeMessage};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::request::RequestContext;
use crate::store::StoreKey;
use crate::telemetry::log;
use crate::user::{User, UserRecord};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A page shows the secret and its QR code with two requests: one notice tells of both.
const SHOWN_TOGETHER: Duration = Duration::from_secs(600);

/// Tells the owner of an account what has happened to it.
pub(super) struct Notices {
    pub(super) delivery: Arc<dyn Delivers<SecurityNoticeMessage>>,
}

/// Of what the owner is told after this event, if of anything. `before` is the record from before it.
fn told_of(event: &EventKind, before: &dyn UserRecord, core: &Core) -> Option<SecurityNoticeKind> {
    let had_second_factor = before.two_factor_confirmed_at().is_some();
    Some(match event {
        EventKind::PasswordUpdated => SecurityNoticeKind::PasswordChanged,
        EventKind::PasswordReset => SecurityNoticeKind::PasswordReset,
        EventKind::PasswordRemoved => SecurityNoticeKind::PasswordRemoved,
        EventKind::TwoFactorEnabled if !core.config.two_factor.confirm => {
            SecurityNoticeKind::TwoFactorEnabled
        }
        EventKind::TwoFactorConfirmed => SecurityNoticeKind::TwoFactorEnabled,
        EventKind::TwoFactorDisabled if had_second_factor => SecurityNoticeKind::TwoFactorDisabled,
        EventKind::TwoFactorSecretShown => SecurityNoticeKind::TwoFactorSecretShown,
        EventKind::RecoveryCodeReplaced => SecurityNoticeKind::RecoveryCodeUsed,
        EventKind::RecoveryCodesGenerated if had_second_factor => SecurityNoticeKind::RecoveryCodesGenerated,
        EventKind::PasskeyAdded { .. } => SecurityNoticeKind::PasskeyAdded,
        EventKind::PasskeyRemoved { .. } => SecurityNoticeKind::PasskeyRemoved,
        EventKind::IdentityLinked { .. } => SecurityNoticeKind::IdentityLinked,
        EventKind::IdentityUnlinked { .. } => SecurityNoticeKind::IdentityUnlinked,
        EventKind::ApiTokenCreated { .. } => SecurityNoticeKind::ApiTokenCreated,
        EventKind::DeviceTrusted { .. } => SecurityNoticeKind::DeviceTrusted,
        EventKind::ImpersonationStarted { .. } => SecurityNoticeKind::Impersonated,
        EventKind::RefreshTokenReused { .. } => SecurityNoticeKind::RefreshTokenReused,
        EventKind::AccountReclaimed => SecurityNoticeKind::AccountReclaimed,
        _ => return None,
    })
}

/// Whether a thief may have done this, so that a later lock down must reach back to it. By a reset and by the first proof of the mailbox its
/// owner has answered what was before, and an impersonation is the host's.
const fn may_be_of_a_visit(kind: SecurityNoticeKind) -> bool {
    !matches!(
        kind,
        SecurityNoticeKind::PasswordReset
            | SecurityNoticeKind::AccountReclaimed
            | SecurityNoticeKind::Impersonated
    )
}

impl Notices {
    /// A notice to the owner of this account, if the owner shall be told: nobody has proven an address that is not verified.
    pub(super) fn notice(
        core: &Core,
        kind: SecurityNoticeKind,
        user: &dyn UserRecord,
        by: By,
        user_agent: Option<Arc<str>>,
    ) -> Option<SecurityNoticeMessage> {
        let is_proven = user.email_verified_at().is_some() || kind == SecurityNoticeKind::AccountReclaimed;
        if !is_proven || !user.is_active() || !core.config.notices.sends(kind) {
            return None;
        }
        let (client, user_agent) = match by {
            By::Client(client) => (client.ip(), user_agent),
            By::Administrator => (None, None),
        };
        Some(SecurityNoticeMessage {
            kind,
            email: user.email().to_owned(),
            name: user.name().to_owned(),
            at: core.now(),
            client,
            user_agent: user_agent.map(|text| text.to_string()),
            is_last_of_day: false,
            token: None,
            expires_at: core.now(),
            language: core.language_of_owner(user),
        })
    }

    /// Has the notice delivered in the background, once, with its link.
    pub(super) fn send(&self, core: &Core, user_id: String, notice: SecurityNoticeMessage) {
        let began = RequestContext::read(|current| current.began).unwrap_or(notice.at).min(notice.at);
        let (core, delivery) = (core.clone(), Arc::clone(&self.delivery));
        core.clone().background.spawn("telling the owner of an account", async move {
            if is_told_already(&core, &user_id, &notice).await {
                return;
            }
            match with_link(&core, user_id, notice, began).await {
                Ok(notice) => core.deliver(&delivery, notice),
                Err(error) => log::notice_not_made(error.code().as_str()),
            }
        });
    }
}

/// Whether another notice of a moment ago tells of this, too.
async fn is_told_already(core: &Core, user_id: &str, notice: &SecurityNoticeMessage) -> bool {
    if notice.kind != SecurityNoticeKind::TwoFactorSecretShown {
        return false;
    }
    let client = notice.client.map_or(ClientAddress::UNKNOWN, ClientAddress::from).limit_key();
    let first = core.store.claim(StoreKey::NoticeShown, &[user_id, &client], SHOWN_TOGETHER).await;
    first.is_ok_and(|is_first| !is_first)
}

/// The notice with its link, if its kind has one. A store that cannot be reached keeps nobody from being told.
async fn with_link(
    core: &Core,
    user_id: String,
    notice: SecurityNoticeMessage,
    began: SystemTime,
) -> Result<SecurityNoticeMessage, AuthError> {
    let since = match may_be_of_a_visit(notice.kind) {
        true => Entries::of(core, &user_id).begin_visit(&notice.email, began).await.unwrap_or_else(|error| {
            log::visit_not_recorded(error.code().as_str());
            began
        }),
        false => began,
    };
    if !notice.kind.has_link() {
        return Ok(notice);
    }
    let content = SecureToken {
        sub: user_id,
        email: notice.email.clone(),
        at: unix_milliseconds(notice.at),
        since: unix_milliseconds(since),
    };
    let flow = core.flows.begin(content, LIFETIME)?;
    Ok(SecurityNoticeMessage {
        token: Some(core.flows.token(&flow)?),
        expires_at: flow.expires_at(),
        ..notice
    })
}

#[async_trait]
impl Hooks for Notices {
    fn happened(&self, core: &Core, event: &EventKind, before: &dyn UserRecord, by: By) {
        let user_agent = RequestContext::read(|current| current.visitor.client.user_agent.clone());
        let notice =
            told_of(event, before, core).and_then(|kind| Self::notice(core, kind, before, by, user_agent));
        if let Some(notice) = notice {
            self.send(core, before.id_text(), notice);
        }
    }

    async fn signed_in(&self, core: &Core, request: &SignInRequest<'_>) {
        match sign_ins::notice(core, request).await {
            Ok(None) => {}
            Ok(Some(notice)) => self.send(core, request.user.id_text(), notice),
            Err(error) => log::sign_in_not_compared(error.code().as_str()),
        }
    }

    async fn suspected_since(&self, core: &Core, user_id: &str) -> Result<Option<SystemTime>, AuthError> {
        Entries::of(core, user_id).suspected_since().await
    }

    async fn recovered(
        &self,
        core: &Core,
        user_id: &str,
        email: &str,
        how: Recovered,
    ) -> Result<(), AuthError> {
        Entries::of(core, user_id).answered(email, how).await
    }

    async fn account_closing(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        Entries::of(core, &user.id_text()).close().await
    }
}
