//! Flow tokens: what a client keeps between the two requests of a ceremony (specification §10.6). The first request issues one and
//! stores nothing.

use super::{Ceremony, Core, best_effort};
use crate::clock::{Clock, unix_seconds};
use crate::config::AuthConfig;
use crate::core::Realm;
use crate::crypto::flow::FlowKeys;
use crate::crypto::random;
use crate::error::AuthError;
use crate::store::StoreKey;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use zeroize::Zeroizing;

/// The longest lifetime of a flow token that is used up.
const LONGEST_FLOW: Duration = Duration::from_secs(60 * 60);

/// The rules of flow tokens with something in them that can be guessed.
pub(crate) const FLOW: Ceremony = Ceremony {
    lifetime: LONGEST_FLOW,
    spent: StoreKey::FlowSpent,
    tries: StoreKey::FlowTries,
    most_tries: 5,
    refusal: AuthError::InvalidFlowToken,
};

/// What a flow token of one purpose holds.
pub(crate) trait FlowContent: Serialize + DeserializeOwned {
    /// The purpose. A token opens for no other one.
    const PURPOSE: &'static str;

    /// To a multiple of so many bytes the content is padded. If what is in the token must not show by its length, this is more than
    /// all of the content.
    const PADDED: usize = 256;
}

/// A flow token that was opened, or is about to be issued.
#[derive(Serialize, Deserialize)]
#[serde(bound = "T: FlowContent")]
pub(crate) struct Flow<T> {
    /// Random, and different for each ceremony.
    pub(crate) jti: String,
    /// When the ceremony began, in Unix seconds.
    iat: u64,
    /// When it ends, in Unix seconds.
    exp: u64,
    /// What the purpose needs.
    #[serde(rename = "c")]
    pub(crate) content: T,
}

impl<T> Flow<T> {
    /// When the ceremony began.
    pub(crate) fn began_at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.iat)
    }

    /// When the ceremony ends.
    pub(crate) fn expires_at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.exp)
    }
}

/// A flow token that this request has used up.
pub(crate) struct SpentFlow {
    jti: String,
    /// Whether what the token was for may have happened, whatever an error says.
    is_kept: bool,
}

impl SpentFlow {
    /// A token whose use was recorded.
    pub(crate) fn of(jti: &str) -> Self {
        Self { jti: jti.to_owned(), is_kept: false }
    }

    /// Must be called before a step that cannot be repeated, and that may happen although it fails: from then on the token stays used.
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
    pub(crate) fn keep(&mut self) {
        self.is_kept = true;
    }

    /// After an error of the server (5xx) the client may send the request again: the token can be used again, unless it is
    /// [kept](Self::keep).
    pub(crate) async fn after<T>(self, core: &Core, result: Result<T, AuthError>) -> Result<T, AuthError> {
        if let Err(failure) = &result
            && failure.code().status() >= 500
            && !self.is_kept
        {
            let take_back = FLOW.take_back(core, &self.jti);
            best_effort("taking back the use of a flow token", core.config.store_timeout, take_back).await;
        }
        result
    }
}

impl Core {
    /// Uses a flow token up whose proof was found to be right.
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`] if it was used before.
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
    pub(crate) async fn spend_flow(&self, jti: &str) -> Result<SpentFlow, AuthError> {
        FLOW.spend(self, jti).await?;
        Ok(SpentFlow::of(jti))
    }
}

/// Issues and opens the flow tokens of a module.
#[derive(Clone)]
pub(crate) struct Flows {
    keys: FlowKeys,
    clock: Arc<dyn Clock>,
}

impl Flows {
    pub(super) fn new(config: &AuthConfig, realm: &Realm) -> Self {
        Self { keys: FlowKeys::new(&config.jwt_secrets, realm.as_str()), clock: Arc::clone(&config.clock) }
    }

    /// A ceremony that begins now.
    ///
    /// # Errors
    /// If there are no random bytes.
    pub(crate) fn begin<T>(&self, content: T, lifetime: Duration) -> Result<Flow<T>, AuthError> {
        let now = self.clock.now();
        Ok(Flow { jti: random::id()?, iat: unix_seconds(now), exp: unix_seconds(now + lifetime), content })
    }

    /// The token of a ceremony. No two tokens of one ceremony are equal.
    ///
    /// # Errors
    /// If the content is longer than a token can be.
    pub(crate) fn token<T: FlowContent>(&self, flow: &Flow<T>) -> Result<String, AuthError> {
        let document = Zeroizing::new(serde_json::to_vec(flow).map_err(AuthError::internal)?);
        self.keys.seal(T::PURPOSE, &document, T::PADDED)
    }

    /// The ceremony of a token that this module has issued for this purpose, and which has not ended.
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`].
    pub(crate) fn open<T: FlowContent>(&self, token: &str) -> Result<Flow<T>, AuthError> {
        self.read(token).filter(|flow| self.lasts(flow)).ok_or(AuthError::InvalidFlowToken)
    }

    /// What a mailed token holds, also if the token has expired (specification §10.7).
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`].
    pub(crate) fn open_mailed<T: FlowContent>(&self, token: &str) -> Result<Flow<T>, AuthError> {
        self.read(token).ok_or(AuthError::InvalidMailToken)
    }

    /// Fails if a mailed token has expired.
    ///
    /// # Errors
    /// [`AuthError::ExpiredMailToken`].
    pub(crate) fn must_last<T>(&self, flow: &Flow<T>) -> Result<(), AuthError> {
        self.lasts(flow).then_some(()).ok_or(AuthError::ExpiredMailToken)
    }

    fn read<T: FlowContent>(&self, token: &str) -> Option<Flow<T>> {
        let document = self.keys.open(T::PURPOSE, token)?;
        serde_json::from_slice(&document).ok()
    }

    fn lasts<T>(&self, flow: &Flow<T>) -> bool {
        unix_seconds(self.clock.now()) < flow.exp
    }

    /// For how many seconds the ceremony still lasts.
    pub(crate) fn rest<T>(&self, flow: &Flow<T>) -> u64 {
        flow.exp.saturating_sub(unix_seconds(self.clock.now()))
    }
}

/// Entries of the store that are sealed as tokens are, for a purpose of their own: the store has neither addresses nor ids in clear.
impl Core {
    /// Sets such an entry for this time, whatever it was before.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub(crate) async fn keep<T: FlowContent>(
        &self,
        entry: StoreKey,
        of: &[&str],
        content: T,
        lifetime: Duration,
    ) -> Result<(), AuthError> {
        let sealed = self.flows.token(&self.flows.begin(content, lifetime)?)?;
        self.store.put(entry, of, sealed.as_bytes(), lifetime).await
    }

    /// What such an entry has. Instances with different current secrets each set one: the newest counts.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub(crate) async fn kept<T: FlowContent>(
        &self,
        entry: StoreKey,
        of: &[&str],
    ) -> Result<Option<Flow<T>>, AuthError> {
        let values = self.store.values(entry, of).await?;
        let opened = values.iter().filter_map(|value| std::str::from_utf8(value).ok());
        let opened = opened.filter_map(|text| self.flows.open::<T>(text).ok());
        Ok(opened.max_by_key(|flow| (flow.iat, flow.exp)))
    }

    /// Uses a mailed token up, or ends it. Returns whether nothing has before: of any number of calls one does.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub(crate) async fn use_mail_token(&self, jti: &str, lifetime: Duration) -> Result<bool, AuthError> {
        self.store.claim(StoreKey::MailTokenUsed, &[jti], lifetime).await
    }
}

/// Golden documents: the clients of a host have such tokens while its release changes. A difference needs a version of its own, or
/// code that reads both.
#[cfg(test)]
pub(crate) fn is_golden<T: FlowContent>(purpose: &str, content: &str) {
    let document =
        format!(r#"{{"jti":"AAAAAAAAAAAAAAAAAAAAAA","iat":1767225600,"exp":1767226500,"c":{content}}}"#);
    let flow: Flow<T> = serde_json::from_str(&document).unwrap();
    assert_eq!((T::PURPOSE, serde_json::to_string(&flow).unwrap()), (purpose, document));
}
