//! Logging in, staying logged in, logging out. No HTTP.

use crate::client::ClientAddress;
use crate::core::{Core, Identity, RefreshOutcome, TokenPair};
use crate::crypto::passwords::Verdict;
use crate::error::AuthError;
use crate::events::{EventKind, LockedOut};
use crate::feature::Feature;
use crate::limits::{Attempt, Counter};
use crate::repository::RepositoryError;
use crate::user::{AuthUser, UserChange, UserField, UserId, UserPatch};
use crate::values::{EmailAddress, Password};

/// What is counted of logins, each under a key of its own.
const ACCOUNT_AND_CLIENT: &str = "login.account-and-client";
const ACCOUNT: &str = "login.account";
const CLIENT: &str = "login.client";

/// Logins, refreshes and logouts, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct SessionService<U: AuthUser> {
    core: Core<U>,
}

/// What a right password leads to. It has no `Debug`: both are secrets.
#[non_exhaustive]
pub enum LoggedIn {
    /// A session.
    Session(TokenPair),
    /// A challenge: the user has a second factor, and this token is what it is to be shown with.
    Challenge(String),
}

impl<U: AuthUser> SessionService<U> {
    pub(crate) fn new(core: Core<U>) -> Self {
        Self { core }
    }

    pub(super) fn core(&self) -> &Core<U> {
        &self.core
    }

    /// Begins a session for whoever knows an account's password.
    ///
    /// # Errors
    /// [`AuthError::InvalidCredentials`] alike for an unknown address, a wrong password, an inactive account and one
    /// without a usable hash, after the same work; [`AuthError::TooManyAttempts`].
    pub async fn login(
        &self,
        email: &EmailAddress,
        password: &Password,
        client: ClientAddress,
    ) -> Result<LoggedIn, AuthError> {
        let attempt = self.attempt(email, client).await?;
        let (user, verdict) = match self.check(email, password).await {
            Ok(checked) => checked,
            Err(failure) => {
                // Nothing was found out about the password, so nothing counts.
                attempt.give_back().await?;
                return Err(failure);
            }
        };
        let user_id = user.as_ref().map(|user| user.id().to_text());
        let Some(user) = user.filter(|user| verdict != Verdict::Mismatch && user.is_active()) else {
            self.core.events.emit(EventKind::LoginFailed, user_id, client);
            return Err(AuthError::InvalidCredentials);
        };
        self.forget_failures(attempt, email, client).await?;
        let user = match verdict {
            Verdict::MatchOutdated => self.renew_hash(user, password).await,
            Verdict::Match | Verdict::Mismatch => user,
        };
        if self.asks_for_second_factor(&user) {
            let token = self.core.challenges.issue(&self.core.sessions, &user)?;
            self.core.events.emit(EventKind::TwoFactorChallenged, user_id, client);
            return Ok(LoggedIn::Challenge(token));
        }
        let pair = self.core.sessions.begin(&user).await?;
        let session_id = pair.session_id.clone();
        self.core.events.emit(EventKind::Login { session_id }, user_id, client);
        Ok(LoggedIn::Session(pair))
    }

    /// Whether the password is half of this login. With the feature off it is all of it: there would be no route to
    /// show a second factor at.
    fn asks_for_second_factor(&self, user: &U) -> bool {
        self.core.features.contains(Feature::TwoFactorAuthentication)
            && user.two_factor_confirmed_at().is_some()
    }

    /// Exchanges a refresh token for a new pair.
    ///
    /// # Errors
    /// [`AuthError::InvalidRefreshToken`]; [`AuthError::RefreshTokenReused`] when it was used before, which ends its
    /// session.
    pub async fn refresh(&self, token: &str, client: ClientAddress) -> Result<TokenPair, AuthError> {
        let claims = self.core.sessions.open_refresh(token).await?;
        let user = self.core.current_user(&claims.session).await?.ok_or(AuthError::InvalidRefreshToken)?;
        match self.core.sessions.renew(&user, &claims).await? {
            RefreshOutcome::Renewed(pair) => Ok(pair),
            RefreshOutcome::Reused => {
                let user_id = Some(user.id().to_text());
                let session_id = claims.session.session_id().to_owned();
                self.core.events.emit(EventKind::RefreshTokenReused { session_id }, user_id, client);
                Err(AuthError::RefreshTokenReused)
            }
        }
    }

    /// Ends the session, and no other one of the user's.
    pub async fn logout(&self, who: &Identity<U>, client: ClientAddress) -> Result<(), AuthError> {
        self.core.sessions.end(who.session.session_id()).await?;
        let session_id = who.session.session_id().to_owned();
        self.core.events.emit(EventKind::Logout { session_id }, Some(who.user.id().to_text()), client);
        Ok(())
    }

    /// Takes a slot of each login limit.
    async fn attempt(&self, email: &EmailAddress, client: ClientAddress) -> Result<Attempt, AuthError> {
        let (limits, from) = (&self.core.config.limits, client.limit_key());
        let (both, account, client_only) = ([email.as_str(), &from], [email.as_str()], [from.as_str()]);
        let counters = [
            Counter { name: ACCOUNT_AND_CLIENT, of: &both, limit: limits.login_account_and_client },
            Counter { name: ACCOUNT, of: &account, limit: limits.login_account },
            Counter { name: CLIENT, of: &client_only, limit: limits.login_client },
        ];
        self.core.attempt(LockedOut::Login, &counters, None, client).await
    }

    /// A success clears the account's own counters and nobody else's: the client's only gets its slot back.
    async fn forget_failures(
        &self,
        attempt: Attempt,
        email: &EmailAddress,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        attempt.give_back().await?;
        self.core.limits.clear(ACCOUNT_AND_CLIENT, &[email.as_str(), &client.limit_key()]).await?;
        self.core.limits.clear(ACCOUNT, &[email.as_str()]).await
    }

    /// The account of an address, if there is one, and how the password compares to it.
    async fn check(
        &self,
        email: &EmailAddress,
        password: &Password,
    ) -> Result<(Option<U>, Verdict), AuthError> {
        let user = self.core.users.find_by_field(UserField::Email, email.as_str()).await?;
        let verdict = self.core.passwords.verify(password, user.as_ref().map(U::password)).await?;
        Ok((user, verdict))
    }

    /// Makes an outdated hash anew, now that the password is at hand. Where that fails the login goes on: the old
    /// hash still verifies. The user's other sessions end with the old hash, for tokens are bound to it.
    async fn renew_hash(&self, user: U, password: &Password) -> U {
        match self.save_new_hash(&user, password).await {
            Ok(saved) => saved,
            Err(error) => {
                tracing::warn!(
                    code = error.code().as_str(),
                    "an outdated password hash could not be renewed"
                );
                user
            }
        }
    }

    async fn save_new_hash(&self, user: &U, password: &Password) -> Result<U, AuthError> {
        let hash = self.core.passwords.rehash(password).await?;
        // A password that is being changed at this moment must not be changed back.
        let patch = UserPatch::new(user.id().clone())
            .with(UserChange::Password(hash))
            .only_if(UserChange::Password(user.password().to_owned()));
        match self.core.users.save(patch).await {
            Err(RepositoryError::Stale) => Ok(user.clone()),
            saved => Ok(saved?),
        }
    }
}
