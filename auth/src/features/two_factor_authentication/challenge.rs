//! The second half of a login. No HTTP.

use super::documents::Secrets;
use super::service::{counters, forget_failures};
use super::{codes, recovery};
use crate::client::ClientAddress;
use crate::core::{ChallengeClaims, Core, TokenPair};
use crate::error::AuthError;
use crate::events::{EventKind, LockedOut};
use crate::user::{AuthUser, UserId};

/// Two-factor challenges, with the rules, limits and events of the route.
#[derive(Clone)]
pub struct TwoFactorChallengeService<U: AuthUser> {
    core: Core<U>,
}

/// What somebody answers a challenge with. It has no `Debug`.
pub enum Proof {
    /// A code of the authenticator app.
    Code(String),
    /// One of the eight recovery codes.
    RecoveryCode(String),
}

impl<U: AuthUser> TwoFactorChallengeService<U> {
    pub(crate) fn new(core: Core<U>) -> Self {
        Self { core }
    }

    /// Begins a session for whoever has shown the password, as the challenge token says, and now shows the second
    /// factor.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`] when the token is not valid, has been used or tried too often, or the
    /// credentials have changed since; [`AuthError::InvalidTwoFactorCode`], [`AuthError::InvalidRecoveryCode`];
    /// [`AuthError::TooManyAttempts`].
    pub async fn challenge(
        &self,
        token: &str,
        proof: &Proof,
        client: ClientAddress,
    ) -> Result<TokenPair, AuthError> {
        let claims = self.core.challenges.open(token)?;
        let user = self.user_of(&claims).await?;
        let id = user.id().to_text();
        let of = [id.as_str()];
        let attempt =
            self.core.attempt(LockedOut::TwoFactor, &counters(&self.core, &of), Some(&id), client).await?;
        match self.prove(&claims, &user, proof).await {
            Ok(()) => attempt.give_back().await?,
            Err(wrong @ (AuthError::InvalidTwoFactorCode | AuthError::InvalidRecoveryCode)) => {
                self.core.events.emit(EventKind::TwoFactorFailed, Some(id), client);
                return Err(wrong);
            }
            Err(failure) => {
                attempt.give_back().await?;
                return Err(failure);
            }
        }
        forget_failures(&self.core, &id).await?;
        let used = match proof {
            Proof::Code(_) => EventKind::ValidTwoFactorCode,
            Proof::RecoveryCode(_) => EventKind::RecoveryCodeReplaced,
        };
        self.core.events.emit(used, Some(id.clone()), client);
        let pair = self.core.sessions.begin(&user).await?;
        let session_id = pair.session_id.clone();
        self.core.events.emit(EventKind::Login { session_id }, Some(id), client);
        Ok(pair)
    }

    /// The user of a challenge, who is there, active, and has the credentials of when it was issued.
    async fn user_of(&self, claims: &ChallengeClaims) -> Result<U, AuthError> {
        let id = U::Id::from_text(&claims.sub).ok_or(AuthError::InvalidChallengeToken)?;
        let user = self.core.users.find_by_id(&id).await?;
        let current =
            |user: &U| user.is_active() && self.core.challenges.is_current(&self.core.sessions, claims, user);
        user.filter(current).ok_or(AuthError::InvalidChallengeToken)
    }

    /// Counts the try, looks at the proof, and takes both out of use: the proof, and with it the token.
    async fn prove(&self, claims: &ChallengeClaims, user: &U, proof: &Proof) -> Result<(), AuthError> {
        self.core.challenges.try_once(claims).await?;
        match proof {
            Proof::Code(code) => {
                let secret = Secrets::of(user, &self.core.config)?.confirmed;
                let secret =
                    secret.ok_or_else(|| AuthError::internal("two-factor is on without a secret"))?;
                if !codes::accept(&self.core, &user.id().to_text(), &secret, code).await? {
                    return Err(AuthError::InvalidTwoFactorCode);
                }
                self.core.challenges.spend(claims).await
            }
            Proof::RecoveryCode(code) => {
                if recovery::position(user, code, &self.core.config)?.is_none() {
                    return Err(AuthError::InvalidRecoveryCode);
                }
                // The token first: a code that is spent and logs nobody in would be lost.
                self.core.challenges.spend(claims).await?;
                match recovery::spend(&self.core, user, code).await? {
                    true => Ok(()),
                    false => Err(AuthError::InvalidRecoveryCode),
                }
            }
        }
    }
}
