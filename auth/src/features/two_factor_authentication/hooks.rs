//! The second factor is asked for wherever a session is about to start.

use super::challenge_token::ChallengeTokens;
use crate::core::{Core, Hooks, SignInRequest, Step};
use crate::error::AuthError;
use crate::events::EventKind;
use async_trait::async_trait;

/// Requires the second factor of users who have confirmed one.
pub(super) struct RequireSecondFactor {
    pub(super) tokens: ChallengeTokens,
}

#[async_trait]
impl Hooks for RequireSecondFactor {
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
        core.events.emit(kind, Some(request.user.id_text()), client);
        Ok(Some(Step::SecondFactor(challenge)))
    }
}
