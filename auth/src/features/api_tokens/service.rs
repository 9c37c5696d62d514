//! Listing, creating and revoking API tokens. No HTTP.

use super::entries::{Entries, Rows};
use super::text::NewText;
use super::{CREATE, REVOKE};
use crate::client::ClientAddress;
use crate::clock::whole_milliseconds;
use crate::config::{ApiScopes, Settings};
use crate::core::{ActingSession, Core, Identity, UserRow};
use crate::error::{AuthError, FieldCollector, FieldErrors, FieldText};
use crate::events::EventKind;
use crate::posture::Deviation;
use crate::repository::ApiTokenRecord;
use crate::values::short_name;
use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// The most tokens of a user that have not expired.
const MOST: usize = 50;

/// An API token of a user, as the user and the host see it. It is not the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserApiToken {
    /// The id, by which it is revoked. It is a part of the token's text and no secret.
    pub id: String,
    /// What its user calls it.
    pub name: String,
    /// What it may do, in the order of the host's scopes.
    pub scopes: Vec<String>,
    /// When it was created.
    pub created_at: SystemTime,
    /// When it was last used, up to a minute ago.
    pub last_used_at: Option<SystemTime>,
    /// From when on it is invalid.
    pub expires_at: SystemTime,
    /// The last four characters of its text.
    pub last_four: String,
}

impl From<ApiTokenRecord> for UserApiToken {
    fn from(row: ApiTokenRecord) -> Self {
        let ApiTokenRecord { id, name, scopes, created_at, last_used_at, expires_at, last_four, .. } = row;
        Self { id, name, scopes, created_at, last_used_at, expires_at, last_four }
    }
}

/// What a user wants of a new API token, checked: [`ApiTokensService::checked`] makes it.
#[derive(Clone, Debug)]
pub struct NewApiToken {
    name: String,
    scopes: Vec<String>,
    lifetime: Duration,
}

impl NewApiToken {
    pub(super) fn of(
        name: Result<String, FieldErrors>,
        scopes: Result<Vec<String>, FieldErrors>,
        lifetime: Result<Duration, FieldErrors>,
    ) -> Result<Self, FieldErrors> {
        let mut read = FieldCollector::default();
        let (name, scopes, lifetime) = (read.take(name), read.take(scopes), read.take(lifetime));
        let all = name.zip(scopes).zip(lifetime);
        read.finish(all.map(|((name, scopes), lifetime)| Self { name, scopes, lifetime }))
    }
}

/// A new API token with its text, which is a secret and shown once.
pub struct CreatedApiToken {
    /// The token.
    pub token: UserApiToken,
    text: String,
}

impl CreatedApiToken {
    /// The text that a program sends as `Authorization: Bearer`, for the user alone.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Does not show the text.
impl fmt::Debug for CreatedApiToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreatedApiToken").field("token", &self.token).finish_non_exhaustive()
    }
}

/// The API tokens of users, with the rules and events of the routes.
#[derive(Clone)]
pub struct ApiTokensService {
    pub(super) core: Core,
    pub(super) tokens: Rows,
    pub(super) scopes: ApiScopes,
    /// The tokens whose use is being recorded.
    pub(super) recording: Arc<Mutex<HashSet<String>>>,
}

impl ApiTokensService {
    pub(super) fn new(core: &Core, tokens: Rows, scopes: ApiScopes) -> Self {
        Self { core: core.clone(), tokens, scopes, recording: Arc::default() }
    }

    /// The scopes that a token can have.
    #[must_use]
    pub const fn scopes(&self) -> &ApiScopes {
        &self.scopes
    }

    /// The tokens of the session's user that have not expired, the oldest first (specification §9.62).
    ///
    /// # Errors
    /// Those of the repository.
    pub async fn list(&self, who: &Identity) -> Result<Vec<UserApiToken>, AuthError> {
        Ok(self.valid(&who.user_id()).await?.into_iter().map(UserApiToken::from).collect())
    }

    async fn valid(&self, user_id: &str) -> Result<Vec<ApiTokenRecord>, AuthError> {
        let (mut all, now) = (self.entries(user_id).all().await?, self.core.now());
        all.retain(|token| token.expires_at > now);
        Ok(all)
    }

    /// Checks what a user wants of a new token: a name of 1 to 64 characters, at least one of the [scopes](Self::scopes), and a lifetime
    /// in whole seconds, or `None` for the option `api_tokens.lifetime`.
    ///
    /// # Errors
    /// Those of the fields `name`, `scopes` and `expiresIn`.
    pub fn checked(
        &self,
        name: &str,
        scopes: &[impl AsRef<str>],
        expires_in: Option<u64>,
    ) -> Result<NewApiToken, FieldErrors> {
        NewApiToken::of(short_name(name), self.known_scopes(scopes), self.lifetime(expires_in))
    }

    pub(super) fn known_scopes(&self, asked: &[impl AsRef<str>]) -> Result<Vec<String>, FieldErrors> {
        let asked: HashSet<&str> = asked.iter().map(AsRef::as_ref).collect();
        if asked.is_empty() {
            return Err(FieldErrors::standard("scopes", FieldText::Required));
        }
        if !asked.iter().all(|scope| self.scopes.contains(scope)) {
            return Err(FieldErrors::standard("scopes", FieldText::ScopeUnknown));
        }
        Ok(self.scopes.names().filter(|scope| asked.contains(scope)).map(str::to_owned).collect())
    }

    pub(super) fn lifetime(&self, expires_in: Option<u64>) -> Result<Duration, FieldErrors> {
        let options = &self.core.config.api_tokens;
        let Some(seconds) = expires_in else { return Ok(options.lifetime) };
        let longest = options.max_lifetime.as_secs();
        if (1..=longest).contains(&seconds) {
            return Ok(Duration::from_secs(seconds));
        }
        let longest = usize::try_from(longest).unwrap_or(usize::MAX);
        Err(FieldErrors::standard_with("expiresIn", FieldText::LifetimeInvalid, longest))
    }

    /// Creates a token for the session's user (specification §9.63).
    ///
    /// # Errors
    /// [`AuthError::EmailNotVerified`]; [`AuthError::PasswordConfirmationRequired`]; [`AuthError::LimitReached`];
    /// [`AuthError::TooManyAttempts`].
    pub async fn create(
        &self,
        who: &Identity,
        new: NewApiToken,
        client: ClientAddress,
    ) -> Result<CreatedApiToken, AuthError> {
        let acting = self.core.begin(&CREATE, who, client).await?;
        let service = self.clone();
        self.core.run_to_completion(async move { service.insert(&acting, new).await }).await
    }

    /// Inserts a token in the turn of its user, so that several at once count each other. None is left by a session that has ended: who
    /// takes tokens away ends the sessions first, so that one that is stored later is seen here, and takes away one that is stored
    /// earlier.
    async fn insert(&self, acting: &ActingSession, new: NewApiToken) -> Result<CreatedApiToken, AuthError> {
        let id = acting.who().user_id();
        let turn = self.core.take_turn(&id).await?;
        let inserted = turn.run(async {
            acting.check_alive().await?;
            if self.valid(&id).await?.len() >= MOST {
                return Err(AuthError::LimitReached);
            }
            let (row, text) = self.row(&id, new)?;
            if !self.tokens.insert(row.clone()).await? {
                return Err(AuthError::internal("the id of a new API token is taken"));
            }
            if let Err(ended) = acting.check_alive().await {
                self.entries(&id).delete(&row.id).await?;
                return Err(ended);
            }
            Ok((row, text))
        });
        let (row, text) = inserted.await?;
        let created = EventKind::ApiTokenCreated { token_id: row.id.clone() };
        self.core.emit_about(created, &**turn.user(), acting.client()).await;
        Ok(CreatedApiToken { token: row.into(), text })
    }

    /// A row for a new token, and the text of the token.
    fn row(&self, user_id: &str, new: NewApiToken) -> Result<(ApiTokenRecord, String), AuthError> {
        let drawn = NewText::draw(&self.core.config.api_tokens.prefix)?;
        let now = whole_milliseconds(self.core.now());
        let (last_four, key) = (drawn.last_four().to_owned(), self.core.repository_key(user_id));
        let mut row = ApiTokenRecord::new(drawn.id, key, drawn.secret_hash, now, now + new.lifetime);
        (row.name, row.scopes, row.last_four) = (new.name, new.scopes, last_four);
        Ok((row, drawn.text))
    }

    /// Revokes a token of the session's user (specification §9.64).
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if the user has no token with this id; [`AuthError::Unauthenticated`] if the session has ended.
    pub async fn revoke(&self, who: &Identity, id: &str, client: ClientAddress) -> Result<(), AuthError> {
        let acting = self.core.begin(&REVOKE, who, client).await?;
        acting.check_alive().await?;
        if !self.entries(&who.user_id()).delete(id).await? {
            return Err(AuthError::NotFound);
        }
        let revoked = EventKind::ApiTokenRevoked { token_id: id.to_owned() };
        self.core.emit_about(revoked, who.user(), client).await;
        Ok(())
    }

    fn entries<'a>(&'a self, user_id: &str) -> Entries<'a> {
        Entries::of(&self.core, &self.tokens, user_id)
    }

    /// How the options of the feature deviate from ASVS.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        of_settings(&self.core.config)
    }
}

/// How the options of the feature deviate from ASVS.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    if ApiTokenRecord::ends_with_reset(settings) {
        return Vec::new();
    }
    let message = "an API token that a thief has created still works after the owner of the account has reset the password by mail";
    vec![Deviation::new("api_tokens.survive_resets", &["7.4.3"], message)]
}
