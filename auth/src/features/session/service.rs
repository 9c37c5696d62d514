//! Logging in, staying logged in, logging out. No HTTP.

use super::LOGIN_LIMITS;
use crate::client::ClientAddress;
use crate::core::{Core, Guess, Identity, Patch, SignIn, SignedIn, TokenPair};
use crate::crypto::passwords::Verdict;
use crate::error::AuthError;
use crate::events::{EventKind, LimitedAction};
use crate::limits::Checked;
use crate::repository::RepositoryError;
use crate::user::{User, UserChange};
use crate::values::{EmailAddress, Password};

/// Logins, refreshes and logouts, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct SessionService {
    core: Core,
}

impl SessionService {
    pub(super) fn new(core: &Core) -> Self {
        Self { core: core.clone() }
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
        client: ClientAddress,
    ) -> Result<SignedIn, AuthError> {
        let guess = Guess {
            action: LimitedAction::Login,
            limits: LOGIN_LIMITS,
            account: email.as_str(),
            user_id: None,
            client,
        };
        let (user, verdict) = self.core.guess(&guess, self.check(email, password, client)).await?;
        let user = match verdict {
            Verdict::MatchOutdated => self.renew_hash(user, password).await,
            Verdict::Match | Verdict::Mismatch => user,
        };
        self.core.sign_in(&user, SignIn::Password, client).await
    }

    /// Exchanges a refresh token for a new pair (specification §9.4).
    ///
    /// # Errors
    /// [`AuthError::InvalidRefreshToken`]; [`AuthError::RefreshTokenReused`] when the token was used before, which ends
    /// its session.
    pub async fn refresh(&self, token: &str, client: ClientAddress) -> Result<TokenPair, AuthError> {
        self.core.refresh(token, client).await
    }

    /// Ends the session and no other session of the user (specification §9.5).
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub async fn logout(&self, who: &Identity, client: ClientAddress) -> Result<(), AuthError> {
        self.core.log_out(who, client).await
    }

    /// The account of an address, if the password is the account's.
    async fn check(
        &self,
        email: &EmailAddress,
        password: &Password,
        client: ClientAddress,
    ) -> Result<Checked<(User, Verdict)>, AuthError> {
        let user = self.core.users.find_by_email(email.as_str()).await?;
        let hash = user.as_ref().map(|user| user.password());
        let verdict = self.core.passwords.verify(password, hash).await?;
        let user_id = user.as_ref().map(|user| user.id_text());
        Ok(match user.filter(|user| verdict != Verdict::Mismatch && user.is_active()) {
            Some(user) => Checked::Right((user, verdict)),
            None => {
                self.core.events.emit(EventKind::LoginFailed, user_id, client);
                Checked::Wrong(AuthError::InvalidCredentials)
            }
        })
    }

    /// Replaces an outdated hash, now that the password is known. If that fails, the login continues: the old hash
    /// still verifies. The user's other sessions end with the old hash, because tokens are bound to it.
    async fn renew_hash(&self, user: User, password: &Password) -> User {
        match self.save_new_hash(&user, password).await {
            Ok(saved) => saved,
            Err(error) => {
                let code = error.code().as_str();
                tracing::warn!(code, "an outdated password hash could not be replaced");
                user
            }
        }
    }

    async fn save_new_hash(&self, user: &User, password: &Password) -> Result<User, AuthError> {
        let hash = self.core.passwords.rehash(password).await?;
        // A password that is being changed at this moment must not be changed back.
        let patch = Patch::of(&**user)
            .with(UserChange::Password(hash))
            .only_if(UserChange::Password(user.password().to_owned()));
        match self.core.users.save(patch).await {
            Err(RepositoryError::Stale) => Ok(User::clone(user)),
            saved => Ok(saved?),
        }
    }
}
