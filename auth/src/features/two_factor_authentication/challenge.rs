//! The second step of a login. No HTTP.

use super::challenge_token::{ChallengeClaims, ChallengeTokens};
use super::stored_secrets::Secrets;
use super::{LIMITS, one_time_codes, recovery_codes};
use crate::assurance::ChallengeMethod;
use crate::client::{ClientAddress, Visitor};
use crate::core::{Ceremonies, Core, Guess, Method, PasskeyProof, ProvenRow, SecondFactor, SignIn, SignedIn};
use crate::error::AuthError;
use crate::events::{AttemptKind, EventKind};
use crate::limits::Checked;
use crate::user::User;

/// With what a challenge is completed.
enum Answer<'a> {
    Factor(&'a SecondFactor),
    Passkey(&'a PasskeyProof),
}

/// What has completed a challenge.
struct Proven {
    method: Method,
    /// The id of the passkey.
    passkey: Option<String>,
}

/// A challenge that is not completed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingChallenge {
    /// With what the user can complete it, in the order in which clients see it.
    pub methods: Vec<ChallengeMethod>,
    /// Where the browser goes afterwards, if the page has said so that began the sign-in.
    pub next: Option<String>,
}

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
    /// factor (specification §9.19). With [`Visitor::trusting_device`] the device is trusted from then on (TRUSTED_DEVICES).
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
        self.complete(token, &Answer::Factor(factor), client.into()).await
    }

    /// Starts a session for somebody who has proven the password, as the challenge token says, and now proves one of the account's
    /// passkeys, with the flow token of `POST /two-factor-challenge/passkey-options` and what the browser has returned (PASSKEYS).
    ///
    /// # Errors
    /// Those of [`challenge`](Self::challenge); [`AuthError::InvalidFlowToken`], also without PASSKEYS; [`AuthError::InvalidPasskey`].
    pub async fn challenge_with_passkey(
        &self,
        token: &str,
        flow_token: &str,
        credential: &serde_json::Value,
        client: impl Into<Visitor>,
    ) -> Result<SignedIn, AuthError> {
        let proof = PasskeyProof { flow_token: flow_token.to_owned(), credential: credential.clone() };
        self.complete(token, &Answer::Passkey(&proof), client.into()).await
    }

    /// With what the challenge of this token can be completed, and where the browser goes afterwards (specification §9.58).
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`]; those of the repositories and the store.
    pub async fn pending(
        &self,
        token: &str,
        client: impl Into<Visitor>,
    ) -> Result<PendingChallenge, AuthError> {
        let claims = self.tokens.open(token, &client.into())?;
        let user = claims.user(&self.core).await?;
        if claims.is_over(&self.core).await? {
            return Err(AuthError::InvalidChallengeToken);
        }
        let methods = self.core.challenge_methods(&user).await?;
        Ok(PendingChallenge { methods, next: claims.next().map(str::to_owned) })
    }

    /// Whether a challenge can be completed with a passkey in this module.
    pub(super) fn takes_passkeys(&self) -> bool {
        self.core.takes_passkeys()
    }

    /// Whether who completes a challenge can have the device trusted in this module.
    pub(super) fn trusts_devices(&self) -> bool {
        self.core.trusts_devices()
    }

    async fn complete(
        &self,
        token: &str,
        answer: &Answer<'_>,
        visitor: Visitor,
    ) -> Result<SignedIn, AuthError> {
        let client = visitor.address();
        let claims = self.tokens.open(token, &visitor)?;
        let visitor = visitor.remembered(claims.remember());
        let user = claims.user(&self.core).await?;
        let id = user.id_text();
        let guess = Guess::at_user(AttemptKind::TwoFactor, LIMITS, &id, client);
        let check = async {
            match self.prove(&claims, &user, answer, client).await {
                Ok(proven) => Ok(Checked::Right(proven)),
                Err(
                    wrong @ (AuthError::InvalidTwoFactorCode
                    | AuthError::InvalidRecoveryCode
                    | AuthError::InvalidPasskey),
                ) => {
                    self.core.events.emit(EventKind::TwoFactorFailed, Some(id.clone()), client).await;
                    Ok(Checked::Wrong(wrong))
                }
                Err(failure) => Err(failure),
            }
        };
        let proven = self.core.guess(&guess, check).await?;
        let user = match self.tokens.has_proven_address(&claims, &*user) {
            true => self.verified(user, client).await?,
            false => user,
        };
        let sign_in = SignIn::challenge(claims.proven(), proven.method)
            .of_ceremony(Ceremonies::OfCredentials, claims.epoch);
        let sign_in = if claims.proves_address() { sign_in.of_address() } else { sign_in };
        let sign_in = match &proven.passkey {
            Some(passkey) => sign_in.with(ProvenRow::Passkey(passkey)),
            None => sign_in,
        };
        if let Answer::Factor(factor) = answer {
            self.core.emit_about(factor.used(), &*user, client).await;
        }
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

    /// Counts the try, checks the code or the passkey, and uses up both what was proven and the token.
    async fn prove(
        &self,
        claims: &ChallengeClaims,
        user: &User,
        answer: &Answer<'_>,
        client: ClientAddress,
    ) -> Result<Proven, AuthError> {
        match answer {
            Answer::Factor(factor) => {
                claims.count_try(&self.core).await?;
                self.prove_factor(claims, user, factor).await?;
                Ok(Proven { method: factor.method(), passkey: None })
            }
            Answer::Passkey(proof) => {
                // A flow token that is not valid is no try: nobody can guess with it.
                let challenge = claims.opened(User::clone(user));
                let expected = self.core.expect_passkey(&challenge, proof).await?;
                claims.count_try(&self.core).await?;
                let passkey = expected.prove(client).await?;
                claims.spend(&self.core).await?;
                Ok(Proven { method: passkey.method, passkey: Some(passkey.id) })
            }
        }
    }

    async fn prove_factor(
        &self,
        claims: &ChallengeClaims,
        user: &User,
        factor: &SecondFactor,
    ) -> Result<(), AuthError> {
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
