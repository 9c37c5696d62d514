//! Logging in, staying logged in, logging out. No HTTP.

use super::LOGIN_LIMITS;
use crate::client::{ClientAddress, ClientInfo, Visitor};
use crate::core::{Core, Guess, Identity, Method, Patch, SignIn, SignedIn, TokenPair};
use crate::crypto::Passwords;
use crate::crypto::passwords::Verdict;
use crate::error::AuthError;
use crate::events::{AttemptKind, EventKind};
use crate::limits::{Attempt, Checked};
use crate::repository::RepositoryError;
use crate::store::StoreKey;
use crate::telemetry::log;
use crate::user::{User, UserChange};
use crate::values::{EmailAddress, Password, Username};
use std::time::Duration;

/// How long one login has for replacing an outdated hash, and other logins wait for it; not longer than half of a request's time.
const REHASH: Duration = Duration::from_secs(10);

/// How often other logins look whether it is done.
const REHASH_POLL: Duration = Duration::from_millis(20);

/// What is looked for in the place of a text that is no user name. It is none, either.
const NOBODY: &str = "-";

/// Logins, refreshes and logouts, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct LoginService {
    core: Core,
}

impl LoginService {
    pub(super) fn new(core: &Core) -> Self {
        Self { core: core.clone() }
    }

    /// Whether a login can have a user name in the place of the address.
    pub(super) fn takes_usernames(&self) -> bool {
        self.core.username_rules().field.is_present()
    }

    /// Starts a session for somebody who knows an account's password (specification §9.3).
    ///
    /// # Errors
    /// [`AuthError::InvalidCredentials`] alike for an unknown address, a wrong password, an inactive account and an
    /// account without a usable hash, after the same work; [`AuthError::TooManyAttempts`].
    pub async fn login(
        &self,
        email: &EmailAddress,
        password: &Password,
        client: impl Into<Visitor>,
    ) -> Result<SignedIn, AuthError> {
        let visitor = client.into();
        let client = visitor.address();
        let guess = Guess::at_address(AttemptKind::Login, LOGIN_LIMITS, email, client);
        let mut user = None;
        let is_known = async {
            user = self.core.users.find_by_email(email.as_str()).await?;
            self.core.user_knows(user.as_ref(), email.as_str(), client).await
        };
        let attempt = self.core.attempt_from(&guess, is_known).await?;
        self.prove(attempt, user, password, &visitor).await
    }

    /// Starts a session for somebody who knows the password of the account with this user name (specification §9.3). A text that is no
    /// user name belongs to nobody.
    ///
    /// # Errors
    /// Those of [`login`](Self::login); [`AuthError::NotFound`] without USERNAMES.
    pub async fn login_by_username(
        &self,
        username: &str,
        password: &Password,
        client: impl Into<Visitor>,
    ) -> Result<SignedIn, AuthError> {
        if !self.takes_usernames() {
            return Err(AuthError::NotFound);
        }
        let visitor = client.into();
        let client = visitor.address();
        let parsed = Username::parse(username).ok();
        // What is no user name is looked for, too, but not as it is: a database may refuse it.
        let sought = parsed.as_ref().map_or(NOBODY, Username::as_str);
        let found = self.core.users.find_by_username(sought).await?;
        let user = found.filter(|_| parsed.is_some());
        // The counters are those of the address, so nobody has twice as many attempts.
        let account = user
            .as_ref()
            .map_or_else(|| username.to_ascii_lowercase(), |user| user.email().to_ascii_lowercase());
        let guess = Guess::at_name(AttemptKind::Login, LOGIN_LIMITS, &account, client);
        let is_known = self.core.user_knows(user.as_ref(), &account, client);
        let attempt = self.core.attempt_from(&guess, is_known).await?;
        self.prove(attempt, user, password, &visitor).await
    }

    /// Checks the password of the account that was found, and starts the session.
    async fn prove(
        &self,
        attempt: Attempt,
        user: Option<User>,
        password: &Password,
        visitor: &Visitor,
    ) -> Result<SignedIn, AuthError> {
        let client = visitor.address();
        let (user, verdict) = attempt.check(self.check(user, password, client)).await?;
        // Before the hash is renewed, for which a store that cannot be reached is no failure.
        let epoch = self.core.client_epoch(&user.id_text()).await?;
        let user = match verdict {
            Verdict::MatchOutdated => self.renew_hash(user, password, client).await,
            Verdict::Match | Verdict::Mismatch => user,
        };
        self.core.sign_in(&user, SignIn::password(), visitor, epoch).await
    }

    /// Exchanges a refresh token for a new pair (specification §9.4).
    ///
    /// # Errors
    /// [`AuthError::InvalidRefreshToken`]; [`AuthError::RefreshTokenReused`] when the token was used before, which ends
    /// its session.
    pub async fn refresh(&self, token: &str, client: impl Into<ClientInfo>) -> Result<TokenPair, AuthError> {
        self.core.refresh(token, &client.into()).await
    }

    /// Ends the session and no other session of the user (specification §9.5).
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub async fn logout(&self, who: &Identity, client: ClientAddress) -> Result<(), AuthError> {
        self.core.log_out(who, client).await
    }

    /// The account that was found, if the password is the account's. No account takes the same work.
    async fn check(
        &self,
        user: Option<User>,
        password: &Password,
        client: ClientAddress,
    ) -> Result<Checked<(User, Verdict)>, AuthError> {
        let hash = user.as_ref().map(|user| user.password());
        let verdict = self.core.passwords_of(client).verify(password, hash).await?;
        let user_id = user.as_ref().map(|user| user.id_text());
        Ok(match user.filter(|user| verdict != Verdict::Mismatch && user.is_active()) {
            Some(user) => Checked::Right((user, verdict)),
            None => {
                let method = Method::Password;
                self.core.events.emit(EventKind::LoginFailed { method }, user_id, client).await;
                Checked::Wrong(AuthError::InvalidCredentials)
            }
        })
    }

    /// Replaces an outdated hash, now that the password is known. The user's sessions continue. If it fails, the login
    /// continues with the old hash, which still verifies.
    async fn renew_hash(&self, user: User, password: &Password, client: ClientAddress) -> User {
        match self.replace_hash(&user, password, &self.core.passwords_of(client)).await {
            Ok(saved) => saved,
            Err(error) => {
                log::hash_not_replaced(error.code().as_str());
                user
            }
        }
    }

    /// Of several logins at once, one replaces the hash, and the others wait for it.
    async fn replace_hash(
        &self,
        user: &User,
        password: &Password,
        passwords: &Passwords,
    ) -> Result<User, AuthError> {
        let id = user.id_text();
        let lease = REHASH.min(self.core.config.request_timeout / 2);
        if !self.core.store.claim(StoreKey::Rehash, &[&id], lease).await? {
            return self.replaced_by_another(user, password, passwords, lease).await;
        }
        // Nothing is written when the others no longer wait: their sessions have the mark of the hash that they have seen.
        let saved = tokio::time::timeout(lease * 4 / 5, self.save_new_hash(user, password, passwords))
            .await
            .unwrap_or_else(|_elapsed| {
                Err(AuthError::Unavailable("hashing the password again took too long".into()))
            });
        // Beside the response, because it may be the store that has failed. What is not deleted expires.
        let (core, released) = (self.core.clone(), id);
        self.core.background.spawn("ending the renewal of a hash", async move {
            if let Err(error) = core.store.delete(StoreKey::Rehash, &[&released]).await {
                log::rehash_not_released(error.code().as_str());
            }
        });
        match saved? {
            Some(saved) => Ok(saved),
            None => self.replaced_by_another(user, password, passwords, lease).await,
        }
    }

    /// `None` if the record has another hash by now.
    async fn save_new_hash(
        &self,
        user: &User,
        password: &Password,
        passwords: &Passwords,
    ) -> Result<Option<User>, AuthError> {
        let now = self.core.users.find_by_id(&user.id_text()).await?;
        if now.is_none_or(|now| now.password() != user.password()) {
            return Ok(None);
        }
        let hash = passwords.renew(user.password(), password).await?;
        self.core.password_rehashed(user, &hash).await?;
        // A password that is being changed at this moment must not be changed back.
        let patch = Patch::of(&**user)
            .with(UserChange::Password(hash))
            .only_if(UserChange::Password(user.password().to_owned()));
        match self.core.users.save(patch).await {
            Err(RepositoryError::Stale) => Ok(None),
            saved => Ok(Some(saved?)),
        }
    }

    /// The user with the hash that another login of the same user has stored, if the password matches it.
    async fn replaced_by_another(
        &self,
        user: &User,
        password: &Password,
        passwords: &Passwords,
        lease: Duration,
    ) -> Result<User, AuthError> {
        let id = user.id_text();
        let replaced = async {
            while self.core.store.exists(StoreKey::Rehash, &[&id]).await? {
                tokio::time::sleep(REHASH_POLL).await;
            }
            Ok::<_, AuthError>(())
        };
        // A login that was cut off has replaced nothing.
        if let Ok(done) = tokio::time::timeout(lease, replaced).await {
            done?;
        }
        let now = self.core.users.find_by_id(&id).await?;
        let Some(now) = now.filter(|now| now.password() != user.password()) else {
            return Ok(User::clone(user));
        };
        match passwords.verify(password, Some(now.password())).await? {
            // The password was changed, not only hashed again: the sign-in refuses the old one.
            Verdict::Mismatch => Ok(User::clone(user)),
            Verdict::Match | Verdict::MatchOutdated => Ok(now),
        }
    }
}
