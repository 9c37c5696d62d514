//! The user of an API token, for the extractors.

use super::LIMITS;
use super::service::{ApiTokensService, UserApiToken};
use super::text::Presented;
use crate::client::ClientAddress;
use crate::clock::whole_milliseconds;
use crate::core::Core;
use crate::error::AuthError;
use crate::events::AttemptKind;
use crate::limits::Checked;
use crate::repository::ApiTokenRecord;
use crate::telemetry::{Lazily, cause, log};
use crate::user::User;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime};
use subtle::ConstantTimeEq;

/// How often the use of a token is recorded.
const RECORDED_EVERY: Duration = Duration::from_secs(60);

/// Whom a program acts for, and with which API token.
pub(crate) struct ApiCaller {
    pub(crate) user: User,
    pub(crate) token: UserApiToken,
}

/// Why a text is no valid API token. The log alone has it.
#[derive(Clone, Copy)]
enum Flaw {
    Disabled,
    Text,
    Unknown,
    Secret,
    Expired,
    User,
}

impl Flaw {
    const fn reason(self) -> &'static str {
        match self {
            Self::Disabled => "API_TOKENS is not enabled, so there are no API tokens",
            Self::Text => {
                "the bearer token is no API token of this module: its prefix, length or checksum is wrong"
            }
            Self::Unknown => "there is no such API token: it was revoked, or never existed",
            Self::Secret => "the secret of the API token is wrong",
            Self::Expired => "the API token has expired",
            Self::User => "the user of the API token is suspended or gone, or is going to be deleted",
        }
    }
}

/// The caller with this bearer token, which must have the scope.
///
/// # Errors
/// [`AuthError::InvalidApiToken`]; [`AuthError::InsufficientScope`]; [`AuthError::TooManyAttempts`] for a token that is invalid alone;
/// [`AuthError::Internal`] for a scope that the host does not have; those of the repositories.
pub(crate) async fn api_caller(
    core: &Core,
    service: Option<&ApiTokensService>,
    (token, scope): (&str, &'static str),
    client: impl FnOnce() -> ClientAddress,
) -> Result<ApiCaller, AuthError> {
    let Some(service) = service else { return refuse(core, Flaw::Disabled, client()).await };
    if !service.scopes.contains(scope) {
        let message = format!("a route requires the scope `{scope}`, which is not in `api_scopes`");
        return Err(AuthError::internal(message));
    }
    let (row, user) = match service.verify(token).await? {
        Ok(verified) => verified,
        Err(flaw) => return refuse(core, flaw, client()).await,
    };
    if !row.scopes.iter().any(|has| has == scope) {
        return Err(AuthError::InsufficientScope { scope });
    }
    service.used(&row);
    Ok(ApiCaller { user, token: row.into() })
}

/// Counts an invalid token. Nothing is counted before, so a valid token is never refused because of others.
async fn refuse<T>(core: &Core, flaw: Flaw, client: ClientAddress) -> Result<T, AuthError> {
    log::unauthenticated(Lazily(|| flaw.reason()));
    let wrong = async { Ok(Checked::Wrong(AuthError::InvalidApiToken)) };
    core.guess_by_client(AttemptKind::ApiToken, LIMITS, client, wrong).await
}

impl ApiTokensService {
    /// The row of a token and its user, or what is wrong. An unknown id takes the work of a wrong secret.
    async fn verify(&self, token: &str) -> Result<Result<(ApiTokenRecord, User), Flaw>, AuthError> {
        let core = &self.core;
        let Some(presented) = Presented::parse(&core.config.api_tokens.prefix, token) else {
            return Ok(Err(Flaw::Text));
        };
        let row = self.tokens.find_by_id(presented.id).await?;
        // Never the hash of anything, but one that takes as long to compare.
        let stored = row.as_ref().map_or([0; 32], |row| row.secret_hash);
        let is_secret = bool::from(stored.ct_eq(&presented.secret_hash));
        let Some(row) = row else { return Ok(Err(Flaw::Unknown)) };
        // Several modules can share the repository.
        let Some(user_id) = row.user_id.strip_prefix(&core.repository_key("")) else {
            return Ok(Err(Flaw::Unknown));
        };
        if !is_secret {
            return Ok(Err(Flaw::Secret));
        }
        if row.expires_at <= core.now() {
            return Ok(Err(Flaw::Expired));
        }
        let user = core.users.find_by_id(user_id).await?;
        Ok(core.usable(user).await?.map(|user| (row, user)).ok_or(Flaw::User))
    }

    /// Records the use of a token in the background, if none was recorded for a minute. Concurrent requests write it once.
    fn used(&self, row: &ApiTokenRecord) {
        self.core.maintain_if_due();
        let now = whole_milliseconds(self.core.now());
        let before = now.checked_sub(RECORDED_EVERY).unwrap_or(SystemTime::UNIX_EPOCH);
        if row.last_used_at.is_some_and(|last| last > before) {
            return;
        }
        let (tokens, recording, id) = (self.tokens.clone(), Arc::clone(&self.recording), row.id.clone());
        if !recording.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone()) {
            return;
        }
        self.core.background.spawn("recording the last use of an API token", async move {
            let recorded = tokens.record_use(&id, before, now).await;
            recording.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            if let Err(error) = recorded {
                log::last_use_not_recorded(cause(error.cause()));
            }
        });
    }
}
