//! The second step of a login. No HTTP.

use super::challenge_token::{ChallengeClaims, ChallengeTokens};
use super::stored_secrets::Secrets;
use super::{LIMITS, one_time_codes, recovery_codes};
use crate::client::{ClientAddress, Visitor};
use crate::core::{Ceremonies, Core, Guess, SecondFactor, SignIn, SignedIn};
use crate::error::AuthError;
use crate::events::{AttemptKind, EventKind};
use crate::limits::Checked;
use crate::user::User;

/// Two-factor challenges, with the rules, limits and events of the route.
#[derive(Clone)]
pub struct TwoFactorChallengeService {
    core: Core,
    tokens: ChallengeTokens,
}

impl TwoFactorChallengeService {
    pub(super) fn new(core: &Core, tokens: ChallengeTokens) -> Self {
        Self { core: core.clone(), tokens }
    }

    /// Starts a session for somebody who has proven the password, as the challenge token says, and now proves the second
    /// factor (specification §9.19).
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`] when the token is invalid, was used or tried too often, or the credentials
    /// have changed since; [`AuthError::InvalidTwoFactorCode`], [`AuthError::InvalidRecoveryCode`];
    /// [`AuthError::TooManyAttempts`].
    pub async fn challenge(
        &self,
        token: &str,
        factor: &SecondFactor,
        client: impl Into<Visitor>,
    ) -> Result<SignedIn, AuthError> {
        let visitor = client.into();
        let client = visitor.address();
        let claims = self.tokens.open(token, &visitor)?;
        let visitor = visitor.remembered(claims.remember());
        let user = self.core.current_user(&claims.sub, &claims.mark).await?;
        let user = user.ok_or(AuthError::InvalidChallengeToken)?;
        let id = user.id_text();
        if claims.epoch < self.core.flow_epoch(Ceremonies::OfCredentials, &id).await? {
            return Err(AuthError::InvalidChallengeToken);
        }
        let guess = Guess::at_user(AttemptKind::TwoFactor, LIMITS, &id, client);
        let check = async {
            match self.prove(&claims, &user, factor).await {
                Ok(()) => Ok(Checked::Right(())),
                Err(wrong @ (AuthError::InvalidTwoFactorCode | AuthError::InvalidRecoveryCode)) => {
                    self.core.events.emit(EventKind::TwoFactorFailed, Some(id.clone()), client).await;
                    Ok(Checked::Wrong(wrong))
                }
                Err(failure) => Err(failure),
            }
        };
        self.core.guess(&guess, check).await?;
        let user = match self.tokens.has_proven_address(&claims, &*user) {
            true => self.verified(user, client).await?,
            false => user,
        };
        let sign_in = SignIn::challenge(claims.proven(), factor.method())
            .of_ceremony(Ceremonies::OfCredentials, claims.epoch);
        self.core.emit_about(factor.used(), &*user, client).await;
        let epoch = self.core.client_epoch(&id).await?;
        self.core.sign_in(&user, sign_in, &visitor, epoch).await
    }

    /// Verifies the address of the user and returns the record: the client has proven the mailbox, and then the second factor.
    async fn verified(&self, user: User, client: ClientAddress) -> Result<User, AuthError> {
        if !self.core.verify_and_announce(&*user, None, client).await? {
            return Ok(user);
        }
        let now = self.core.users.find_by_id(&user.id_text()).await?;
        now.ok_or(AuthError::InvalidChallengeToken)
    }

    /// Counts the try, checks the code, and uses up both the code and the token.
    async fn prove(
        &self,
        claims: &ChallengeClaims,
        user: &User,
        factor: &SecondFactor,
    ) -> Result<(), AuthError> {
        claims.count_try(&self.core).await?;
        match factor {
            SecondFactor::Code(code) => {
                let secret = Secrets::of(&**user, &self.core.config)?.confirmed;
                let secret =
                    secret.ok_or_else(|| AuthError::internal("two-factor is enabled without a secret"))?;
                if !one_time_codes::accept(&self.core, &user.id_text(), &secret, code).await? {
                    return Err(AuthError::InvalidTwoFactorCode);
                }
                claims.spend(&self.core).await
            }
            SecondFactor::RecoveryCode(code) => {
                if recovery_codes::position(&**user, code, &self.core.config)?.is_none() {
                    return Err(AuthError::InvalidRecoveryCode);
                }
                // The token first: a code that is used up and starts no session would be lost.
                claims.spend(&self.core).await?;
                match recovery_codes::spend(&self.core, &**user, code).await? {
                    true => Ok(()),
                    false => Err(AuthError::InvalidRecoveryCode),
                }
            }
        }
    }
}
