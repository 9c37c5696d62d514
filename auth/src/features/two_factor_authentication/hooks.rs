//! The second factor is asked for wherever a session is about to start, and checked wherever a user proves it again.

use super::challenge_token::ChallengeTokens;
use super::stored_secrets::Secrets;
use super::{disabling_patch, proof};
use crate::client::ClientAddress;
use crate::core::{Core, Hooks, Identity, SecondFactor, SignInRequest, Step};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::telemetry::{cause, log};
use crate::user::User;
use async_trait::async_trait;

/// Requires the second factor of users who have confirmed one, and removes one that a stranger has set up.
pub(super) struct TwoFactorHooks {
    pub(super) tokens: ChallengeTokens,
}

#[async_trait]
impl Hooks for TwoFactorHooks {
    async fn prove_second_factor(
        &self,
        core: &Core,
        who: &Identity,
        factor: &SecondFactor,
        client: ClientAddress,
    ) -> Option<Result<(), AuthError>> {
        Some(proof::prove(core, who, factor, client).await)
    }

    async fn before_session(
        &self,
        core: &Core,
        request: &SignInRequest<'_>,
    ) -> Result<Option<Step>, AuthError> {
        if request.sign_in.has_second_factor() || request.user.two_factor_confirmed_at().is_none() {
            return Ok(None);
        }
        let challenge = self.tokens.issue(core, &**request.user, request.visitor)?;
        let (kind, client) = (EventKind::TwoFactorChallenged, request.visitor.address);
        core.events.emit(kind, Some(request.user.id_text()), client).await;
        Ok(Some(Step::SecondFactor(challenge)))
    }

    /// Somebody else may have made the account with the user's address and set up a second factor: the owner of the address
    /// could never log in (specification §15.3). A second factor that was put in force when the account had another address,
    /// or after the address was verified, stays: who has taken over a session and changed the address must not remove it.
    async fn owner_arrived(&self, core: &Core, user: &User, client: ClientAddress) -> Result<(), AuthError> {
        let unproven = match Secrets::of(&**user, &core.config) {
            Ok(secrets) => secrets.unproven,
            Err(error) => {
                log::second_factor_unreadable(cause(error.cause()));
                return Ok(());
            }
        };
        let is_on = user.two_factor_confirmed_at().is_some();
        if user.two_factor_secret().is_none() || (is_on && unproven.as_deref() != Some(user.email())) {
            return Ok(());
        }
        core.users.save(disabling_patch(&**user)).await?;
        core.events.emit(EventKind::TwoFactorDisabled, Some(user.id_text()), client).await;
        Ok(())
    }
}
