//! Confirming a password and telling whether that was recent. No HTTP.

use super::CONFIRM;
use crate::assurance::{ChallengeMethod, Proof};
use crate::client::ClientAddress;
use crate::core::{
    Core, Guess, Identity, LinkedIdentity, Method, PASSWORD_LIMITS, SecondFactor, SessionCookie, WaysIn,
};
use crate::crypto::passwords::Verdict;
use crate::error::AuthError;
use crate::events::AttemptKind;
use crate::limits::Checked;
use crate::values::Password;
use std::time::Duration;

/// With what a user can sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignInMethods {
    /// Whether the user has a password.
    pub password: bool,
    /// How many passkeys of the user can sign in.
    pub passkeys: usize,
    /// The identities of the user at providers.
    pub identities: Vec<LinkedIdentity>,
    /// Whether the mailbox of the user's address is a way in.
    pub email: bool,
    /// With what the challenge after a sign-in can be completed; empty if there is none.
    pub second_factor: Vec<ChallengeMethod>,
}

/// Password confirmations, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct PasswordConfirmationService {
    core: Core,
}

impl PasswordConfirmationService {
    pub(super) fn new(core: &Core) -> Self {
        Self { core: core.clone() }
    }

    /// Records that the user of the session knows the password (specification §12). A browser session gets another cookie,
    /// and only that one has the confirmation.
    ///
    /// # Errors
    /// [`AuthError::IncorrectPassword`], [`AuthError::TooManyAttempts`].
    pub async fn confirm(
        &self,
        who: &Identity,
        password: &Password,
        client: ClientAddress,
    ) -> Result<Option<SessionCookie>, AuthError> {
        self.confirm_all(who, password, None, client).await
    }

    /// Records that the user of the session knows the password and has the second factor. If either is wrong, nothing is
    /// recorded.
    ///
    /// # Errors
    /// Those of [`confirm`](Self::confirm); [`AuthError::InvalidTwoFactorCode`], [`AuthError::InvalidRecoveryCode`].
    pub async fn confirm_with_second_factor(
        &self,
        who: &Identity,
        password: &Password,
        factor: &SecondFactor,
        client: ClientAddress,
    ) -> Result<Option<SessionCookie>, AuthError> {
        self.confirm_all(who, password, Some(factor), client).await
    }

    pub(super) async fn confirm_all(
        &self,
        who: &Identity,
        password: &Password,
        factor: Option<&SecondFactor>,
        client: ClientAddress,
    ) -> Result<Option<SessionCookie>, AuthError> {
        let acting = self.core.begin(&CONFIRM, who, client).await?;
        let account = who.user_id();
        let guess = Guess::at_user(AttemptKind::Password, PASSWORD_LIMITS, &account, client);
        let check = async {
            let verdict =
                self.core.passwords_of(client).verify(password, Some(who.user().password())).await?;
            Ok(match verdict {
                Verdict::Mismatch => Checked::Wrong(AuthError::IncorrectPassword),
                Verdict::Match | Verdict::MatchOutdated => Checked::Right(()),
            })
        };
        self.core.guess(&guess, check).await?;
        if let Some(factor) = factor {
            self.core.prove_second_factor(who, factor, client).await?;
        }
        self.core.record_confirmation(&acting, Method::Password, factor).await
    }

    /// What the user of the session can prove, in the order in which clients see it.
    ///
    /// # Errors
    /// Those of the repositories.
    pub async fn proofs(&self, who: &Identity) -> Result<Vec<Proof>, AuthError> {
        let provable = self.core.provable(&who.user).await?;
        Ok(provable.into_iter().map(|provable| provable.proof).collect())
    }

    /// With what the user of the session can sign in (specification §9.29).
    ///
    /// # Errors
    /// Those of the repositories.
    pub async fn sign_in_methods(&self, who: &Identity) -> Result<SignInMethods, AuthError> {
        let ways = self.core.ways_in(&who.user).await?;
        let second_factor = self.core.challenge_methods(&who.user).await?;
        let identities = self.core.identities(&who.user).await?;
        let WaysIn { password, passkeys, identities: _, mailbox } = ways;
        Ok(SignInMethods { password, passkeys, identities, email: mailbox, second_factor })
    }

    /// Whether the password was confirmed in this session within the last `window`, which is never longer than the
    /// configured timeout.
    #[must_use]
    pub fn is_confirmed(&self, who: &Identity, window: Option<Duration>) -> bool {
        self.core.is_confirmed(who, window.unwrap_or(Duration::MAX))
    }
}
